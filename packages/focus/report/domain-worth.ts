import { domainRanges } from '../../../webtable/index.js';
import { domainOf } from '../../url/index.js';
import { addWorth, mergeWorth, noWorth, type Judged, type Worth, type WorthTally } from './worth.js';

/** What the pages of a domain are worth. */
export interface DomainWorth extends Worth {
  /** The registrable domain. */
  readonly domain: string;
}

/** Domains that are told apart: those of which most was fetched. */
export const MOST_DOMAINS = 1000;

/** What the pages of each domain are worth, of rows in key order. Its memory does not grow with the domains. */
export function createDomainWorth() {
  /** Domains of which rows may still come: those of `com.example` are before and behind those of `com.example2`. */
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
    if (best.length >= 2 * MOST_DOMAINS) prune(MOST_DOMAINS);
  }

  return {
    /** @param host of the row */
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

    /** The domains of which most was fetched, and all others together. */
    end(): { readonly domains: readonly DomainWorth[]; readonly others: Worth; readonly number: number } {
      for (const { domain, worth } of open) best.push({ domain, ...worth });
      open = [];
      prune(MOST_DOMAINS);
      return { domains: best, others, number: domains };
    },
  };
}

function countsOf({ domain: _, ...worth }: DomainWorth): Worth {
  return worth;
}
