import { domainRanges, domainOf } from '../../core/index.js';
import { addWorth, mergeWorth, noWorth, type Judged, type Worth, type WorthTally } from './worth.js';

/** The value of the pages of a domain. */
export interface DomainWorth extends Worth {
  /** The registrable domain. */
  readonly domain: string;
}

export const MAX_DOMAINS = 1000;

/** Counts the value of the pages of each domain, from rows in key order. Memory does not grow with the number of domains. */
export function createDomainWorth() {
  /**
   * Open domains, which may get more rows. Several domains may be open at a time: in key order, rows of `com.example2` may be between
   * rows of `com.example`.
   */
  let open: { readonly domain: string; readonly end: string; readonly worth: WorthTally }[] = [];
  let best: DomainWorth[] = [];
  let lastHost: string | undefined;
  let current: WorthTally = noWorth();
  const others = noWorth();
  let domains = 0;

  function prune(most: number): void {
    best.sort((a, b) => b.fetched - a.fetched || b.rows - a.rows || (a.domain < b.domain ? -1 : 1));
    for (const each of best.slice(most)) mergeWorth(others, countsOf(each));
    best = best.slice(0, most);
  }

  function closeBefore(key: string): void {
    const closed = open.filter(({ end }) => end <= key);
    if (closed.length === 0) return;
    open = open.filter(({ end }) => end > key);
    for (const { domain, worth } of closed) best.push({ domain, ...worth });
    if (best.length >= 2 * MAX_DOMAINS) prune(MAX_DOMAINS);
  }

  return {
    add(key: string, host: string, row: Judged): void {
      if (host !== lastHost) {
        lastHost = host;
        closeBefore(key);
        const domain = domainOf(host);
        let found = open.find((each) => each.domain === domain);
        if (!found) {
          domains += 1;
          open.push((found = { domain, end: domainRanges(domain)[1].end, worth: noWorth() }));
        }
        current = found.worth;
      }
      addWorth(current, row);
    },

    /** Returns the domains with the most fetched pages, and the sum of all other domains. `number` is the number of all domains. */
    end(): { readonly domains: readonly DomainWorth[]; readonly others: Worth; readonly number: number } {
      for (const { domain, worth } of open) best.push({ domain, ...worth });
      open = [];
      prune(MAX_DOMAINS);
      return { domains: best, others, number: domains };
    },
  };
}

function countsOf({ domain: _, ...worth }: DomainWorth): Worth {
  return worth;
}
