import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  INDEX_FILE,
  createWords,
  openDatabase,
  openIndexReader,
  openSqliteWriter,
  type Clause,
  type IndexQuery,
  type IndexReader,
  type ReaderOptions,
} from '../../../../packages/index/index.js';
import { urlOf } from '../../../../webtable/index.js';
import { ROOT } from '../../../support/docs/source-files.js';
import { makeIndex, type MadeDocument } from '../../../support/index/made-index.js';
import { testFolder } from '../../../support/files/temp-folder.js';

let folder: string;

beforeEach(() => void (folder = testFolder()));

const WEIGHTS = { title: 8, headings: 4, anchors: 3, url: 2, text: 1, rank: 0.5, language: 2 };
const clause = (...terms: string[]): Clause => ({ phrases: [terms] });
const query = (must: readonly Clause[], more: Partial<IndexQuery> = {}): IndexQuery => ({
  must,
  mustNot: [],
  weights: WEIGHTS,
  limit: 100,
  ...more,
});

function readerOf(words: string, more: Partial<ReaderOptions> = {}): IndexReader {
  const reader = openIndexReader({ folder, words, entry: undefined, ...more });
  onTestFinished(() => reader.close());
  return reader;
}

async function readerWith(documents: readonly MadeDocument[]): Promise<IndexReader> {
  return readerOf(await makeIndex(folder, documents));
}

async function found(reader: IndexReader, asked: IndexQuery): Promise<string[]> {
  const { hits } = await reader.search(asked);
  return hits.map(({ key }) => new URL(urlOf(key)).pathname.slice(1));
}

const site = (path: string) => `https://example.com/${path}`;

describe('the results of a query', () => {
  test('a word in the title counts more than in headings, anchors, URL and text, in this order', async () => {
    const reader = await readerWith([
      { url: site('a'), text: 'nothing here of that kind' },
      { url: site('b'), text: 'about one zebra here too' },
      { url: site('c-zebra'), text: 'about one animal here too' },
      { url: site('d'), anchors: 'zebra', text: 'about one animal here too' },
      { url: site('e'), headings: 'zebra', text: 'about one animal here too' },
      { url: site('f'), title: 'zebra', text: 'about one animal here too' },
      ...Array.from({ length: 10 }, (_, i) => ({ url: site(`other${i}`), text: 'about one other thing too' })),
    ]);
    expect(await found(reader, query([clause('zebra')]))).toEqual(['f', 'e', 'd', 'c-zebra', 'b']);
  });

  test('of equal pages the one with the higher rank comes first, and with equal ranks the lower key', async () => {
    const text = 'zebra';
    const reader = await readerWith([
      { url: site('c'), text },
      { url: site('b'), text },
      { url: site('a'), text, rank: 0.1 },
      { url: site('d'), text, rank: 0.5 },
    ]);
    expect(await found(reader, query([clause('zebra')]))).toEqual(['d', 'a', 'b', 'c']);
  });

  test('phrases, alternatives, fields, prefixes, and exclusions', async () => {
    const reader = await readerWith([
      { url: site('a'), text: 'link graph', title: 'one' },
      { url: site('b'), text: 'graph link', title: 'two' },
      { url: site('c'), text: 'tree', title: 'graph' },
    ]);
    const sorted = async (asked: IndexQuery): Promise<string[]> => (await found(reader, asked)).sort();
    expect(await sorted(query([clause('link', 'graph')]))).toEqual(['a']);
    expect(await sorted(query([clause('link'), clause('graph')]))).toEqual(['a', 'b']);
    expect(await sorted(query([{ phrases: [['tree'], ['graph', 'link']] }]))).toEqual(['b', 'c']);
    expect(await sorted(query([{ phrases: [['graph']], fields: ['title'] }]))).toEqual(['c']);
    expect(await sorted(query([{ phrases: [['gra']], isPrefix: true }]))).toEqual(['a', 'b', 'c']);
    expect(await sorted(query([clause('graph')], { mustNot: [clause('link', 'graph'), clause('two')] }))).toEqual([
      'c',
    ]);
    expect(await sorted(query([], { mustNot: [clause('tree')] }))).toEqual(['a', 'b']);
  });

  test('site, language and time', async () => {
    const day = 86_400_000;
    const reader = await readerWith([
      { url: 'https://example.com/a', text: 'zebra', modifiedAt: 5 * day, fetchedAt: 9 * day },
      { url: 'https://www.example.com/b', text: 'zebra', fetchedAt: 7 * day, language: 'zh' },
      { url: 'https://example.org/c', text: 'zebra', language: '' },
    ]);
    const some = (more: Partial<IndexQuery>): Promise<string[]> =>
      found(reader, query([clause('zebra')], more)).then((all) => all.sort());
    const com = [
      { start: 'com.example.', end: 'com.example/' },
      { start: 'com.example:', end: 'com.example;' },
    ];
    expect(await some({ sites: com })).toEqual(['a', 'b']);
    expect(await some({ notSites: com })).toEqual(['c']);
    expect(await some({ sites: [{ start: 'org' }] })).toEqual(['c']);
    expect(await some({ languages: ['zh'] })).toEqual(['b']);
    expect(await some({ notLanguages: ['zh'] })).toEqual(['a', 'c']);
    expect(await some({ from: 5 * day, to: 7 * day })).toEqual(['a']);
    expect(await some({ from: 7 * day })).toEqual(['b']);
  });

  test('no part of a query is read as syntax of SQLite', async () => {
    const reader = await readerWith([{ url: site('a'), text: 'zebra or near' }]);
    for (const term of ['"', 'a" OR "zebra', 'title:', '*', '^zebra', ')', 'NEAR(', '-', "'", '\0', 'zebra" *']) {
      const { total } = await reader.search(query([clause(term)], { mustNot: [clause(term)] }));
      expect(total, term).toBe(0);
    }
  });

  test('counts, spelling, and metadata of the index', async () => {
    const reader = await readerWith([
      { url: site('a'), text: 'configuration crawler 搜索引擎' },
      { url: site('b'), text: 'crawler', language: 'zh' },
    ]);
    expect(await reader.documentCounts(['crawler', 'nothing'])).toEqual([2, 0]);
    for (const wrong of ['crawlr', 'crawller', 'crwaler', 'krawler']) {
      expect((await reader.similar(wrong))[0], wrong).toEqual({ term: 'crawler', documents: 2 });
    }
    expect(await reader.similar('zzzz')).toEqual([]);
    expect(await reader.info()).toMatchObject({ documents: 2, languages: { en: 1, zh: 1 }, isWhole: true });
  });
});

