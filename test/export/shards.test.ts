import { readFile, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parquetReadObjects } from 'hyparquet';
import {
  exportChunks,
  exportKrake,
  exportPages,
  exportWacz,
  exportWarc,
  type ExportPagesOptions,
} from '../../packages/webcrawl/internal.js';
import { openTables } from '../../webtable/index.js';
import { ARCHIVED, fillArchive, filesOf, withTable } from '../support/export/archive-table.js';
import { recordsOf } from '../support/files/segment-records.js';
import { copyStore } from '../support/stores/copy-store.js';
import { countingStore } from '../support/stores/counting-store.js';
import { changeRows } from '../support/stores/put-rows.js';
import { testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { madePages } from './made-table.js';
import { testFolder } from '../support/files/temp-folder.js';

const COUNT = 5;

let folder: string;
let crawl: TestCrawl;
beforeEach(async () => {
  folder = testFolder();
  crawl = await testCrawl(undefined);
  onTestFinished(() => crawl.close());
  await changeRows(crawl, madePages(700));
});

const nameOf = (index: number, count = COUNT): string =>
  `${String(index).padStart(5, '0')}-of-${String(count).padStart(5, '0')}`;

async function run(output: string, options: Partial<ExportPagesOptions> = {}) {
  return (await exportPages(crawl, { output: join(folder, output), all: true, ...options })).counters;
}

/** Runs all shards in any order. */
async function runAll(output: string, options: Partial<ExportPagesOptions> = {}): Promise<number[]> {
  const rows: number[] = [];
  for (const index of [3, 0, 4, 2, 1]) {
    rows[index] = (await run(output, { ...options, shard: { index, count: COUNT } })).rows ?? 0;
  }
  return rows;
}

const read = (name: string): Promise<Buffer> => readFile(join(folder, name));
/** The files below a folder, without the manifest. */
async function treeOf(name: string): Promise<Map<string, string>> {
  const entries = await readdir(join(folder, name), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile() && entry.name !== 'manifest.json');
  const names = paths.map((entry) => relative(join(folder, name), join(entry.parentPath, entry.name))).sort();
  return new Map(
    await Promise.all(names.map(async (each) => [each, (await read(`${name}/${each}`)).toString()] as const)),
  );
}

const manifestOf = async (name: string) => JSON.parse((await read(name)).toString()) as Record<string, unknown>;

describe('export in shards', () => {
  it.each(['jsonl', 'jsonl.gz', 'csv'])(
    'of %s: its parts in order are the whole, byte for byte except for headers',
    async (ending) => {
      const plain = (data: Buffer): string => (ending.endsWith('gz') ? gunzipSync(data) : data).toString();
      const total = (await run(`whole.${ending}`)).rows!;
      const rows = await runAll(`pages.${ending}`);
      const parts = await Promise.all([...rows.keys()].map((i) => read(`pages-${nameOf(i)}.${ending}`)));
      const whole = plain(await read(`whole.${ending}`));
      const head = ending === 'csv' ? whole.slice(0, whole.indexOf('\r\n') + 2) : '';
      expect(head + parts.map((part) => plain(part).slice(head.length)).join('')).toBe(whole);
      // All parts have the same number of rows.
      expect(rows).toEqual(rows.map(() => total / COUNT));
      expect(await manifestOf(`pages-${nameOf(2)}.${ending}.manifest.json`)).toMatchObject({
        export: 'pages',
        shard: '2/5',
        keys: [{ start: expect.any(String) as string, end: expect.any(String) as string }],
        rows: rows[2],
      });
    },
  );

  it('creates parts in a folder, and the folder', async () => {
    await run('whole', { format: 'parquet' });
    await runAll('text/');
    await runAll('pages/', { format: 'parquet' });
    await runAll('table/', { format: 'csv' });
    expect(await readdir(join(folder, 'text'))).toContain(`part-${nameOf(1)}.jsonl`);
    expect(await readdir(join(folder, 'table'))).toContain(`part-${nameOf(1)}.csv`);
    const parts = (await readdir(join(folder, 'pages'))).sort();
    expect(parts).toEqual(Array.from({ length: COUNT }, (_, i) => `part-${nameOf(i)}`));
    const rowsOf = async (name: string) => {
      const { buffer, byteOffset, byteLength } = await read(`${name}/part-00000.parquet`);
      return parquetReadObjects({
        file: buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer,
        compressors: { GZIP: (bytes) => gunzipSync(bytes) },
      });
    };
    const rows = await Promise.all(parts.map((part) => rowsOf(`pages/${part}`)));
    expect(rows.flat()).toEqual(await rowsOf('whole'));
    await expect(run('none/pages/', { shard: { index: 0, count: 2 } })).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
  });

  it('has all pages of a host in one part if each host has a file', async () => {
    await run('whole', { format: 'hosts' });
    await runAll('parts/', { format: 'hosts' });
    const files = new Map<string, string>();
    for (let i = 0; i < COUNT; i++) {
      for (const [name, data] of await treeOf(`parts/part-${nameOf(i)}`)) {
        expect(files.has(name), name).toBe(false);
        files.set(name, data);
      }
    }
    expect(files).toEqual(await treeOf('whole'));
  });

  it('obeys a selection, with parts that have equally many rows', async () => {
    const selection = { domain: 'h3.example.com', status: 'fetched' } as const;
    const { rows: total = 0 } = await run('whole.jsonl', selection);
    const rows = await runAll('pages.jsonl', selection);
    expect(total).toBeGreaterThan(0);
    expect(rows.reduce((sum, n) => sum + n, 0)).toBe(total);
    const parts = await Promise.all([...rows.keys()].map((i) => read(`pages-${nameOf(i)}.jsonl`)));
    expect(parts.join('')).toBe((await read('whole.jsonl')).toString());
    // There are fewer pages than shards, and then none.
    await changeRows(crawl, [{ key: 'com.one:http/', set: { status: 'fetched' } }]);
    expect(await runAll('few.jsonl', { host: 'one.com' })).toEqual([0, 0, 0, 0, 1]);
    expect(await runAll('none.jsonl', { domain: 'none.org' })).toEqual([0, 0, 0, 0, 0]);
  });

  it('replaces only its own part when it runs again, with the same keys', async () => {
    await runAll('pages.jsonl');
    const before = await filesOf(folder);
    const shard = { index: 2, count: COUNT };
    await expect(run('pages.jsonl', { shard })).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
    await changeRows(crawl, madePages(1000).slice(700));
    crawl.setTime(crawl.clock() + 400 * 86_400_000);
    await run('pages.jsonl', { shard, force: true });
    const after = await filesOf(folder);
    const changed = [...after].filter(([name, data]) => !before.get(name)!.equals(data)).map(([name]) => name);
    expect(changed.sort()).toEqual([`pages-${nameOf(2)}.jsonl`, `pages-${nameOf(2)}.jsonl.manifest.json`]);
    const keys = async (files: Map<string, Buffer>) =>
      (JSON.parse(files.get(`pages-${nameOf(2)}.jsonl.manifest.json`)!.toString()) as { keys: unknown }).keys;
    expect(await keys(after)).toEqual(await keys(before));
    // Another export is split again.
    expect(await runAll('later.jsonl')).toEqual([200, 200, 200, 200, 200]);
  });

  it('can go to standard output', async () => {
    const part = async (index: number): Promise<string> => {
      const pieces: Uint8Array[] = [];
      const stdout = async (data: Uint8Array): Promise<void> => void pieces.push(data);
      await exportPages(crawl, { output: '-', stdout, all: true, shard: { index, count: 2 } });
      return Buffer.concat(pieces).toString();
    };
    await run('whole.jsonl');
    expect((await part(0)) + (await part(1))).toBe((await read('whole.jsonl')).toString());
  });

  it('rejects what one shard cannot do alone', async () => {
    const shard = { index: 0, count: 2 };
    const refused = { code: 'USAGE', exitCode: 64 };
    await expect(run('pages.jsonl', { shard, limit: 10 })).rejects.toMatchObject(refused);
    await expect(exportWacz(crawl, { output: join(folder, 'a.wacz'), shard })).rejects.toMatchObject({
      ...refused,
      message: 'expected WACZ to be exported as a whole, found a shard of it',
      hint: expect.stringContaining('one index') as string,
    });
    await expect(exportKrake(crawl, { output: join(folder, 'krake'), shard })).rejects.toMatchObject(refused);
    expect(await readdir(folder)).toEqual([]);
  });

  it('reads each row once, and all keys once', async () => {
    const readBy = async (shards: number): Promise<number> => {
      const store = countingStore(await copyStore(crawl.tables.store));
      const tables = await openTables(store);
      for (let index = 0; index < shards; index++) {
        const output = join(folder, `of-${shards}.jsonl`);
        await exportPages({ ...crawl, tables }, { output, ...(shards > 1 && { shard: { index, count: shards } }) });
      }
      return store.rowsRead['webpage']!;
    };
    expect([await readBy(1), await readBy(4), await readBy(20)]).toEqual([700, 1400, 1400]);
  });
});

it('of WARC makes an archive for each shard, whose files have unique names', async () => {
  await withTable(async (archived, folder) => {
    await fillArchive(archived);
    await exportWarc(archived, { output: join(folder, 'whole') });
    const urls = (data: Buffer): string[] =>
      recordsOf(data).flatMap(({ headers }) =>
        headers.get('warc-type') === 'warcinfo'
          ? []
          : [`${headers.get('warc-type')} ${headers.get('warc-target-uri')}`],
      );
    const whole = urls((await filesOf(join(folder, 'whole'))).get('webcrawl-00000.warc.gz')!);
    const parts: string[] = [];
    for (const index of [0, 1, 2]) {
      await exportWarc(archived, { output: join(folder, 'parts/'), shard: { index, count: 3 } });
      const files = await filesOf(join(folder, `parts/part-${nameOf(index, 3)}`));
      const name = `webcrawl-${nameOf(index, 3)}-00000.warc.gz`;
      expect(
        files
          .get('index.cdxj')!
          .toString()
          .split('\n')
          .filter((line) => line !== '' && !line.includes(name)),
      ).toEqual([]);
      if (files.has(name)) parts.push(...urls(files.get(name)!));
    }
    expect(parts).toEqual(whole);
    expect(parts.some((part) => part.endsWith(ARCHIVED[0]!))).toBe(true);
  });
});

it('can be of chunks', async () => {
  await withTable(async (archived, folder) => {
    await fillArchive(archived);
    await exportChunks(archived, { output: join(folder, 'whole.jsonl') });
    const parts: string[] = [];
    for (const index of [0, 1]) {
      await exportChunks(archived, { output: join(folder, 'c.jsonl'), shard: { index, count: 2 } });
      parts.push(await readFile(join(folder, `c-${nameOf(index, 2)}.jsonl`), 'utf8'));
    }
    expect(parts.join('')).toBe(await readFile(join(folder, 'whole.jsonl'), 'utf8'));
  });
});
