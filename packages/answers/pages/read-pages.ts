import { urlOf, type Field, type Page, type PageRow, type CrawlContext, rulesNow } from '../../core/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import { selectorOf, type PageSelection, type PageSelector } from './page-selection.js';
import { MAX_SORTED, SORT_FIELDS, parseOrder, type ParsedOrder, type SortOrder, type SortField } from './dump-terms.js';

/** The pages to read, their maximum number, and their order. */
export interface PageQuery extends PageSelection {
  /** Maximum number of pages. */
  readonly limit?: number;
  /**
   * A field to sort by, such as `score`; the highest value comes first. Equal pages are in key order, and pages without the field come
   * last. Of a text, only the first 200 characters are compared. A sort needs a `limit` of at most {@link MAX_SORTED}, because the keys of
   * the pages are in memory. Absent: key order.
   */
  readonly sort?: SortOrder;
}

/** A page in the form that {@link readPages} returns. */
export type FoundPage<F extends keyof Page> = PageRow<F | 'status'> & { readonly url: string };

/** Small, because each page may have a body. */
const ROWS_PER_READ = 20;

type Crawl = Pick<CrawlContext, 'tables' | 'plugins' | 'rules'>;

/**
 * Reads the pages of a selection, with their status and the given fields. All fields of a page are of the same moment. In key order, pages
 * are returned while the table is read. Sorted pages are returned after the table was read.
 * @throws CrawlError USAGE for a limit below 1, a sort without a limit, a limit above {@link MAX_SORTED} with a sort, and a wrong
 * {@link PageSelection}; BAD_URL for a wrong host or prefix
 */
export async function* readPages<F extends Field>(
  crawl: Crawl,
  query: PageQuery,
  fields: readonly F[],
): AsyncGenerator<FoundPage<F>> {
  checkQuery(query);
  const selector = await selectorOf(crawl, await rulesNow(crawl), query);
  const asked = new Set<Field>(['status', ...fields]);
  const extra = selector.fields.filter((field) => !asked.has(field));
  for await (const row of rowsInOrder(crawl, selector, query, [...asked])) yield pageOf<F>(row, extra);
}

export interface RowTest extends Pick<PageSelector, 'ranges'> {
  readonly fields: readonly Field[];
  matches(row: PageRow<Field>): boolean | Promise<boolean>;
  readonly isAborted?: () => boolean;
}

/**
 * Yields at most `limit` rows that pass a test, in key order or sorted. The rows have the given fields, and the fields that the test reads.
 * With a sort, the test is called twice for a row.
 */
export async function* rowsInOrder(
  crawl: Pick<CrawlContext, 'tables'>,
  selector: RowTest,
  { limit = Infinity, sort }: Pick<PageQuery, 'limit' | 'sort'>,
  fields: readonly Field[],
): AsyncGenerator<PageRow<Field>> {
  const read = [...new Set<Field>([...fields, ...selector.fields])];
  const order = sort && parseOrder(sort);
  const rows = order ? sortedRows(crawl, selector, order, limit, read) : scanRows(crawl, selector, read);
  let left = limit;
  for await (const row of rows) {
    yield row;
    left -= 1;
    if (left === 0) return;
  }
}

/** @throws CrawlError USAGE as {@link readPages} */
export function checkQuery({ limit, sort }: Pick<PageQuery, 'limit' | 'sort'>): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1)) {
    throw new CrawlError('USAGE', `expected a limit that is a whole number of at least 1, found ${String(limit)}`);
  }
  if (sort === undefined) return;
  if (!parseOrder(sort)) {
    const found = safeText(String(sort), 80);
    throw new CrawlError('USAGE', `expected a sort by one of ${SORT_FIELDS.join(', ')}, found "${found}"`, {
      hint: 'append :asc or :desc for the order',
    });
  }
  if (limit === undefined || limit > MAX_SORTED) {
    const found = limit === undefined ? 'none' : String(limit);
    throw new CrawlError('USAGE', `expected a limit of at most ${MAX_SORTED} with a sort, found ${found}`, {
      hint: 'the keys of sorted pages are in memory; without a sort, pages come in key order, and the limit may be higher',
    });
  }
}

async function* scanRows(
  crawl: Pick<CrawlContext, 'tables'>,
  { ranges, matches, isAborted }: RowTest,
  fields: readonly Field[],
) {
  if (ranges?.length === 0) return;
  for await (const row of crawl.tables.pages.scan({ fields, ...(ranges && { ranges }) })) {
    if (isAborted?.()) return;
    if (await matches(row)) yield row;
  }
}

/** Yields the first rows of an order. First their keys are found and sorted. Then the rows are read again, in their present state. */
async function* sortedRows(
  crawl: Pick<CrawlContext, 'tables'>,
  selector: RowTest,
  order: ParsedOrder,
  limit: number,
  fields: readonly Field[],
) {
  const keys = await sortedKeys(scanRows(crawl, selector, [order.field, 'status', ...selector.fields]), order, limit);
  for (let at = 0; at < keys.length; at += ROWS_PER_READ) {
    const some = keys.slice(at, at + ROWS_PER_READ);
    for (const row of await crawl.tables.pages.getMany(some, fields))
      if (row && (await selector.matches(row))) yield row;
  }
}

function pageOf<F extends Field>(row: PageRow<Field>, extra: readonly Field[]): FoundPage<F> {
  const page: Record<string, unknown> = { ...row, url: urlOf(row.key) };
  for (const field of extra) delete page[field];
  return page as unknown as FoundPage<F>;
}

const COMPARED_CHARACTERS = 200;

interface Ranked {
  readonly value: string | number | undefined;
  readonly key: string;
}

/**
 * Returns the keys of the first `limit` rows in an order. Equal rows are in key order, and rows without the field come last. At most twice
 * `limit` keys are in memory.
 */
async function sortedKeys(
  rows: AsyncIterable<PageRow<SortField>>,
  { field, direction }: ParsedOrder,
  limit: number,
): Promise<readonly string[]> {
  const isBefore = (a: Ranked, b: Ranked): boolean => {
    if (a.value === b.value) return a.key < b.key;
    if (a.value === undefined || b.value === undefined) return b.value === undefined;
    const isLess = a.value < b.value;
    return (direction ?? (typeof a.value === 'string' ? 'asc' : 'desc')) === 'asc' ? isLess : !isLess;
  };
  let first: Ranked[] = [];
  let last: Ranked | undefined;
  const cut = (): void => {
    first = first.sort((a, b) => (isBefore(a, b) ? -1 : 1)).slice(0, limit);
    last = first[limit - 1];
  };
  for await (const row of rows) {
    const found = row[field];
    const ranked = { value: typeof found === 'string' ? found.slice(0, COMPARED_CHARACTERS) : found, key: row.key };
    if (last && isBefore(last, ranked)) continue;
    first.push(ranked);
    if (first.length >= 2 * limit) cut();
  }
  cut();
  return first.map(({ key }) => key);
}
