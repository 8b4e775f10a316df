import { rowKeyOf, type PageChange, type Tables } from '../../../webtable/index.js';
import { START, type TestCrawl } from '../test-crawl.js';

/** A row for a test: by default unfetched, due at the start and of score 1. */
export interface GivenRow {
  readonly url: string;
  readonly score?: number;
  readonly dueAt?: number;
  readonly status?: 'unfetched' | 'fetched' | 'gone';
  readonly distance?: number;
  /** The batch that holds it. */
  readonly generate?: string;
}

/** Writes rows and their entries in the frontier. */
export async function putRows(crawl: TestCrawl, rows: readonly GivenRow[]): Promise<void> {
  const changes = rows.map(({ url, generate, ...fields }) => ({
    key: rowKeyOf(url),
    set: { status: 'unfetched' as const, dueAt: START, score: 1, cash: 0.5, ...fields },
    ...(generate !== undefined && { marks: { generate } }),
  }));
  await changeRows(crawl, changes);
}

/** Changes rows and their entries in the frontier. */
export async function changeRows(
  { tables }: { readonly tables: Tables },
  changes: readonly PageChange[],
  now = START,
): Promise<void> {
  const keys = changes.map(({ key }) => key);
  await tables.changeRows(keys, [], now, () => changes);
}

/** The keys of the rows that a batch holds. */
export async function heldBy({ tables }: { readonly tables: Tables }, batchId: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key, marks } of tables.pages.scan({ fields: ['marks'] }))
    if (marks?.generate === batchId) keys.push(key);
  return keys;
}

/** Gives rows another score or due time, as updatedb would: the result of `change` for each row, if there is one. */
export async function changeEachRow(
  crawl: TestCrawl,
  change: () => { readonly score?: number; readonly dueAt?: number } | undefined,
): Promise<void> {
  for await (const { key } of crawl.tables.pages.scan({ fields: ['status'] })) {
    const set = change();
    if (set) await changeRows(crawl, [{ key, set }], crawl.clock());
  }
}