describe('an index that cannot be used', () => {
  const failure = async (reader: IndexReader): Promise<unknown> => reader.info().catch((error: unknown) => error);

  test('is missing, and is found once it exists', async () => {
    const words = await makeIndex(join(folder, 'other'), []);
    const reader = readerOf(words);
    expect(await failure(reader)).toMatchObject({
      code: 'NO_INDEX',
      hint: expect.stringContaining('webcrawl index --all') as string,
    });
    await makeIndex(folder, [{ url: site('a'), text: 'zebra' }]);
    expect(await reader.info()).toMatchObject({ documents: 1 });
    await rm(folder, { recursive: true });
    expect(await failure(reader)).toMatchObject({ code: 'NO_INDEX' });
    await makeIndex(folder, [{ url: site('a') }, { url: site('b') }]);
    expect(await reader.info()).toMatchObject({ documents: 2 });
  });

  test('has another tokenizer, also if that changes while it is open', async () => {
    const words = await makeIndex(folder, [{ url: site('a') }]);
    expect(await failure(readerOf('others-1'))).toMatchObject({
      code: 'NO_INDEX',
      message: expect.stringContaining('others-1') as string,
    });
    const reader = readerOf(words);
    expect(await reader.info()).toMatchObject({ documents: 1 });
    const database = await openDatabase(join(folder, INDEX_FILE), { readOnly: false });
    database.exec(`update info set value = 'others-2' where name = 'words'`);
    expect(await failure(reader)).toMatchObject({
      code: 'NO_INDEX',
      message: expect.stringContaining('others-2') as string,
      hint: expect.stringContaining('restart this process') as string,
    });
    database.exec(`update info set value = '0' where name = 'format'`);
    expect(await failure(reader)).toMatchObject({
      code: 'NO_INDEX',
      message: expect.stringContaining('format') as string,
    });
    database.close();
  });

  test('an error of SQLite is reported as such, and not as a missing index', async () => {
    const reader = readerOf(await makeIndex(folder, [{ url: site('a') }]));
    expect(await reader.info()).toMatchObject({ documents: 1 });
    const none = await openDatabase(join(folder, INDEX_FILE), { readOnly: false });
    none.exec('drop table fts');
    none.close();
    const wrong = await reader.search(query([clause('a')])).catch((error: unknown) => error);
    expect(wrong).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining(folder) as string });
  });

  test('too many sites are rejected before SQLite is asked', async () => {
    const reader = readerOf(await makeIndex(folder, [{ url: site('a') }]));
    const sites = Array.from({ length: 1000 }, (_, i) => ({ start: `com.example${i}`, end: `com.example${i}.` }));
    await expect(reader.search(query([clause('a')], { sites }))).rejects.toMatchObject({ code: 'USAGE' });
    expect(await found(reader, query([], { sites: sites.slice(0, 128) }))).toEqual([]);
  });

  test('is no database', async () => {
    await writeFile(join(folder, INDEX_FILE), 'something else that is long enough to be read'.repeat(100));
    // `index` gives the same advice: it does not overwrite a file of another program.
    const hint = expect.stringContaining('remove it, and webcrawl index rebuilds it') as string;
    expect(await failure(readerOf('any'))).toMatchObject({ code: 'NO_INDEX', hint });
    await expect(openSqliteWriter(folder, 'any', await createWords())).rejects.toMatchObject({
      code: 'BAD_SETTING',
      hint,
    });
  });

  test('is an empty file, in which index creates an index', async () => {
    await writeFile(join(folder, INDEX_FILE), '');
    const hint = 'webcrawl index --all rebuilds it from the table';
    expect(await failure(readerOf('any'))).toMatchObject({ code: 'NO_INDEX', hint });
    await (await openSqliteWriter(folder, 'any', await createWords())).close();
  });

  test('has a file in the place of its folder', async () => {
    const file = join(folder, 'index');
    await writeFile(file, 'x');
    const hint = expect.stringContaining('index.path') as string;
    const reader = openIndexReader({ folder: file });
    await expect(reader.info()).rejects.toMatchObject({ code: 'STORE_FAILED', hint });
    await reader.close();
  });
});

