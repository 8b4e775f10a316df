import { gunzipSync } from 'node:zlib';
import { readFile, readdir, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { optionalPackage } from '../../packages/errors/index.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { parquetReadObjects } from 'hyparquet';
import {
  exportGraph,
  exportPages,
  jobs,
  openContext,
  openOutput,
  rules,
  type ExportPagesOptions,
  type Field,
} from '../../packages/webcrawl/internal.js';
import { writeTarget } from '../../packages/export/index.js';
import { loadParquet } from '../../packages/export/pages/parquet-file.js';
import { writeParquet } from '../../packages/export/pages/parquet-files.js';
import { damage } from '../support/stores/damage.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { changeRows } from '../support/stores/put-rows.js';
import { testFolder } from '../support/files/temp-folder.js';

let folder: string;
beforeEach(() => void (folder = testFolder()));

const TITLE = 'a "title", with\na line; 标题 \u2028 =1+1';

async function threeHosts(): Promise<TestCrawl> {
  const crawl = await testCrawl(undefined);
  const seeds = ['http://a.com/', 'http://a.com/1', 'http://a.com/2', 'http://www.b.org/', 'http://10.0.0.1/'];
  await jobs.inject(crawl, { seeds });
  await changeRows(crawl, [
    {
      key: 'com.a:http/1',
      set: {
        title: TITLE,
        status: 'fetched',
        fetchedAt: START,
        retries: 2,
        outlinks: [{ url: 'http://a.com/', anchor: 'x' }],
      },
    },
    { key: 'com.a:http/2', set: { fetchedAt: START + 5000 }, marks: { updatedb: `${(START + 9000) / 1000}-7` } },
    { key: 'org.b.www:http/', set: { title: '=cmd()' }, marks: { updatedb: `${START / 1000}-7` } },
  ]);
  return crawl;
}

async function run(crawl: TestCrawl, name: string, options: Partial<ExportPagesOptions> = {}) {
  const { counters } = await exportPages(crawl, { output: join(folder, name), all: true, ...options });
  return counters;
}

it('of rejected pages exports those that a rule of the table rejects', async () => {
  await using crawl = await threeHosts();
  await rules.add(crawl, { kind: 'reject', scope: 'host:a.com', pattern: { prefix: '/2' } }, { yes: true });
  await run(crawl, 'rejected.jsonl', { rejected: true });
  expect(lines(await read('rejected.jsonl')).map(({ url }) => url)).toEqual(['http://a.com/2']);
});

const read = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
const lines = (data: string) =>
  data
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const FIELDS = ['title', 'fetchedAt', 'retries', 'outlinks'] as const satisfies readonly Field[];
const KEYS = ['10.0.0.1:http/', 'com.a:http/', 'com.a:http/1', 'com.a:http/2', 'org.b.www:http/'];
const PAGE = {
  key: 'com.a:http/1',
  url: 'http://a.com/1',
  status: 'fetched',
  title: TITLE,
  fetchedAt: START,
  retries: 2,
  outlinks: [{ url: 'http://a.com/', anchor: 'x' }],
};

describe('exporting pages', () => {
  it('writes the same JSON Lines plain, compressed and to standard output', async () => {
    await using crawl = await threeHosts();
    expect(await run(crawl, 'p.jsonl', { fields: FIELDS })).toMatchObject({ rows: 5, parts: 1 });
    const plain = await read('p.jsonl');
    expect(lines(plain).map(({ key }) => key)).toEqual(KEYS);
    expect(lines(plain)[2]).toEqual(PAGE);
    await run(crawl, 'p.jsonl.gz', { fields: FIELDS });
    expect(gunzipSync(await readFile(join(folder, 'p.jsonl.gz'))).toString()).toBe(plain);
    await run(crawl, 'P.JSONL.GZ', { fields: FIELDS });
    expect(gunzipSync(await readFile(join(folder, 'P.JSONL.GZ'))).toString()).toBe(plain);
    const chunks: Uint8Array[] = [];
    const stdout = (data: Uint8Array): Promise<void> => Promise.resolve(void chunks.push(data));
    const { counters } = await exportPages(crawl, { output: '-', fields: FIELDS, stdout, all: true });
    expect(Buffer.concat(chunks).toString()).toBe(plain);
    expect(counters).toEqual({ rows: 5, parts: 1, bytes: Buffer.byteLength(plain) });
    expect(JSON.parse(await read('p.jsonl.manifest.json'))).toMatchObject({
      export: 'pages',
      format: 'jsonl',
      fields: FIELDS,
      selection: { all: true },
      rows: 5,
      parts: [{ name: 'p.jsonl', rows: 5, bytes: Buffer.byteLength(plain) }],
    });
  });

  it('has the language of each page: the stored one, or that of its text', async () => {
    await using crawl = await threeHosts();
    const text = 'Вода поднимается и опускается дважды в день, и прибор записывает её высоту в каждом месте.';
    await changeRows(crawl, [
      { key: 'com.a:http/', set: { text } },
      { key: 'com.a:http/1', set: { text, language: 'de', languageSource: 'stated' } },
      { key: 'com.a:http/2', set: { text: '12' } },
    ]);
    for (const fields of [['language'], ['languageSource'], ['language', 'languageSource', 'text']] as const) {
      await run(crawl, `${fields.length}${fields[0]}.jsonl`, { fields, host: 'a.com' });
      const all = [
        { language: 'ru', languageSource: 'detected', text },
        { language: 'de', languageSource: 'stated', text },
        { text: '12' },
      ];
      const wanted = all.map((page) =>
        Object.fromEntries(Object.entries(page).filter(([name]) => (fields as readonly string[]).includes(name))),
      );
      const found = lines(await read(`${fields.length}${fields[0]}.jsonl`)).map(
        ({ key: _, url: _url, status: _status, ...rest }) => rest,
      );
      expect(found).toEqual(wanted);
    }
  });

  it('writes CSV with a header, and counts fields that a spreadsheet may read as a formula', async () => {
    await using crawl = await threeHosts();
    expect(await run(crawl, 'p.csv', { fields: ['title', 'outlinks'] })).toMatchObject({ rows: 5, formulas: 1 });
    expect(await read('p.csv')).toBe(
      [
        'key,url,readableUrl,status,title,outlinks,damaged',
        '10.0.0.1:http/,http://10.0.0.1/,,unfetched,,,',
        'com.a:http/,http://a.com/,,unfetched,,,',
        `com.a:http/1,http://a.com/1,,fetched,"${TITLE.replaceAll('"', '""')}","[{""url"":""http://a.com/"",""anchor"":""x""}]",`,
        'com.a:http/2,http://a.com/2,,unfetched,,,',
        'org.b.www:http/,http://www.b.org/,,unfetched,=cmd(),,',
        '',
      ].join('\r\n'),
    );
  });

  it('writes Parquet with types, as a file and as a folder', async () => {
    await using crawl = await threeHosts();
    expect(await run(crawl, 'p.parquet', { fields: FIELDS })).toMatchObject({ rows: 5, parts: 1 });
    expect(await run(crawl, 'folder', { fields: FIELDS, format: 'parquet' })).toMatchObject({ rows: 5, parts: 1 });
    expect((await readdir(join(folder, 'folder'))).sort()).toEqual(['manifest.json', 'part-00000.parquet']);
    const file = await readFile(join(folder, 'p.parquet'));
    expect(await readFile(join(folder, 'folder/part-00000.parquet'))).toEqual(file);
    const { compressors } = await gzipReader();
    const rows = await parquetReadObjects({ file: new Uint8Array(file).buffer, compressors });
    expect(rows.map(({ key }) => key as string)).toEqual(KEYS);
    expect(rows[2]).toMatchObject({
      ...PAGE,
      fetchedAt: new Date(START),
      outlinks: JSON.stringify(PAGE.outlinks),
    });
    await changeRows(crawl, [{ key: 'com.a:http/1', set: { bodyBytes: 3_000_000_000 } }]);
    await run(crawl, 'counts.parquet', { fields: ['bodyBytes'] });
    const counts = new Uint8Array(await readFile(join(folder, 'counts.parquet'))).buffer;
    expect((await parquetReadObjects({ file: counts, compressors }))[2]).toMatchObject({ bodyBytes: 3_000_000_000n });
    await expect(run(crawl, 'p.parquet.gz', { format: 'parquet' })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('writes a file for each host', async () => {
    await using crawl = await threeHosts();
    expect(await run(crawl, 'hosts', { format: 'hosts', fields: ['title'] })).toMatchObject({ rows: 5, parts: 3 });
    const entries = await readdir(join(folder, 'hosts'), { recursive: true, withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    expect(names.map((name) => relative(join(folder, 'hosts'), name)).sort()).toEqual([
      'com/a/a.com.jsonl',
      'ip/10/10.0.0.1.jsonl',
      'manifest.json',
      'org/b/b/ww/www.b.org.jsonl',
    ]);
    expect(lines(await read('hosts/com/a/a.com.jsonl')).map(({ key }) => key)).toEqual(KEYS.slice(1, 4));
  });

  it('obeys a selection, a limit, and changes since a batch or a time', async () => {
    await using crawl = await threeHosts();
    const keysOf = async (options: Partial<ExportPagesOptions>): Promise<unknown[]> => {
      await run(crawl, 'keys', { ...options, fields: [], force: true });
      const found = await read('keys');
      return found === '' ? [] : lines(found).map(({ key }) => key);
    };
    expect(await keysOf({ host: 'a.com', limit: 2 })).toEqual(KEYS.slice(1, 3));
    expect(await keysOf({ status: 'fetched' })).toEqual([KEYS[2]]);
    expect(await keysOf({ host: 'none.example' })).toEqual([]);
    const seen = [START - 1, START - 1, START, START + 9000, START];
    await crawl.tables.pages.write(KEYS.map((key, i) => ({ key, set: { firstSeenAt: seen[i]! } })));
    expect(await keysOf({ since: START })).toEqual(KEYS.slice(2));
    expect(await keysOf({ since: START + 1 })).toEqual([KEYS[3]]);
    const since = `${START / 1000 + 1}-99`;
    await expect(keysOf({ since })).rejects.toMatchObject({
      code: 'UNKNOWN_BATCH',
      message: expect.stringContaining(since) as string,
    });
    await crawl.tables.batches.change(since, () => ({ state: 'closed', size: 0 }));
    expect(await keysOf({ since })).toEqual([KEYS[3]]);
    expect(await keysOf({ since: START + 9000 })).toEqual([KEYS[3]]);
    expect(await keysOf({ since: START + 10_000 })).toEqual([]);
    for (const wrong of [{ since: 'yesterday' }, { since: NaN }, { limit: 0 }, { host: 'a', domain: 'b' }]) {
      await expect(run(crawl, 'wrong', wrong), JSON.stringify(wrong)).rejects.toMatchObject({ code: 'USAGE' });
    }
    expect(await readdir(folder)).not.toContain('wrong');
  });

  it('writes what can be read of damaged rows, and counts them', async () => {
    await using crawl = await threeHosts();
    await damage(crawl, 'http://a.com/1', 'retries');
    expect(await run(crawl, 'p.jsonl', { fields: ['title', 'retries'] })).toMatchObject({
      rows: 5,
      damaged: 1,
    });
    expect(lines(await read('p.jsonl'))[2]).toMatchObject({ title: TITLE, damaged: ['retries'] });
  });

  it('does not write to a file of the table, under any name, also as a library', async () => {
    const table = join(folder, 'table');
    await using crawl = await openContext({ table, serve: false });
    await symlink('table', join(folder, 'link'));
    for (const output of ['table/p.jsonl', 'table', 'link/deep/p.jsonl', 'table/../table/hot/CURRENT']) {
      const refused = {
        code: 'BAD_OUTPUT',
        message: expect.stringContaining('is in the folder of the table') as string,
      };
      const path = join(folder, output);
      await expect(exportPages(crawl, { output: path, force: true }), output).rejects.toMatchObject(refused);
      const graph = path.replace(/\.jsonl$/, '');
      await expect(exportGraph(crawl, { output: graph, level: 'host' }), output).rejects.toMatchObject(refused);
      await expect(openOutput(path, true, crawl.tables), output).rejects.toMatchObject(refused);
    }
    expect((await exportPages(crawl, { output: join(folder, 'table.jsonl') })).counters).toMatchObject({ parts: 1 });
  });

  it('states what to install if a package is missing', async () => {
    const missing = Object.assign(new Error("Cannot find package 'x'"), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(optionalPackage('x@1', 'Parquet', () => Promise.reject(missing))).rejects.toMatchObject({
      code: 'MISSING_PACKAGE',
      message: 'a package that Parquet needs is not installed',
      hint: 'npm install x@1',
    });
    const broken = new Error('broken');
    await expect(optionalPackage('x@1', 'Parquet', () => Promise.reject(broken))).rejects.toBe(broken);
  });

  it('stops on an abort, and leaves nothing', async () => {
    await using crawl = await threeHosts();
    const stop = new AbortController();
    stop.abort();
    const report = await exportPages(crawl, { output: join(folder, 'p.jsonl'), signal: stop.signal });
    expect(report).toMatchObject({ interrupted: true });
    expect(await readdir(folder)).toEqual([]);
  });
});

async function gzipReader() {
  const { gunzipSync: gunzip } = await import('node:zlib');
  return { compressors: { GZIP: (data: Uint8Array) => new Uint8Array(gunzip(data)) } };
}

it('splits a folder of Parquet into files with a maximum number of rows, and has a file with the columns if there are none', async () => {
  const written = async (count: number): Promise<readonly number[]> => {
    const parquet = await loadParquet();
    const output = join(folder, `parts-${count}`);
    await writeTarget(output, { kind: 'folder', about: {}, clock: () => 0 }, (target) => {
      const rows = Readable.from(Array.from({ length: count }, (_, i) => ({ key: String(i) })));
      return writeParquet(target, rows, {
        parquet,
        columns: [{ name: 'key', type: 'STRING' }],
        dump: ({ key }) => ({ key }),
        tracker: { done: () => undefined, count: () => undefined, aborted: false },
        isFolder: true,
        most: { rows: 7, bytes: 1e9 },
      });
    });
    const { parts } = JSON.parse(await readFile(join(output, 'manifest.json'), 'utf8')) as {
      readonly parts: readonly { readonly rows: number }[];
    };
    return parts.map(({ rows }) => rows);
  };
  expect(await written(20)).toEqual([7, 7, 6]);
  expect(await written(14)).toEqual([7, 7]);
  expect(await written(0)).toEqual([0]);
});
