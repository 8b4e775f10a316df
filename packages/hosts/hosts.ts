import {
  chunked,
  domainOf,
  domainRanges,
  hostKeyOf,
  hostKeyOfRow,
  hostOfKey,
  hostRange,
  originOf,
  urlOf,
  type CrawlContext,
  type HostKey,
  type KeyRange,
} from '../core/index.js';
import { CrawlError } from '../errors/index.js';
import {
  HOST_FIELDS,
  addRow,
  addTally,
  figuresOf,
  meanOf,
  newTally,
  type HostFigures,
  type HostState,
  type Tally,
} from './figures.js';
import { createHostStates } from './host-state.js';
import { MAX_HOSTS, type HOST_SORTS } from './host-terms.js';

/**
 * The value by which hosts are sorted. `errors`: failed pages. `mean` and `slowest`: the response times. `requested`: the time of the last
 * request.
 */
export type HostSort = (typeof HOST_SORTS)[number];

/** The hosts to read, and their order. */
export interface HostsOptions {
  /** `domain`: the hosts of a domain are counted together. Default: `host`. */
  readonly by?: 'host' | 'domain';
  /** Only this host; with `by: 'domain'`, only this domain. */
  readonly host?: string;
  /** The order of the hosts, with the highest value first. Default: `host`, the order of the row keys; with `top`, `pages`. */
  readonly sort?: HostSort;
  /** Maximum number of hosts, up to 10,000. Default: no maximum in the order of the row keys, 10,000 in any other order. */
  readonly top?: number;
  /** Called at the end if there are more hosts, with their number. */
  readonly onMore?: (hosts: number) => void;
  readonly signal?: AbortSignal;
}

type Crawl = Pick<CrawlContext, 'tables' | 'settings' | 'clock'>;

interface Counted {
  readonly tally: Tally;
  readonly origins: ReadonlyMap<string, number>;
}

interface Known {
  readonly tally: Tally;
  readonly state: HostState;
}

/** Maximum number of origins of a host whose robots.txt is looked up. A host may have an origin for each port. */
const MAX_ORIGINS = 16;
const HOSTS_PER_READ = 200;

/**
 * Yields the figures of each host, or domain. It reads the hot fields of all rows once, in the order of their keys, and writes nothing.
 * Memory contains the hosts to be sorted; without a sort, a few hundred hosts.
 * @throws CrawlError USAGE for an invalid top, BAD_URL for an invalid host; the reason of `options.signal`
 */
export async function* readHosts(crawl: Crawl, options: HostsOptions = {}): AsyncGenerator<HostFigures> {
  const { by = 'host', host, top, sort = top === undefined ? 'host' : 'pages', onMore, signal } = options;
  const limit = top ?? (sort === 'host' ? Infinity : MAX_HOSTS);
  if (top !== undefined && !(Number.isSafeInteger(top) && top >= 1 && top <= MAX_HOSTS)) {
    throw new CrawlError('USAGE', `expected top from 1 to ${MAX_HOSTS}, found ${String(top)}`);
  }
  const isDomain = by === 'domain';
  const ranges = host === undefined ? undefined : isDomain ? domainRanges(host) : [hostRange(host)];
  const hosts = knownHosts(crawl, countedHosts(crawl, ranges, signal));
  const found = isDomain ? domainsOf(hosts) : hosts;
  let more = 0;
  if (sort === 'host') {
    let shown = 0;
    for await (const { tally, state } of found) {
      shown += 1;
      if (shown <= limit) yield figuresOf(tally, state);
      else more += 1;
    }
  } else {
    const best: HostFigures[] = [];
    for await (const { tally, state } of found) {
      best.push(figuresOf(tally, state));
      if (best.length >= 2 * limit + HOSTS_PER_READ) more += keepBest(best, sort, limit);
    }
    more += keepBest(best, sort, limit);
    yield* best;
  }
  if (more > 0) onMore?.(more);
}

