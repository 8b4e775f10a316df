import {
  domainRanges,
  hostRange,
  matchesStatus,
  prefixRange,
  urlOf,
  type KeyRange,
  type PageRow,
  type Status,
  filterUrl,
  type CrawlContext,
  type RulesInForce,
} from '../../core/index.js';
import { CrawlError } from '../../errors/index.js';

/**
 * Selects pages to read, remove or export. A page is selected if it meets all given conditions. At most one of host, domain and prefix may
 * be given. A time is in ms since the epoch, or the name of a mark.
 */
export interface PageSelection {
  /** A host such as `www.example.org`, without other hosts of its domain, but with all schemes and ports. */
  readonly host?: string;
  /** A domain such as `example.org`, with every host below it. */
  readonly domain?: string;
  /** The URLs that begin with this text. */
  readonly prefix?: string;
  /** One or several statuses. `fetched` selects every existing page, so it includes rows of status `notmodified`. */
  readonly status?: Status | readonly Status[];
  /** One or several results of the last fetch: a protocol code such as `not_found`, or an HTTP status such as `404`. */
  readonly code?: string | readonly string[];
  /** Selects pages whose last fetch was at this moment or later. */
  readonly fetchedSince?: number | string;
  /** Selects pages whose last fetch was before this moment. Pages that were never fetched are not selected. */
  readonly fetchedBefore?: number | string;
  /** Selects pages that are due before this moment. */
  readonly dueBefore?: number | string;
  /** true: selects only pages that the present URL filters reject, so that generate does not select them. */
  readonly rejected?: boolean;
}

export type SelectionField = 'status' | 'protocolStatus' | 'dueAt' | 'fetchedAt' | 'sitemap';

export interface PageSelector {
  /** The key ranges of the rows. Absent: the whole table. */
  readonly ranges?: readonly KeyRange[];
  readonly fields: readonly SelectionField[];
  matches(row: PageRow<SelectionField>): boolean;
  readonly isWhole: boolean;
}

/**
 * @throws CrawlError USAGE for more than one of host, domain and prefix, or a time that is neither a number nor the name of a mark; BAD_URL
 * for a wrong host or prefix
 */
export async function selectorOf(
  crawl: Pick<CrawlContext, 'tables'>,
  rules: Pick<RulesInForce, 'plugins'>,
  selection: PageSelection,
): Promise<PageSelector> {
  const { rejected = false } = selection;
  const [fetchedSince, fetchedBefore, dueBefore] = await Promise.all(
    (['fetchedSince', 'fetchedBefore', 'dueBefore'] as const).map(async (name) => {
      const moment = selection[name];
      const time = moment === undefined ? undefined : await crawl.tables.changes.timeOf(moment);
      if (time === undefined || Number.isFinite(time)) return time;
      throw new CrawlError('USAGE', `expected ${name} in ms since the epoch, found ${String(time)}`);
    }),
  );
  const ranges = rangesOf(selection);
  const statuses = listOf(selection.status);
  const codes = selection.code === undefined ? undefined : new Set(listOf(selection.code));
  const tests: [readonly SelectionField[], (row: PageRow<SelectionField>) => boolean][] = [];
  if (statuses) tests.push([['status'], ({ status }) => matchesStatus(statuses, status)]);
  if (codes)
    tests.push([
      ['protocolStatus'],
      ({ protocolStatus: found }) => found !== undefined && (codes.has(found.code) || codes.has(String(found.http))),
    ]);
  if (fetchedSince !== undefined) tests.push([['fetchedAt'], ({ fetchedAt = -Infinity }) => fetchedAt >= fetchedSince]);
  if (fetchedBefore !== undefined) tests.push([['fetchedAt'], ({ fetchedAt = Infinity }) => fetchedAt < fetchedBefore]);
  if (dueBefore !== undefined) tests.push([['dueAt'], ({ dueAt = 0 }) => dueAt < dueBefore]);
  // This is the last test, because it takes longest.
  if (rejected) tests.push([['sitemap'], (row) => !filterUrl(rules.plugins, urlOf(row.key), 'generate', row).accepted]);
  return {
    ...(ranges && { ranges }),
    fields: [...new Set(tests.flatMap(([fields]) => fields))],
    matches: (row) => tests.every(([, holds]) => holds(row)),
    isWhole: !ranges && tests.length === 0,
  };
}

function listOf<T extends string>(given: T | readonly T[] | undefined): readonly T[] | undefined {
  return typeof given === 'string' ? [given] : given;
}

function rangesOf({ host, domain, prefix }: PageSelection): readonly KeyRange[] | undefined {
  if ([host, domain, prefix].filter((range) => range !== undefined).length > 1) {
    throw new CrawlError('USAGE', 'expected at most one of host, domain and prefix, found more');
  }
  if (host !== undefined) return [hostRange(host)];
  if (domain !== undefined) return domainRanges(domain);
  return prefix === undefined ? undefined : [prefixRange(prefix)];
}
