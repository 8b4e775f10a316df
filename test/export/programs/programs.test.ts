import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportPages, urlOf, type Field } from '../../../packages/webcrawl/internal.js';
import { runs } from '../../support/runs.js';
import { changeRows } from '../../support/stores/put-rows.js';
import { testCrawl } from '../../support/test-crawl.js';
import { madePages } from '../made-table.js';
import { hasPython, python } from './python.js';
import { suiteFolder } from '../../support/files/temp-folder.js';

const READER = fileURLToPath(new URL('read-exports.py', import.meta.url));
const FIELDS = ['title', 'text', 'score', 'fetchedAt', 'outlinks', 'metadata'] as const satisfies readonly Field[];

const PAGES = runs(600, 3000);

const folder = suiteFolder();
beforeAll(async () => {
  await using crawl = await testCrawl(undefined);
  await changeRows(crawl, madePages(PAGES));
  for (const name of ['p.jsonl', 'p.jsonl.gz', 'p.csv', 'p.csv.gz', 'p.parquet']) {
    await exportPages(crawl, { output: join(folder, name), fields: FIELDS, all: true });
  }
  await exportPages(crawl, { output: join(folder, 'parquet'), format: 'parquet', fields: FIELDS, all: true });
  await exportPages(crawl, { output: join(folder, 'hosts'), format: 'hosts', fields: FIELDS, all: true });
});

/** The rows that each reader must find. */
function expectedRows(blank: '' | null) {
  return madePages(PAGES)
    .map(({ key, set }) => ({
      key,
      url: urlOf(key),
      title: set?.title ?? blank,
      text: set?.text ?? blank,
      score: set?.score,
      fetchedAt: set?.fetchedAt ?? null,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

const READERS = [
  ['csv', 'p.csv', 'csv'],
  ['csv', 'p.csv.gz', 'csv'],
  ['pandas-jsonl', 'p.jsonl', 'pandas'],
  ['pandas-jsonl', 'p.jsonl.gz', 'pandas'],
  ['duckdb-jsonl', 'p.jsonl', 'duckdb'],
  ['duckdb-jsonl', 'p.jsonl.gz', 'duckdb'],
  ['duckdb-jsonl', 'hosts/**/*.jsonl', 'duckdb'],
  ['duckdb-csv', 'p.csv', 'duckdb'],
  ['duckdb-parquet', 'p.parquet', 'duckdb'],
  ['duckdb-parquet', 'parquet/*.parquet', 'duckdb'],
  ['pandas-parquet', 'p.parquet', 'pandas'],
  ['pyarrow-parquet', 'p.parquet', 'pyarrow'],
  ['pyarrow-parquet', 'parquet/part-00000.parquet', 'pyarrow'],
] as const;

describe('exports are read by independent programs', () => {
  for (const [reader, path, module] of READERS) {
    it.skipIf(!hasPython(module))(`${reader}: ${path}`, () => {
      const { status, out, errors } = python([READER, reader, join(folder, path)]);
      expect(errors.replaceAll(/^.*Warning.*$/gm, '')).not.toContain('Error');
      expect(status).toBe(0);
      const rows = JSON.parse(out) as { key: string; title: unknown; text: unknown }[];
      // CSV does not distinguish empty from absent.
      const blank = reader === 'csv' ? '' : null;
      const expected = expectedRows(blank);
      const known =
        reader !== 'duckdb-csv'
          ? expected
          : expected.map((row) => ({ ...row, title: row.title || null, text: row.text || null }));
      expect(rows.sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual(known);
    });
  }
});