describe('the queue of questions', () => {
  test('rejects a question while one runs and three wait, and answers these', async () => {
    const words = await makeIndex(folder, [{ url: site('a'), text: 'zebra' }]);
    const reader = readerOf(words, { mostWaiting: 3 });
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => reader.search(query([clause('zebra')]))));
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(answers[4]).toMatchObject({ reason: { code: 'SEARCH_BUSY', exitCode: 75 } });
    expect(await reader.documentCounts(['zebra'])).toEqual([1]);
  });

  test('rejects a question after close', async () => {
    const reader = readerOf(await makeIndex(folder, []));
    await reader.close();
    await expect(reader.info()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('answers waiting questions in time, and ends only the one that runs too long', async () => {
    const entry = new URL('hanging-worker.mjs', import.meta.url);
    const reader = readerOf('any', { entry, timeLimit: 3000, waitLimit: 60_000 });
    const hanging = reader.similar('hangs');
    const others = Array.from({ length: 20 }, () => reader.documentCounts(['a']));
    await expect(hanging).rejects.toMatchObject({
      code: 'SEARCH_BUSY',
      message: expect.stringContaining('3 s') as string,
    });
    expect((await Promise.all(others)).flat()).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));

    const impatient = readerOf('any', { entry, timeLimit: 600_000, waitLimit: 50 });
    void impatient.similar('hangs').catch(() => undefined);
    await expect(impatient.documentCounts(['a'])).rejects.toMatchObject({
      code: 'SEARCH_BUSY',
      message: expect.stringContaining('others before it') as string,
    });
  });

  test('skips a question whose client has gone', async () => {
    const entry = new URL('hanging-worker.mjs', import.meta.url);
    const reader = readerOf('any', { entry, timeLimit: 600_000 });
    const gone = new AbortController();
    const hanging = reader.similar('until the others were asked');
    const before = reader.documentCounts(['asked'], gone.signal);
    const after = reader.documentCounts(['names']);
    gone.abort(new Error('gone'));
    await expect(before).rejects.toThrow('gone');
    await expect(reader.info(gone.signal)).rejects.toThrow('gone');
    await hanging;
    // The thread counts its questions.
    expect(await after).toEqual([1]);
  });

  test('answers a hundred clients at once, although together they take longer than one may', async () => {
    const entry = pathToFileURL(join(ROOT, 'dist/tests/reader-worker.js'));
    expect(existsSync(entry), 'run npm run build').toBe(true);
    const words = await makeIndex(
      folder,
      Array.from({ length: 300 }, (_, i) => ({ url: site(`p${i}`), text: `zebra text number n${i} of many` })),
    );
    // For each, some thousand words are tried.
    const misspelt = (i: number): string => `${'abcdefghijklmnopqrstuvwxyz'.repeat(2).slice(i % 26)}`.slice(0, 26) + i;
    const first = readerOf(words, { entry });
    let longest = 0;
    for (let i = 200; i < 206; i++) {
      const began = performance.now();
      await first.similar(misspelt(i));
      longest = Math.max(longest, performance.now() - began);
    }
    const timeLimit = Math.max(longest * 15, 500);
    const reader = readerOf(words, { entry, timeLimit, waitLimit: 600_000 });
    const began = performance.now();
    const rounds = Math.ceil((2 * timeLimit) / longest / 100);
    for (let round = 0; round < rounds || performance.now() - began < timeLimit; round++) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          i % 10 === 0 ? reader.info() : reader.similar(misspelt(i + round * 100)),
        ),
      );
      expect(answers).toHaveLength(100);
    }
  });
});
