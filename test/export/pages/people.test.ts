import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { exportPages, jobs, type ExportPagesOptions } from '../../../packages/webcrawl/internal.js';
import type { TypedColumn } from '../../../packages/export/pages/page-columns.js';
import { loadWorkbook, type SheetOptions } from '../../../packages/export/pages/workbook.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { hasPython, python } from '../programs/python.js';
import { testFolder } from '../../support/files/temp-folder.js';

let folder: string;
beforeEach(() => void (folder = testFolder()));

async function broken(): Promise<TestCrawl> {
  const crawl = await testCrawl(
    fakeWeb({
      'http://a.com/': links('/lost', '/b'),
      'http://a.com/b': links('/lost', '/lost2', '/lost2#again'),
    }),
  );
  await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
  return crawl;
}

async function exported(crawl: TestCrawl, name: string, options: Partial<ExportPagesOptions>) {
  const { counters } = await exportPages(crawl, { output: join(folder, name), ...options });
  return { counters, text: name.endsWith('.xlsx') ? '' : await readFile(join(folder, name), 'utf8') };
}

describe('a line for each link', () => {
  it('has the page, the result of its fetch, the other end and the anchor', async () => {
    await using crawl = await broken();
    const { text, counters } = await exported(crawl, 'broken.csv', {
      code: '404',
      each: 'inlinks',
      fields: ['distance'],
    });
    expect(text.trimEnd().split('\r\n')).toEqual([
      'url,status,code,http,source,anchor,distance,damaged',
      'http://a.com/lost,gone,not_found,404,http://a.com/,to /lost,1,',
      'http://a.com/lost,gone,not_found,404,http://a.com/b,to /lost,1,',
      'http://a.com/lost2,gone,not_found,404,http://a.com/b,to /lost2,2,',
    ]);
    expect(counters).toMatchObject({ rows: 2, links: 3 });
  });

  it('of outlinks has the target, also in JSON Lines, and none for a page without links', async () => {
    await using crawl = await broken();
    const { text } = await exported(crawl, 'links.jsonl', { each: 'outlinks', all: true });
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ url, target }) => [url, target])).toEqual([
      ['http://a.com/', 'http://a.com/lost'],
      ['http://a.com/', 'http://a.com/b'],
      ['http://a.com/b', 'http://a.com/lost'],
      ['http://a.com/b', 'http://a.com/lost2'],
    ]);
    expect(lines[0]).toEqual({
      url: 'http://a.com/',
      status: 'fetched',
      code: 'success',
      http: 200,
      target: 'http://a.com/lost',
      anchor: 'to /lost',
    });
  });

  it('is rejected for formats with a row for each page', async () => {
    await using crawl = await testCrawl(undefined);
    for (const name of ['x.parquet', 'hosts']) {
      const format = name === 'hosts' ? 'hosts' : 'parquet';
      await expect(exported(crawl, name, { each: 'inlinks', format })).rejects.toMatchObject({ code: 'USAGE' });
    }
  });
});

const HARD = ['=1+1', '<b>&amp;"', 'a\u0000\ud800\r\nb', '_x0041_', '潮汐 ä', ' x '];
const COLUMNS: readonly TypedColumn[] = [
  { name: 'url', type: 'STRING' },
  { name: 'fetchedAt', type: 'TIMESTAMP' },
  { name: 'score', type: 'DOUBLE' },
  { name: 'sitemap', type: 'BOOLEAN' },
  { name: 'headings', type: 'JSON' },
];

/** A workbook, and how many cells were cut. */
async function workbook(lines: readonly (readonly unknown[])[], limits?: SheetOptions) {
  const pieces: Buffer[] = [];
  const write = (data: string | Uint8Array): Promise<void> => Promise.resolve(void pieces.push(Buffer.from(data)));
  let cut = 0;
  const book = (await loadWorkbook())({ write }, COLUMNS, () => (cut += 1), limits);
  for (const line of lines) await book.add(line);
  await book.end();
  return { bytes: Buffer.concat(pieces), cut };
}

