import { FRONTIER_FIELDS, rowKeyOf, writeIndexed } from '../../webtable/index.js';
import { START, type TestCrawl } from './test-crawl.js';

/** A row for a test: unfetched, due at the start and of score 1 unless it says otherwise. */
export interface GivenRow {
  readonly url: string;
  readonly score?: number;
  readonly dueAt?: number;
  readonly status?: 'unfetched' | 'fetched' | 'gone';
  readonly distance?: number;
  /** The batch that holds it. */
  readonly generate?: string;
}

/** Writes rows and their entries in the frontier, as new ones. */
export async function putRows(crawl: TestCrawl, rows: readonly GivenRow[]): Promise<void> {
  await writeIndexed(
    crawl.table,
    rows.map(({ url, generate, ...cells }) => ({
      before: undefined,
      change: {
        key: rowKeyOf(url),
        set: { status: 'unfetched', dueAt: START, score: 1, cash: 0.5, ...cells },
        ...(generate !== undefined && { marks: { generate } }),
      },
    })),
    { now: START, lockExpiry: crawl.settings.generate.lockExpiry * 1000 },
  );
}

/** Gives rows another score or due time, as updatedb would: what `change` returns for each, where it returns anything. */
export async function changeRows(
  crawl: TestCrawl,
  change: () => { readonly score?: number; readonly dueAt?: number } | undefined,
): Promise<void> {
  const clock = { now: crawl.clock(), lockExpiry: crawl.settings.generate.lockExpiry * 1000 };
  for await (const row of crawl.table.scan({ fields: FRONTIER_FIELDS })) {
    const set = change();
    if (set) await writeIndexed(crawl.table, [{ before: row, change: { key: row.key, set } }], clock);
  }
}
