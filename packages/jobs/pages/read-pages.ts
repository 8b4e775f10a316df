import { urlOf, type Field, type PageRow } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import type { CrawlContext } from '../context.js';
import { withRules } from '../rules/with-rules.js';
import { isBefore, type Place } from '../selection/place.js';
import { selectorOf, type PageSelection, type PageSelector } from './page-selection.js';
import { MAX_SORTED } from './dump-terms.js';

/** Which pages to read, how many at the most, and in which order. */
export interface PageQuery extends PageSelection {
  /** Pages at the most. */
  readonly limit?: number;
  /**
   * `score`: the best first, of equal ones in key order. It takes a `limit` of at most {@link MAX_SORTED}, since the keys of
   * so many pages are held in memory. Absent: key order.
   */
  readonly sort?: 'score';
}

/** A page as {@link readPages} gives it. */
export type FoundPage<F extends Field> = PageRow<F | 'status'> & { readonly url: string };

/** Pages read at a time where they come by their keys; each may have a body. */
const ROWS_AT_ONCE = 20;

type Crawl = Pick<CrawlContext, 'tables' | 'plugins' | 'rules'>;

/**
 * The pages of a selection, each whole as of one moment, with their status and the fields asked for. In key order the
 * pages come while the table is read; sorted, after it was.
 * @throws CrawlError USAGE for a limit below 1, a sort without a limit or with one beyond {@link MAX_SORTED}, and as
 *   {@link PageSelection} says; BAD_URL for a host or prefix that cannot be one
 */
export async function* readPages<F extends Field>(
  crawl: Crawl,
  query: PageQuery,
  fields: readonly F[],
): AsyncGenerator<FoundPage<F>> {
  const { limit = Infinity, sort } = query;
  checkQuery(query);
  const selector = selectorOf(await withRules(crawl), query);
  const asked = new Set<Field>(['status', ...fields]);
  const read = [...new Set<Field>([...asked, ...selector.fields])];
  const rows = sort ? bestRows(crawl, selector, limit, read) : scanRows(crawl, selector, read);
  const extra = read.filter((field) => !asked.has(field));
  let left = limit;
  for await (const row of rows) {
    yield pageOf<F>(row, extra);
    left -= 1;
    if (left === 0) return;
  }
}

function checkQuery({ limit, sort }: PageQuery): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw new CrawlError('USAGE', `expected a limit that is a whole number of at least 1, found ${String(limit)}`);
  }
  if (sort === undefined) return;
  if (sort !== 'score') throw new CrawlError('USAGE', `expected a sort by score, found "${String(sort)}"`);
  if (limit === undefined || limit > MAX_SORTED) {
    const found = limit === undefined ? 'none' : String(limit);
    throw new CrawlError('USAGE', `expected a limit of at most ${MAX_SORTED} with a sort by score, found ${found}`, {
      hint: 'the pages that are sorted are held in memory; without a sort they come in key order, as many as there are',
    });
  }
}

async function* scanRows(crawl: Crawl, selector: PageSelector, fields: readonly Field[]) {
  const { ranges, matches } = selector;
  for await (const row of crawl.tables.pages.scan({ fields, ...(ranges && { ranges }) })) if (matches(row)) yield row;
}

/** The best rows: their keys are found first, then the rows are read anew, as they are by then. */
async function* bestRows(crawl: Crawl, selector: PageSelector, limit: number, fields: readonly Field[]) {
  const scores = scanRows(crawl, selector, ['score', ...selector.fields]);
  const best = await bestPlaces(scores, limit);
  for (let at = 0; at < best.length; at += ROWS_AT_ONCE) {
    const keys = best.slice(at, at + ROWS_AT_ONCE).map(({ rowKey }) => rowKey);
    for (const row of await crawl.tables.pages.getMany(keys, fields)) if (row && selector.matches(row)) yield row;
  }
}

/** The first `limit` places; twice as many are held at the most. */
async function bestPlaces(rows: AsyncIterable<PageRow<Field>>, limit: number): Promise<readonly Place[]> {
  let best: Place[] = [];
  let worst: Place | undefined;
  const cut = (): void => {
    best = best.sort((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, limit);
    worst = best[limit - 1];
  };
  for await (const { key, score = 0 } of rows) {
    const place = { score, rowKey: key };
    if (worst && isBefore(worst, place)) continue;
    best.push(place);
    if (best.length >= 2 * limit) cut();
  }
  cut();
  return best;
}

function pageOf<F extends Field>(row: PageRow<Field>, extra: readonly Field[]): FoundPage<F> {
  const page: Record<string, unknown> = { ...row, url: urlOf(row.key) };
  for (const field of extra) delete page[field];
  return page as unknown as FoundPage<F>;
}