/** @returns the number of removed hosts */
function keepBest(found: HostFigures[], sort: Exclude<HostSort, 'host'>, limit: number): number {
  const valueOf = VALUES[sort];
  // The sort is stable, so hosts with equal values stay in the order of the row keys.
  found.sort((a, b) => valueOf(b) - valueOf(a));
  return found.splice(limit).length;
}

const VALUES: Readonly<Record<Exclude<HostSort, 'host'>, (figures: HostFigures) => number>> = {
  pages: ({ pages }) => pages,
  due: ({ due }) => due,
  errors: ({ errors }) => Object.values(errors).reduce((sum, n) => sum + n, 0),
  bytes: ({ bytes }) => bytes,
  mean: ({ meanMs = -1 }) => meanMs,
  slowest: ({ slowestMs = -1 }) => slowestMs,
  delay: ({ delay }) => delay.seconds,
  requested: ({ lastRequestAt = 0 }) => lastRequestAt,
};

/** Yields the hosts of the ranges, each after its last row was read. */
async function* countedHosts(
  { tables, clock }: Crawl,
  ranges: readonly KeyRange[] | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Counted> {
  const now = clock();
  let key: HostKey | undefined;
  let tally = newTally('');
  let origins = new Map<string, number>();
  for await (const row of tables.pages.scan({ fields: HOST_FIELDS, ...(ranges && { ranges }) })) {
    signal?.throwIfAborted();
    const host = hostKeyOfRow(row.key);
    if (host !== key) {
      if (key !== undefined) yield { tally, origins };
      key = host;
      tally = newTally(hostOfKey(host));
      tally.hosts = 1;
      origins = new Map();
    }
    addRow(tally, row, now);
    const origin = originOf(urlOf(row.key));
    if (origins.has(origin) || origins.size < MAX_ORIGINS) origins.set(origin, (origins.get(origin) ?? 0) + 1);
  }
  if (key !== undefined) yield { tally, origins };
}

async function* knownHosts(crawl: Crawl, hosts: AsyncIterable<Counted>): AsyncGenerator<Known> {
  const statesOf = createHostStates(crawl);
  for await (const some of chunked(hosts, HOSTS_PER_READ)) {
    const states = await statesOf(
      some.map(({ tally, origins }) => ({ host: tally.host, origins, meanMs: meanOf(tally) })),
    );
    for (const [i, { tally }] of some.entries()) yield { tally, state: states[i]! };
  }
}

interface OpenDomain {
  readonly key: HostKey;
  readonly tally: Tally;
  state: HostState;
}

/**
 * Adds up hosts by domain. The hosts come in the order of their keys. Between the hosts of a domain and the domain itself, other domains
 * may come whose keys begin with the key of the domain: `com.example.www`, `com.example2`, `com.example`. Therefore several domains may be
 * open at a time, but never more than a name has characters.
 */
async function* domainsOf(hosts: AsyncIterable<Known>): AsyncGenerator<Known> {
  const open: OpenDomain[] = [];
  for await (const { tally, state } of hosts) {
    const hostKey = hostKeyOf(tally.host);
    while (open.length > 0 && !hostKey.startsWith(open.at(-1)!.key)) yield open.pop()!;
    const registered = domainOf(tally.host);
    // If a host name ends with a dot, its key does not begin with the key of its domain. Then the host counts as a domain of its own.
    const name = hostKey.startsWith(hostKeyOf(registered)) ? registered : tally.host;
    const key = hostKeyOf(name);
    let domain = open.find((each) => each.key === key);
    const { delay, inBackoff } = state;
    if (!domain) {
      domain = { key, tally: newTally(name), state: { delay, inBackoff: 0 } };
      open.push(domain);
    }
    addTally(domain.tally, tally);
    const longest = delay.seconds > domain.state.delay.seconds ? delay : domain.state.delay;
    domain.state = { delay: longest, inBackoff: domain.state.inBackoff + inBackoff };
  }
  while (open.length > 0) yield open.pop()!;
}
