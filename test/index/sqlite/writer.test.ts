import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWords, INDEX_FILE, openDatabase, type Words } from '../../../packages/index/index.js';
import { openWriterThread } from '../../../packages/index/writing/writer-thread.js';
import { openSqliteWriter, writerOf } from '../../../packages/index/sqlite/writer.js';
import type { IndexWriter } from '../../../packages/plugin-api/index.js';
import { ROOT } from '../../support/docs/source-files.js';
import { dumpIndex } from '../../support/index/dump-index.js';
import { suiteFolder } from '../../support/files/temp-folder.js';
import { checkWriter, keyOf, put } from '../../support/index/writer-suite.js';

/** A thread cannot run TypeScript, so it loads the built code; `npm test` keeps it up to date. */
const entry = pathToFileURL(join(ROOT, 'dist/tests/writer-worker.js'));

const root = suiteFolder();
let words: Words;
beforeAll(async () => {
  words = await createWords({ jieba: false });
});

let made = 0;
const newFolder = (): string => join(root, `i${++made}`);

const TABLE = 'a table';

async function openHere(folder: string, table = TABLE): Promise<IndexWriter> {
  await mkdir(folder, { recursive: true }).catch(() => undefined);
  return openSqliteWriter(folder, table, words);
}

describe.each([
  ['in this thread', openHere],
  [
    'in a thread of its own',
    (folder: string, table = TABLE): Promise<IndexWriter> =>
      openWriterThread({ writer: 'sqlite', folder }, table, entry),
  ],
])('%s', (where, open) => {
  test('adds, replaces, ranks and removes; again changes nothing', async () => {
    if (where !== 'in this thread') expect(existsSync(entry), 'run npm run build').toBe(true);
    const folder = newFolder();
    await checkWriter(() => open(folder));
  });

  test('belongs to one table: another one is rejected, and changes nothing', async () => {
    const folder = newFolder();
    const writer = await open(folder);
    await writer.apply([put(1)]);
    await writer.markWhole();
    await writer.close();
    await expect(open(folder, 'another table')).rejects.toMatchObject({
      code: 'WRONG_INDEX',
      message: expect.stringContaining(folder) as string,
      hint: expect.stringContaining('index.path') as string,
    });
    const again = await open(folder);
    expect(again.isWhole).toBe(true);
    expect(await again.entries(undefined, 10)).toHaveLength(1);
    await again.close();
  });

  test('a folder that cannot be created is an error that names it', async () => {
    const file = newFolder();
    await writeFile(file, '');
    await expect(open(join(file, 'index'))).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining(file) as string,
    });
  });
});

test('a document has the stems of its words, by field and place', async () => {
  const folder = newFolder();
  const writer = await openHere(folder);
  await writer.apply([
    put(1, { text: 'other words' }),
    put(2, { text: 'running packages', headings: 'First heading\nSecond' }),
    put(3, { text: 'text of page number 3' }),
  ]);
  await writer.apply([{ type: 'remove', key: keyOf(3) }]);
  await writer.close();
  const { terms } = await dumpIndex(folder);
  expect(terms).toContain(`${keyOf(1)} text 1 word`);
  expect(terms).toContain(`${keyOf(2)} text 0 run`);
  expect(terms).toContain(`${keyOf(2)} url 0 exampl`);
  expect(terms).toContain(`${keyOf(2)} headings 2 second`);
  expect(terms.some((each) => each.startsWith('?') || each.includes('number'))).toBe(false);
});

test('is complete once it is marked so, until it is cleared for another tokenizer', async () => {
  const folder = newFolder();
  let writer = await openHere(folder);
  expect(writer.isWhole).toBe(false);
  await writer.apply([put(1)]);
  await writer.markWhole();
  expect(writer.isWhole).toBe(true);
  await writer.close();
  writer = await openHere(folder);
  expect(writer.isWhole).toBe(true);
  await writer.close();

  const other = await openSqliteWriter(folder, TABLE, { ...words, name: 'other' });
  expect(other.isWhole).toBe(false);
  expect(await other.entries(undefined, 10)).toEqual([]);
  await other.apply([put(2)]);
  await other.close();
  expect((await dumpIndex(folder)).docs).toHaveLength(1);
});

