import { rowKeyOf, writeIndexed } from '../../webtable/index.js';
import { START, type TestCrawl } from './test-crawl.js';

/** A row for a test: unfetched, due at the start and of score 1 unless it says otherwise. */
export interface GivenRow {
  readonly url: string;
  readonly score?: number;
  readonly dueAt?: number;
  readonly status?: 'unfetched' | 'fetched' | 'gone';
  readonly distance?: number;
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
