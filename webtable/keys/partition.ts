import { CrawlError } from '../../packages/errors/index.js';
import { IPV4, hostKeyOf, hostKeyOfRow, type HostKey } from './host-key.js';

/** Ends a range of index keys. It sorts after all keys in a zone of an index table, and after the `|` at the end of a name. */
export const FENCE = '}';

/** The number of slots of a table, unless it is created with another number. */
export const DEFAULT_SLOTS = 16;
/** The maximum number of slots. */
const MAX_SLOTS = 65_536;

/** The slots of a table. The keys of the indexes are spread over the slots. The number of slots is fixed when the table is created. */
export interface Slots {
  /** The slots in order, as hex digits. There are two digits, three for more than 256 slots, or four for more than 4,096. */
  readonly all: readonly string[];
  /** The slot of a host. All hosts of a domain have the same slot, see {@link domainKeyOf}. */
  of(host: HostKey): string;
  /** The slot of a row: that of its host. */
  ofRow(rowKey: string): string;
  /** The slot of a queue: a host, a domain or an IP address. A host and its domain have the same slot. */
  ofQueue(queue: string): string;
}

/** @throws CrawlError BAD_SETTING if the number is not from 1 to {@link MAX_SLOTS} */
export function slotsOf(count: number): Slots {
  if (!Number.isSafeInteger(count) || count < 1 || count > MAX_SLOTS) {
    throw new CrawlError('BAD_SETTING', `expected from 1 to ${MAX_SLOTS} slots, found ${count}`);
  }
  const digits = count > 4096 ? 4 : count > 256 ? 3 : 2;
  const all = Array.from({ length: count }, (_, i) => i.toString(16).padStart(digits, '0'));
  const of = (host: HostKey): string => all[partitionOf(domainKeyOf(host), count)]!;
  return { all, of, ofRow: (rowKey) => of(hostKeyOfRow(rowKey)), ofQueue: (queue) => of(hostKeyOf(queue)) };
}

/** FROZEN. The second-level labels below which the country domains register their domains: `co` of `example.co.uk`. */
const REGISTRY_LABELS = new Set(
  'ac asn co com edu firm gen go gob gouv gov govt gv id ind lg ltd me mil ne net nhs nic nom or org plc res sch'.split(
    ' ',
  ),
);

/**
 * FROZEN. Returns the part of a host key that decides the slot of the host: its last two labels, or its last three if the domain of a country
 * has a second level such as `co.uk`. An IP address is returned unchanged.
 *
 * This is the registrable domain of nearly every host. The public suffix list itself is not used, because it changes: two workers with
 * different versions of the list would place a host in different slots, and the stored entries of the host would not be found any more.
 */
export function domainKeyOf(host: HostKey): string {
  if (host.startsWith('[') || IPV4.test(host)) return host;
  // An empty first label is the root of a host that ends with a dot.
  const start = host.startsWith('.') ? 1 : 0;
  const first = host.indexOf('.', start);
  if (first < 0) return host.slice(start);
  let end = host.indexOf('.', first + 1);
  const isCountry = first - start === 2;
  if (end >= 0 && isCountry && REGISTRY_LABELS.has(host.slice(first + 1, end))) end = host.indexOf('.', end + 1);
  return end < 0 ? host.slice(start) : host.slice(start, end);
}

/**
 * Returns the partition of a group, from 0 to `partitions` - 1. The result never changes, and is the same on every machine. The hash is
 * Java's `String.hashCode` with the sign bit cleared, as in Apache Nutch, so Nutch and webcrawl give the same partitions.
 * @throws CrawlError BAD_SETTING if `partitions` is not a whole number above 0
 */
export function partitionOf(group: string, partitions: number): number {
  if (!Number.isSafeInteger(partitions) || partitions < 1) {
    throw new CrawlError('BAD_SETTING', `expected a whole number of partitions above 0, found ${partitions}`);
  }
  let hash = 0;
  for (let i = 0; i < group.length; i++) hash = (Math.imul(hash, 31) + group.charCodeAt(i)) | 0;
  return (hash & 0x7fffffff) % partitions;
}