describe('a workbook', () => {
  const LINES = HARD.map((text, i) => [text, START + i * 1000, i / 2, i % 2 === 0, i === 0 ? undefined : [text]]);

  it('has numbers, times, and texts that are never formulas; it is the same in every time zone', async () => {
    const zone = process.env.TZ;
    try {
      process.env.TZ = 'Asia/Kathmandu';
      const there = await workbook(LINES);
      process.env.TZ = 'America/St_Johns';
      expect((await workbook(LINES)).bytes.equals(there.bytes)).toBe(true);
      const sheet = strFromU8(unzipSync(there.bytes)['xl/worksheets/sheet1.xml']!);
      expect(sheet).toContain('<t xml:space="preserve">=1+1</t></is></c><c s="1"><v>45244.');
      expect(sheet).toContain('&lt;b&gt;&amp;amp;"');
      expect(sheet).toContain('a\ufffd\ufffd&#13;\nb');
      expect(sheet).toContain('_x005F_x0041_');
      expect(sheet).not.toContain('<f>');
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it('cuts what no cell can hold, and continues in another sheet', async () => {
    const { bytes, cut } = await workbook([['x'.repeat(32_767)], ['y'.repeat(40_000)], ['z']], { lines: 3 });
    expect(cut).toBe(1);
    const files = unzipSync(bytes);
    const sheet = (n: number): string => strFromU8(files[`xl/worksheets/sheet${n}.xml`]!);
    expect(sheet(1)).toContain(`>${'x'.repeat(32_767)}<`);
    expect(sheet(1)).toContain(`>${'y'.repeat(32_766)}…<`);
    expect([1, 2].map((n) => sheet(n).split('<row>').length - 1)).toEqual([3, 2]);
    expect(strFromU8(files['xl/workbook.xml']!)).toContain('name="Pages 2"');
  });

  it('continues in another sheet before one is larger than a ZIP can state', async () => {
    const line = ['x'.repeat(32_767)];
    const { bytes } = await workbook(Array<string[]>(20).fill(line), { characters: 300_000 });
    const files = unzipSync(bytes);
    const rows = [1, 2].map((n) => strFromU8(files[`xl/worksheets/sheet${n}.xml`]!).split('<row>').length - 1);
    expect([rows, files['xl/worksheets/sheet3.xml']]).toEqual([[11, 11], undefined]);
  });

  test.skipIf(!hasPython('openpyxl'))('is read correctly by openpyxl', async () => {
    await using crawl = await broken();
    const fields = ['title', 'fetchedAt', 'distance', 'outlinks'] as const;
    await exported(crawl, 'pages.xlsx', { fields, all: true });
    const read =
      'import json, sys, openpyxl\nsheet = openpyxl.load_workbook(sys.argv[1]).active\n' +
      'print(json.dumps([[str(cell.value) if cell.is_date else cell.value for cell in row] for row in sheet.iter_rows()]))';
    const { status, out, errors } = python(['-c', read, join(folder, 'pages.xlsx')]);
    expect([status, errors]).toEqual([0, '']);
    expect((JSON.parse(out) as unknown[]).slice(0, 2)).toEqual([
      ['url', 'status', ...fields],
      ['http://a.com/', 'fetched', 't', '2023-11-14 22:13:20', 0, expect.stringContaining('"anchor":"to /lost"')],
    ]);
  });

  it('is a ZIP that other programs accept', async () => {
    await using crawl = await broken();
    const { counters } = await exported(crawl, 'links.xlsx', { each: 'inlinks', all: true });
    expect(counters).toMatchObject({ rows: 4, links: 4 });
    const test = 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).testzip())';
    expect(
      execFileSync('python3', ['-c', test, join(folder, 'links.xlsx')])
        .toString()
        .trim(),
    ).toBe('None');
  });
});
