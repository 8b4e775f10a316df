import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { exportChunks, exportKrake, exportPages, exportWacz, exportWarc } from '../../../packages/webcrawl/internal.js';
import { endingOf } from '../../../packages/export/target/file-name.js';
import { withTable } from '../../support/export/archive-table.js';

test.each([
  ['pages.jsonl', 'jsonl'],
  ['a/b.c/PAGES.CSV.GZ', 'csv'],
  ['s3://bucket/pages.gz', 'gz'],
  ['archive.warc.gz', 'warc'],
  ['example.net', undefined],
  ['exports.csv/pages', undefined],
  ['archive.zip/', undefined],
  ['.csv', undefined],
  ['2026.01', undefined],
])('%s ends in %s', (output, ending) => {
  expect(endingOf(output)).toBe(ending);
});

test('a name that contradicts the format is rejected, and nothing is created', async () => {
  await withTable(async (crawl, folder) => {
    const runs = [
      ['x.warc.gz', exportWarc, 'the name of a folder'],
      ['x.bin', exportKrake, 'the name of a folder'],
      ['x.warc.gz', exportWacz, 'a name that ends in .wacz'],
      ['x.parquet', exportChunks, 'a name that ends in .jsonl'],
    ] as const;
    for (const [name, run, wanted] of runs) {
      await expect(run(crawl, { output: `${folder}/${name}` })).rejects.toMatchObject({
        code: 'USAGE',
        message: `expected ${wanted} as output, found ${folder}/${name}`,
      });
    }
    for (const name of ['x.zip', 'x.md']) {
      await expect(exportPages(crawl, { output: `${folder}/${name}` })).rejects.toMatchObject({
        code: 'USAGE',
        message: `expected a name that ends in .jsonl, .csv, .xlsx or .parquet, found ${folder}/${name}`,
        hint: expect.stringContaining('format markdown') as string,
      });
    }
    for (const [name, format] of [
      ['p.csv', 'parquet'],
      ['h.jsonl', 'hosts'],
      ['p.parquet', 'csv'],
      ['p.xlsx', 'csv'],
      ['p.csv', 'xlsx'],
    ] as const) {
      await expect(exportPages(crawl, { output: `${folder}/${name}`, format })).rejects.toMatchObject({
        code: 'USAGE',
      });
    }
    expect((await readdir(folder)).filter((name) => /^\.?[xph]\./.test(name))).toEqual([]);
  });
});
