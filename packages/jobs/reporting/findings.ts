import { originOf } from '../../url/index.js';
import type { Count } from './counters.js';
import { createSessionIds } from './session-ids.js';

/** An origin (scheme, host and port) that gave no answer. Plain data that JSON can hold. The URL of the origin is untrusted text. */
export interface FailedOrigin {
  readonly origin: string;
  /** The reason, as the protocol code of the last failed page: `connect_failed`, `dns_failed`, `timeout`, … */
  readonly code: string;
  /** Number of pages that failed because the origin gave no answer. */
  readonly pages: number;
}

/** A part of a site that has most of the pages of a run, and may be endless. Plain data that JSON can hold. It has untrusted text. */
export interface LargeSection {
  /**
   * The common prefix of the URLs, up to the first segment of the path: `https://example.com/calendar`. With `sessionIds`: the origin of the
   * URLs.
   */
  readonly prefix: string;
  /** Number of pages with this prefix, or a little less. */
  readonly pages: number;
  /** Number of all pages that the run fetched. */
  readonly of: number;
  /**
   * Set if the pages are few pages under many URLs: `parameters` are names in the query or path whose values look random, and `addresses` is
   * the number of different URLs without them.
   */
  readonly sessionIds?: { readonly parameters: readonly string[]; readonly addresses: number };
}

/** What people should know about a run, in addition to its counters. */
export interface Findings {
  /** Origins that gave no answer: at most 10, those with the most failed pages first. */
  readonly failedOrigins?: readonly FailedOrigin[];
  /**
   * The section with at least four fifths of the fetched pages, or the origin with as many pages that differ only in session ids. Absent if
   * there is neither, if the section has a seed, or if fewer than 200 pages were fetched.
   */
  readonly largeSection?: LargeSection;
  /** The first page of each counter of failed pages, and of `needs_scripts`, by the name of the counter. URLs are untrusted. */
  readonly examples?: Readonly<Record<string, string>>;
  /**
   * Forms with a password to which pages redirect, at most 3; `pages` is the number of these pages. Targets that differ only in the query are
   * one form, and `url` is the first of them. URLs are untrusted. Only in the report of a crawl.
   */
  readonly loginForms?: readonly { readonly url: string; readonly pages: number }[];
}

/** Maximum number of remembered origins, and of remembered sections with seeds. */
const MAX_ORIGINS = 10_000;
/** Maximum number of origins in a report. */
const SHOWN = 10;
/** Maximum number of sections that are counted at the same time. */
const MAX_SECTIONS = 256;
const LARGE_SHARE = 0.8;
const MIN_PAGES = 200;
/** Maximum number of counters with an example, and of remembered targets of redirects. */
const MAX_EXAMPLES = 100;

/** Collects the findings of a run of a fetcher, in bounded memory. */
export type FindingsOfRun = ReturnType<typeof createFindings>;

export function createFindings() {
  const origins = new Map<string, { code: string; pages: number }>();
  /** A lower bound for the number of pages of a section, by prefix. The map has every section with more than a 256th of all pages. */
  const sections = new Map<string, number>();
  /** Sections with a seed. They are not reported, because the operator asked for them. */
  const ofSeeds = new Set<string>();
  const sessionIds = createSessionIds();
  const examples = new Map<string, string>();
  const targets = new Map<string, { readonly url: string; pages: number }>();
  let pages = 0;

  function largeSection(): LargeSection | undefined {
    if (pages < MIN_PAGES) return undefined;
    const repeated = sessionIds.find(LARGE_SHARE * pages);
    if (repeated) return { prefix: repeated.prefix, pages: repeated.pages, of: pages, sessionIds: repeated.sessionIds };
    for (const [prefix, found] of sections) {
      if (found >= LARGE_SHARE * pages && !ofSeeds.has(prefix)) return { prefix, pages: found, of: pages };
    }
    return undefined;
  }

  function addSeed(url: string): void {
    const prefix = sectionOf(url);
    if (prefix !== undefined && ofSeeds.size < MAX_ORIGINS) ofSeeds.add(prefix);
  }

  return {
    /** Records a seed, even if it is not fetched in this run. */
    addSeed,
    /**
     * Records that a page was fetched, with any outcome.
     * @param isSeed whether the page is a seed, or the target of a seed's redirect
     */
    fetched(url: string, isSeed: boolean): void {
      pages += 1;
      sessionIds.fetched(url);
      const prefix = sectionOf(url);
      if (prefix === undefined) return;
      if (isSeed) addSeed(url);
      const known = sections.get(prefix);
      if (known !== undefined || sections.size < MAX_SECTIONS) sections.set(prefix, (known ?? 0) + 1);
      else {
        for (const [other, found] of sections) {
          if (found === 1) sections.delete(other);
          else sections.set(other, found - 1);
        }
      }
    },
    /** Records that a page failed because its origin gave no answer. At most ten thousand origins are recorded. */
    noAnswer(url: string, code: string): void {
      const origin = originOf(url);
      const known = origins.get(origin);
      if (!known && origins.size >= MAX_ORIGINS) return;
      origins.set(origin, { code, pages: (known?.pages ?? 0) + 1 });
    },
    /** Records a page that was counted under a name. Only the first page of each name is kept. */
    example(name: string, url: string): void {
      if (!examples.has(name) && examples.size < MAX_EXAMPLES) examples.set(name, url);
    },
    /** Records that a page redirects to a URL. The query may name the page, as in `/login?next=/members/`. */
    redirected(url: string): void {
      const [place = ''] = url.split('?', 1);
      const known = targets.get(place);
      if (known) known.pages += 1;
      else if (targets.size < MAX_EXAMPLES) targets.set(place, { url, pages: 1 });
    },
    /** Returns the targets of redirects, those of the most pages first. Only the first targets of the run are known. */
    redirectTargets: () => [...targets.values()].sort((a, b) => b.pages - a.pages),
    largeSection,
    /** Returns the findings for a report, and counts the failed origins. */
    report(count: Count): Findings {
      if (origins.size > 0) count('origins_failed', origins.size);
      const failedOrigins = [...origins]
        .map(([origin, failed]): FailedOrigin => ({ origin, ...failed }))
        .sort((a, b) => b.pages - a.pages)
        .slice(0, SHOWN);
      const large = largeSection();
      return {
        ...(failedOrigins.length > 0 && { failedOrigins }),
        ...(large && { largeSection: large }),
        ...(examples.size > 0 && { examples: Object.fromEntries(examples) }),
      };
    },
  };
}

/** Returns a URL up to the end of the first segment of its path. Returns undefined for the root of a site. */
function sectionOf(url: string): string | undefined {
  const path = originOf(url).length + 1;
  const rest = url.slice(path).search(/[/?#]/);
  const end = rest < 0 ? url.length : path + rest;
  return end === path ? undefined : url.slice(0, end);
}
