import { setMaxListeners } from 'node:events';
import { isIP } from 'node:net';
import PQueue from 'p-queue';
import type { SeedReach } from '../../../webtable/index.js';
import { literalOnlyRange, lookupWithin, specialRange } from '../../fetch/index.js';
import type { CrawlContext } from '../context.js';

/** Whether the name of an injected host led to public or private addresses at its first lookup. */
export type FoundReach = Exclude<SeedReach, 'undecided'>;

/**
 * Whether an injected host counts as private without a lookup. These hosts are IP addresses, `localhost`, names that end with `.localhost`,
 * and names of one label.
 */
export function isPrivateName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return host.startsWith('[') || isIP(name) > 0 || !name.includes('.') || name.endsWith('.localhost');
}

/**
 * Looks up whether a host name leads to public or private addresses. Returns undefined if the name has no address now, or the lookup takes
 * longer than `ms` milliseconds.
 */
export async function lookUpReach(
  { lookup }: Pick<CrawlContext, 'lookup'>,
  host: string,
  ms: number,
  signal?: AbortSignal,
): Promise<FoundReach | undefined> {
  let addresses: readonly string[];
  try {
    addresses = await lookupWithin(lookup, host, ms, signal);
  } catch {
    return undefined;
  }
  const isPrivate = (address: string): boolean =>
    specialRange(address) !== undefined && literalOnlyRange(address) === undefined;
  return addresses.some(isPrivate) ? 'private' : 'public';
}

/** Number of names that are looked up at the same time. */
const CONCURRENCY = 16;
/** Maximum milliseconds that one inject spends on all lookups. The first fetch makes the remaining lookups. */
const BUDGET = 2000;

/**
 * Creates a lookup for many hosts. It looks up several hosts at the same time, until the time limit. Names that have no address, or are not
 * looked up by then, are left out. Therefore inject also works on a machine without DNS.
 */
export function createReachLookup(
  crawl: Pick<CrawlContext, 'lookup'>,
  signal?: AbortSignal,
): (hosts: Iterable<string>) => Promise<ReadonlyMap<string, FoundReach>> {
  // Each lookup adds a listener to the signal. Node warns if a signal has more than ten listeners, so a copy without this limit is used.
  const stop = signal && AbortSignal.any([signal]);
  if (stop) setMaxListeners(0, stop);
  let left = BUDGET;
  return async (hosts) => {
    const found = new Map<string, FoundReach>();
    const queue = new PQueue({ concurrency: CONCURRENCY });
    const began = performance.now();
    for (const host of hosts) {
      void queue.add(async () => {
        const rest = left - (performance.now() - began);
        const reach = rest > 0 && !stop?.aborted ? await lookUpReach(crawl, host, rest, stop) : undefined;
        if (reach !== undefined) found.set(host, reach);
      });
    }
    await queue.onIdle();
    left -= performance.now() - began;
    return found;
  };
}
