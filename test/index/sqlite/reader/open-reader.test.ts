import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  INDEX_FILE,
  openDatabase,
  openIndexReader,
  type Clause,
  type IndexQuery,
  type IndexReader,
  type ReaderOptions,
} from '../../../../packages/index/index.js';
import { urlOf } from '../../../../webtable/index.js';
import { makeIndex, type MadeDocument } from '../../../support/index/made-index.js';

let folder: string;
const open: IndexReader[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-reader-'));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((reader) => reader.close()));
  await rm(folder, { recursive: true });
});

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
  open.push(reader);
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

describe('what is found', () => {
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

  test('of pages alike the one with the higher rank comes first, of equal ones the lower key', async () => {
    const text = 'zebra';
    const reader = await readerWith([
      { url: site('c'), text },
      { url: site('b'), text },
      { url: site('a'), text, rank: 0.1 },
      { url: site('d'), text, rank: 0.5 },
    ]);
    expect(await found(reader, query([clause('zebra')]))).toEqual(['d', 'a', 'b', 'c']);
  });

  test('phrases, alternatives, fields, beginnings, and what is left out', async () => {
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
      { url: 'https://example.com/a', text: 'zebra', modifiedTime: 5 * day, fetchedAt: 9 * day },
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

  test('nothing of a query is read as syntax', async () => {
    const reader = await readerWith([{ url: site('a'), text: 'zebra or near' }]);
    for (const term of ['"', 'a" OR "zebra', 'title:', '*', '^zebra', ')', 'NEAR(', '-', "'", '\0', 'zebra" *']) {
      const { total } = await reader.search(query([clause(term)], { mustNot: [clause(term)] }));
      expect(total, term).toBe(0);
    }
  });

  test('counts, spelling, and what is known of the index', async () => {
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

  test('there is none, and it is found once it is there', async () => {
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

  test('it is of another tokenizer, also where it becomes so while it is open', async () => {
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
    });
    database.exec(`update info set value = '0' where name = 'format'`);
    expect(await failure(reader)).toMatchObject({
      code: 'NO_INDEX',
      message: expect.stringContaining('format') as string,
    });
    database.close();
  });

  test('it is no database', async () => {
    await writeFile(join(folder, INDEX_FILE), 'something else that is long enough to be read'.repeat(100));
    expect(await failure(readerOf('any'))).toMatchObject({ code: 'NO_INDEX' });
  });
});

describe('the line', () => {
  test('what comes while it is full is refused, and all that wait are answered', async () => {
    const words = await makeIndex(folder, [{ url: site('a'), text: 'zebra' }]);
    const reader = readerOf(words, { mostWaiting: 3 });
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => reader.search(query([clause('zebra')]))));
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(answers[4]).toMatchObject({ reason: { code: 'SEARCH_BUSY', exitCode: 75 } });
    expect(await reader.documentCounts(['zebra'])).toEqual([1]);
  });

  test('what is asked behind close is refused', async () => {
    const reader = readerOf(await makeIndex(folder, []));
    await reader.close();
    await expect(reader.info()).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
