import { lookup } from 'node:dns/promises';
import { messageOf } from '../../errors/index.js';
import { createBoundedCache } from '../../util/index.js';

/** The addresses of a host, the preferred first; rejects where there are none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface LookupCacheOptions {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Milliseconds that addresses are used. Default: 5 minutes. */
  readonly ttl?: number;
  /** Milliseconds that a failure is kept. Default: 10 seconds. */
  readonly negativeTtl?: number;
  /** Addresses held; a host without any counts as one. Default: 40,000, which is more than 10,000 hosts. */
  readonly maxAddresses?: number;
}

/** More addresses of one host are not of use. */
const MAX_ADDRESSES_PER_HOST = 64;

interface Answer {
  readonly addresses: readonly string[];
  /** Why there are none. */
  readonly error?: Error;
  readonly since: number;
  readonly until: number;
}

/** Remembers what a lookup answers, within bounds. Callers who ask for a host while it is looked up share the answer. */
export function cachedLookup(lookup: Lookup, options: LookupCacheOptions): Lookup {
  const { clock, ttl = 300_000, negativeTtl = 10_000, maxAddresses = 40_000 } = options;
  const cache = createBoundedCache<Answer>(maxAddresses);
  const underWay = new Map<string, Promise<Answer>>();

  async function ask(host: string): Promise<Answer> {
    let answer: Answer;
    try {
      const addresses = (await lookup(host)).slice(0, MAX_ADDRESSES_PER_HOST);
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

/** The system's resolver, which reads its hosts file too. */
export const systemLookup: Lookup = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);