test('the database of another program is rejected, and stays', async () => {
  const folder = newFolder();
  await mkdir(folder);
  const file = join(folder, INDEX_FILE);
  const refused = { code: 'BAD_SETTING', message: expect.stringContaining('of another program') as string };
  await writeFile(file, 'no database at all, '.repeat(500));
  await expect(openHere(folder)).rejects.toMatchObject(refused);
  expect(await readFile(file, 'utf8')).toContain('no database at all');
  await rm(file);
  for (const name of ['docs', 'other']) {
    const database = await openDatabase(file, { readOnly: false });
    database.exec(`create table ${name}(id); insert into ${name} values(7); create table if not exists info(a)`);
    if (name === 'docs') database.exec('drop table info');
    database.close();
    await expect(openHere(folder)).rejects.toMatchObject(refused);
    const again = await openDatabase(file, { readOnly: true });
    expect(again.prepare(`select id from ${name}`).all()).toEqual([{ id: 7 }]);
    again.close();
  }
});

test('a damaged database is rebuilt', async () => {
  const folder = newFolder();
  await mkdir(folder);
  await writeFile(join(folder, INDEX_FILE), `SQLite format 3\0${'damaged '.repeat(1000)}`);
  const writer = await openHere(folder);
  await writer.apply([put(1)]);
  await writer.close();
  expect((await dumpIndex(folder)).docs).toHaveLength(1);
});

test('a database without a column of its table is rebuilt', async () => {
  const folder = newFolder();
  await (await openHere(folder)).close();
  const database = await openDatabase(join(folder, INDEX_FILE), { readOnly: false });
  database.exec('drop table fts; create virtual table fts using fts5(other)');
  database.close();
  const writer = await openHere(folder);
  await writer.apply([put(1)]);
  await writer.close();
  expect((await dumpIndex(folder)).docs).toHaveLength(1);
});

test('a full disk is a clear error, and damages nothing', async () => {
  const folder = newFolder();
  await mkdir(folder);
  const database = await openDatabase(join(folder, INDEX_FILE), { readOnly: false });
  const writer = writerOf(database, folder, TABLE, words);
  await writer.apply([put(1)]);
  database.exec('pragma max_page_count=40');
  const large = Array.from({ length: 500 }, (_, n) => put(n + 2, { text: `word${n} `.repeat(50) + `only${n}` }));
  await expect(writer.apply(large)).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(await writer.entries(undefined, 10)).toHaveLength(1);
  database.exec('pragma max_page_count=100000');
  await writer.apply(large);
  await writer.close();
  expect((await dumpIndex(folder)).docs).toHaveLength(501);
});

test('hostile texts: controls, quotes, half pairs, a megabyte without a blank, words of SQL', async () => {
  const folder = newFolder();
  const writer = await openHere(folder);
  await writer.apply([
    put(1, { text: 'a\u0000b "quoted" \ud83d \udc4d NEAR(x y) -- ; drop table docs' }),
    put(2, { text: 'x'.repeat(2 ** 20) + ' 中'.repeat(1000) }),
    put(3, { title: '', headings: '', anchors: '', text: '' }),
  ]);
  await writer.close();
  const { terms, docs } = await dumpIndex(folder);
  expect(docs).toHaveLength(3);
  expect(terms.filter((each) => each.startsWith(`${keyOf(1)} text`)).map((each) => each.split(' ').slice(2))).toEqual(
    expect.arrayContaining([
      ['0', 'a'],
      ['1', 'b'],
      ['2', 'quot'],
    ]),
  );
  expect(terms).toContain(`${keyOf(2)} text 0 ${'x'.repeat(64)}`);
});
