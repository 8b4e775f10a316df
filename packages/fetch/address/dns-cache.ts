import { lookup } from 'node:dns/promises';
import { messageOf, safeText } from '../../errors/index.js';
import { createBoundedCache } from '../../util/index.js';

/** Returns the addresses of a host, the preferred address first. Rejects if the host has none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface LookupCacheOptions {
  /** Returns the milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds for which addresses are cached. Default: 5 minutes. */
  readonly ttl?: number;
  /** Milliseconds for which a failed lookup is cached. Default: 10 seconds. */
  readonly negativeTtl?: number;
  /**
   * Maximum number of addresses in the cache. A host without addresses counts as one address. The default of 40,000 is enough for more than
   * 10,000 hosts.
   */
  readonly maxAddresses?: number;
}

/** Maximum number of addresses for each host. Further addresses are not needed. */
const MAX_ADDRESSES_PER_HOST = 64;

interface Answer {
  readonly addresses: readonly string[];
  /** The reason if there are no addresses. */
  readonly error?: Error;
  readonly since: number;
  readonly until: number;
}

/**
 * Returns a lookup that rejects if the answer of the given lookup is not a list. The given lookup may be JavaScript, whose types no
 * compiler has checked.
 */
export function listLookup(lookup: Lookup): Lookup {
  return async (host) => {
    const answer: unknown = await lookup(host);
    if (Array.isArray(answer)) return answer.filter((address) => typeof address === 'string');
    const found = answer === null ? 'null' : typeof answer;
    throw new TypeError(`expected a list of addresses of ${safeText(host)} from lookup, found ${found}`);
  };
}

/** Caches the answers of a lookup, in bounded memory. If several callers look up a host at the same time, they share one answer. */
export function cachedLookup(lookup: Lookup, options: LookupCacheOptions): Lookup {
  const listed = listLookup(lookup);
  const { clock, ttl = 300_000, negativeTtl = 10_000, maxAddresses = 40_000 } = options;
  const cache = createBoundedCache<Answer>(maxAddresses);
  const underWay = new Map<string, Promise<Answer>>();

  async function ask(host: string): Promise<Answer> {
    let answer: Answer;
    try {
      const addresses = (await listed(host)).slice(0, MAX_ADDRESSES_PER_HOST);
      const now = clock();
      answer = { addresses, since: now, until: now + (addresses.length > 0 ? ttl : negativeTtl) };
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(messageOf(thrown));
      const now = clock();
      answer = { addresses: [], error, since: now, until: now + negativeTtl };
    }
    underWay.delete(host);
    cache.set(host, answer, Math.max(1, answer.addresses.length));
    return answer;
  }

  return async (host) => {
    const now = clock();
    const known = cache.get(host);
    let answer = known && now >= known.since && now < known.until ? known : undefined;
    if (!answer) {
      let asking = underWay.get(host);
      if (!asking) underWay.set(host, (asking = ask(host)));
      answer = await asking;
    }
    if (answer.error) throw answer.error;
    return answer.addresses;
  };
}

/** The resolver of the operating system, which also reads the hosts file. */
export const systemLookup: Lookup = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);
