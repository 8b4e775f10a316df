import { setMaxListeners } from 'node:events';
import { isIP } from 'node:net';
import PQueue from 'p-queue';
import type { SeedReach } from '../../../webtable/index.js';
import { literalOnlyRange, lookupWithin, specialRange } from '../../fetch/index.js';
import type { CrawlContext } from '../context.js';

/** What the name of a host that was injected led to when it was first looked up. */
export type FoundReach = Exclude<SeedReach, 'undecided'>;

/**
 * Whether a host is private by its name alone: an IP address, `localhost` and names below it, or a name of one label. No
 * lookup says anything else about it.
 */
export function isPrivateName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return host.startsWith('[') || isIP(name) > 0 || !name.includes('.') || name.endsWith('.localhost');
}

/** What a host name leads to; undefined where it has no address now, or not within `ms` milliseconds. */
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

/** Names that are looked up at one time. */
const CONCURRENCY = 16;
/** Milliseconds that one inject may spend on lookups in all; what is not known then is left to the first fetch. */
const BUDGET = 2000;

/**
 * Looks up what hosts lead to, some at a time, until the time for it is over. Of hosts that are not answered then, and of
 * names without an address, it says nothing, so that a machine without DNS injects all the same.
 */
export function createReachLookup(
  crawl: Pick<CrawlContext, 'lookup'>,
  signal?: AbortSignal,
): (hosts: Iterable<string>) => Promise<ReadonlyMap<string, FoundReach>> {
  // Each lookup listens, and Node warns of more than ten listeners on one signal.
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
