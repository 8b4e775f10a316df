import { domainRanges, hostRange, prefixRange, urlOf, type KeyRange, type PageRow } from '../../../webtable/index.js';
import type { Status } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import { filterUrl } from '../../plugin-api/index.js';
import type { CrawlContext } from '../context.js';

/**
 * Which pages to read, remove or export. A page is selected when all that is given holds for it; of host, domain and
 * prefix at most one may be given. Times are ms since the epoch.
 */
export interface PageSelection {
  /** `www.example.org`: this host alone, all schemes and ports. */
  readonly host?: string;
  /** `example.org`: the domain and every host below it. */
  readonly domain?: string;
  /** A URL that the others begin with. */
  readonly prefix?: string;
  /** One of these. */
  readonly status?: Status | readonly Status[];
  /** How the last fetch ended, one of these: a protocol code such as `not_found`, or an HTTP status such as `404`. */
  readonly code?: string | readonly string[];
  /** Last fetched at this moment or later. */
  readonly fetchedSince?: number;
  /** Last fetched before this moment; a page that was never fetched is not. */
  readonly fetchedBefore?: number;
  /** Due before this moment. */
  readonly dueBefore?: number;
  /** true: only pages that the URL filters in force would not let generate select. */
  readonly rejected?: boolean;
}

/** The fields by which pages are selected. */
export type SelectionField = 'status' | 'protocolStatus' | 'dueAt' | 'fetchedAt' | 'sitemap';

/** A selection, checked and ready to be used. */
export interface PageSelector {
  /** Where the rows are; absent for the whole table. */
  readonly ranges?: readonly KeyRange[];
  /** What {@link matches} looks at. */
  readonly fields: readonly SelectionField[];
  /** Whether a row in the ranges is selected. */
  matches(row: PageRow<SelectionField>): boolean;
  /** Nothing narrows it: every row is selected. */
  readonly isWhole: boolean;
}

/**
 * Checks a selection.
 * @throws CrawlError USAGE for more than one of host, domain and prefix, or a time that is no number; BAD_URL for a host or
 *   prefix that cannot be one
 */
export function selectorOf(crawl: Pick<CrawlContext, 'plugins'>, selection: PageSelection): PageSelector {
  const { fetchedSince, fetchedBefore, dueBefore, rejected = false } = selection;
  for (const [name, time] of Object.entries({ fetchedSince, fetchedBefore, dueBefore })) {
    if (time === undefined || Number.isFinite(time)) continue;
    throw new CrawlError('USAGE', `expected ${name} in ms since the epoch, found ${String(time)}`);
  }
  const ranges = rangesOf(selection);
  const statuses = setOf(selection.status);
  const codes = setOf(selection.code);
  const tests: [readonly SelectionField[], (row: PageRow<SelectionField>) => boolean][] = [];
  if (statuses) tests.push([['status'], ({ status = '' }) => statuses.has(status)]);
  if (codes)
    tests.push([
      ['protocolStatus'],
      ({ protocolStatus: found }) => found !== undefined && (codes.has(found.code) || codes.has(String(found.http))),
    ]);
  if (fetchedSince !== undefined) tests.push([['fetchedAt'], ({ fetchedAt = -Infinity }) => fetchedAt >= fetchedSince]);
  if (fetchedBefore !== undefined) tests.push([['fetchedAt'], ({ fetchedAt = Infinity }) => fetchedAt < fetchedBefore]);
  if (dueBefore !== undefined) tests.push([['dueAt'], ({ dueAt = 0 }) => dueAt < dueBefore]);
  // Last, because it is the dearest.
  if (rejected) tests.push([['sitemap'], (row) => !filterUrl(crawl.plugins, urlOf(row.key), 'generate', row).accepted]);
  return {
    ...(ranges && { ranges }),
    fields: [...new Set(tests.flatMap(([fields]) => fields))],
    matches: (row) => tests.every(([, holds]) => holds(row)),
    isWhole: !ranges && tests.length === 0,
  };
}

function setOf(given: string | readonly string[] | undefined): ReadonlySet<string> | undefined {
  return given === undefined ? undefined : new Set(typeof given === 'string' ? [given] : given);
}

function rangesOf({ host, domain, prefix }: PageSelection): readonly KeyRange[] | undefined {
  if ([host, domain, prefix].filter((range) => range !== undefined).length > 1) {
    throw new CrawlError('USAGE', 'expected at most one of host, domain and prefix, found more');
  }
  if (host !== undefined) return [hostRange(host)];
  if (domain !== undefined) return domainRanges(domain);
  return prefix === undefined ? undefined : [prefixRange(prefix)];
}
