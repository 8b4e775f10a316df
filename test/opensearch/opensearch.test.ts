/** A real OpenSearch, started from Maven: see `npm run test:opensearch`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMaven } from '../../bench/lib/maven.js';
import { startOpenSearch, type OpenSearchServer } from '../../bench/lib/opensearch-server.js';
import { createWords, openOpenSearchReader, openOpenSearchWriter, type Words } from '../../packages/index/index.js';
import { askIndex, parseQuery } from '../../packages/search/index.js';
import { jobs, rowKeyOf, search, status } from '../../packages/webcrawl/internal.js';
import type { IndexWriter } from '../../packages/plugin-api/index.js';
import { ROOT } from '../support/docs/source-files.js';
import { killIndex, KILLED_TABLES, makeKilledTables, type KilledIndex } from '../support/index/killed-index.js';
import { piecesOf, SCRIPTS, textOf } from '../support/index/pieces.js';
import { checkWriter, keyOf, put } from '../support/index/writer-suite.js';
import { round } from '../support/job-steps.js';
import { testCrawl } from '../support/test-crawl.js';
import { fakeWeb } from '../support/web/fake-web.js';

const KILLS = 6;
/** For the start on a busy machine; it takes half a minute on a quiet one. */
const START_MS = 900_000;

const isHere = hasMaven();
if (!isHere) console.warn('OpenSearch is left out: it takes Maven and a JDK of version 17');

describe.skipIf(!isHere)('OpenSearch', () => {
  let server: OpenSearchServer;
  let words: Words;
  beforeAll(async () => {
    words = await createWords();
    server = await startOpenSearch(join(ROOT, 'bench/opensearch'), join(ROOT, '.cache'));
  }, START_MS);
  afterAll(() => server?.stop(), START_MS);

  const open = (name: string, table = 'a table'): Promise<IndexWriter> =>
    openOpenSearchWriter({ url: `${server.url}/${name}`, tries: 4, wait: 100 }, table, words);
  const openReader = (name: string, more: { words?: string; table?: string } = {}) =>
    openOpenSearchReader({ url: `${server.url}/${name}`, words: words.name, table: 'a table', ...more });

  async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(server.url + path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return answer.json();
  }

  test('adds, replaces, ranks and removes; again changes nothing', async () => {
    await checkWriter(() => open('contract'));
  });

  test('stores many documents, some of them long', async () => {
    const writer = await open('many');
    const changes = Array.from({ length: 2500 }, (_, n) =>
      put(n, n % 500 === 0 ? { text: '汉字 words '.repeat(50_000) } : {}),
    );
    expect(await writer.apply(changes)).toEqual({ added: 2500, changed: 0, removed: 0 });
    let count = 0;
    for (
      let after: string | undefined, step;
      (step = await writer.entries(after, 1000)).length > 0;
      after = step.at(-1)!.key
    )
      count += step.length;
    expect(count).toBe(2500);
    await writer.close();
  });

  test('reports a full disk, a late writer, and a mapping of another program', async () => {
    const writer = await open('trouble');
    await writer.apply([put(1)]);
    await ask('PUT', '/trouble/_settings', { 'index.blocks.read_only_allow_delete': true });
    await expect(writer.apply([put(2)])).rejects.toMatchObject({ code: 'STORE_FULL' });
    await expect(open('trouble')).rejects.toMatchObject({ code: 'STORE_FULL' });
    await ask('PUT', '/trouble/_settings', { 'index.blocks.read_only_allow_delete': null });
    const later = await open('trouble');
    await later.apply([put(1, { text: 'later' }), put(2)]);
    await expect(writer.apply([put(1, { text: 'late' })])).rejects.toThrow('another process writes the search index');
    await writer.close();
    await later.close();
    await expect(open('trouble', 'another table')).rejects.toMatchObject({ code: 'WRONG_INDEX' });
    await ask('PUT', '/foreign', {});
    await expect(open('foreign')).rejects.toMatchObject({ code: 'BAD_SETTING' });
    await ask('PUT', '/foreign/_alias/other-name');
    await expect(open('other-name')).rejects.toMatchObject({ code: 'BAD_SETTING' });
  });

  test('finds a page by every part of its text', async () => {
    const texts = SCRIPTS.flatMap((language) =>
      fc.sample(textOf(language), { seed: 34, numRuns: 5 }).map((text) => ({ language, text })),
    );
    const writer = await open('pieces');
    await writer.apply(texts.map((each, n) => put(n, each)));
    await writer.markWhole();
    await writer.entries(undefined, 1);
    await writer.close();
    const reader = await openReader('pieces');
    const info = await reader.info();
    const weights = { title: 8, headings: 4, anchors: 3, url: 2, text: 1, rank: 0.5, language: 2 };
    const missed: string[] = [];
    for (const [n, { language, text }] of texts.entries()) {
      for (const piece of fc.sample(fc.constantFrom(...piecesOf(language, text, 1, 6)), { seed: n, numRuns: 10 })) {
        const asked = { reader, words, info, weights, commonWords: 1, limit: texts.length };
        const { found } = await askIndex(parseQuery(piece), asked);
        if (!found.hits.some(({ key }) => key === keyOf(n))) missed.push(`${piece} in ${text}`);
      }
    }
    await reader.close();
    expect(missed).toEqual([]);
  });

  test('finds words, phrases, fields, sites, languages and times', async () => {
    const writer = await open('searched');
    const day = 86_400_000;
    await writer.apply([
      put(1, { title: 'Zebra crossing', text: 'Where people walk over streets', rank: 0.1, modifiedAt: 10 * day }),
      put(2, {
        title: 'Animals',
        text: 'A zebra walks over a long street',
        rank: 0.1,
        fetchedAt: 20 * day,
        language: 'ko',
      }),
      put(3, { title: 'Streets', text: 'Long and over', anchors: 'the zebra page', rank: 0.7 }),
      put(4, { title: '南京大学', text: '南京大学在南京市', language: 'zh' }),
    ]);
    await writer.markWhole();
    await writer.entries(undefined, 1);
    const reader = await openReader('searched');
    expect(await reader.info()).toMatchObject({
      documents: 4,
      languages: { en: 2, ko: 1, zh: 1 },
      isWhole: true,
      words: words.name,
    });
    const weights = { title: 8, headings: 4, anchors: 3, url: 2, text: 1, rank: 0.5, language: 2 };
    const found = async (more: object): Promise<string[]> => {
      const asked = { must: [], mustNot: [], weights, limit: 10, ...more };
      return (await reader.search(asked)).hits.map(({ key }) => key);
    };
    const clause = (text: string, more = {}) => ({
      phrases: [words.split(text).map(({ term }) => words.stem(term, 'en'))],
      ...more,
    });
    expect(await found({ must: [clause('zebra')] })).toEqual([1, 3, 2].map(keyOf));
    expect(await found({ must: [clause('zebra')], preferred: ['ko'], weights: { ...weights, language: 50 } })).toEqual(
      [2, 1, 3].map(keyOf),
    );
    expect(await found({ must: [clause('zebra')], mustNot: [clause('street')] })).toEqual([]);
    expect(await found({ must: [clause('long street')] })).toEqual([keyOf(2)]);
    expect(await found({ must: [clause('zeb', { isPrefix: true, fields: ['title'] })] })).toEqual([keyOf(1)]);
    expect(await found({ must: [clause('南京大学')] })).toEqual([keyOf(4)]);
    expect(await found({ must: [clause('zebra'), clause('over')], together: [['zebra', 'over']] })).toContain(keyOf(2));
    expect(await found({ must: [clause('zebra')], languages: ['ko'] })).toEqual([keyOf(2)]);
    expect(await found({ must: [clause('zebra')], notLanguages: ['ko'] })).toEqual([1, 3].map(keyOf));
    expect(await found({ must: [clause('zebra')], to: 15 * day })).toEqual([keyOf(1)]);
    expect(await found({ must: [clause('zebra')], from: 15 * day, to: 25 * day })).toEqual([keyOf(2)]);
    expect(await found({ sites: [{ start: keyOf(2), end: keyOf(4) }] })).toEqual([3, 2].map(keyOf));
    expect(await found({ sites: [{ start: keyOf(3) }], notSites: [{ start: keyOf(4) }] })).toEqual([keyOf(3)]);
    expect(await reader.documentCounts(['zebra', words.stem('street', 'en'), 'nowhere'])).toEqual([3, 3, 0]);
    expect(await reader.similar('zebar')).toEqual([{ term: 'zebra', documents: expect.any(Number) as number }]);
    await reader.close();

    const others = await Promise.all([
      openReader('searched', { words: 'others' }),
      openReader('missing'),
      openReader('searched', { table: 'b' }),
    ]);
    const codes = others.map((other) =>
      other.info().then(
        () => 'none',
        ({ code }: { code: string }) => code,
      ),
    );
    expect(await Promise.all(codes)).toEqual(['NO_INDEX', 'NO_INDEX', 'WRONG_INDEX']);
    for (const other of others) await other.close();
    await writer.close();
  });

  test('shows exact titles and files first, then near names, then the best of the others', async () => {
    const writer = await open('named');
    await writer.apply([
      put(1, { title: 'All of select', headings: 'select', anchors: 'select', text: 'select '.repeat(40), rank: 0.9 }),
      put(2, { title: 'SELECT statements', text: 'none' }),
      put(3, { title: 'Select', text: 'none' }),
    ]);
    await writer.markWhole();
    await writer.entries(undefined, 1);
    await writer.close();
    const reader = await openReader('named');
    const weights = { title: 8, headings: 4, anchors: 3, url: 2, text: 1, rank: 0.5, language: 2 };
    const asked = { reader, words, info: await reader.info(), weights, commonWords: 1, limit: 10 };
    const { found } = await askIndex(parseQuery('select'), asked);
    await reader.close();
    expect(found.hits.map(({ key }) => key)).toEqual([3, 2, 1].map(keyOf));
  });

  test('is used by index and search with index.writer and index.url', async () => {
    const web = fakeWeb({
      'http://a.example/': { html: '<title>Home</title><a href="/one">The first</a> <a href="/two">two</a>' },
      'http://a.example/one': { html: '<title>One</title><p>words of the first page</p>' },
      'http://a.example/two': { html: '<title>第二</title><p>南京大学的网页</p>' },
    });
    const settings = { 'index.writer': 'opensearch', 'index.url': `${server.url}/table` } as const;
    await using crawl = await testCrawl(web, { settings });
    await jobs.inject(crawl, { seeds: ['http://a.example/'] });
    await round(crawl);
    await round(crawl);
    expect((await jobs.index(crawl)).counters).toMatchObject({ added: 3 });
    expect((await jobs.index(crawl, { all: true })).counters).toMatchObject({ unchanged: 3 });
    expect((await search(crawl, '南京大学')).hits.map(({ url }) => url)).toEqual(['http://a.example/two']);
    expect((await search(crawl, 'frist page')).didYouMean).toBe('first page');
    expect((await status(crawl)).index).toMatchObject({ documents: 3 });
    await crawl.tables.pages.write([{ key: rowKeyOf('http://a.example/one'), set: { status: 'gone' } }]);
    expect((await jobs.index(crawl, { all: true })).counters).toMatchObject({ removed: 1 });
  });

  describe('index that is killed ends in the same index', () => {
    let folder: string;
    const nameOf = (table: string): string => table.slice(table.lastIndexOf('/') + 1);
    const index: KilledIndex = {
      settings: (table) => ({ 'index.writer': 'opensearch', 'index.url': `${server.url}/${nameOf(table)}` }),
      async dump(table) {
        await ask('POST', `/${nameOf(table)}/_refresh`);
        const body = { size: 5000, sort: ['key'], _source: { excludes: ['indexedAt'] } };
        const { hits } = (await ask('POST', `/${nameOf(table)}/_search`, body)) as {
          hits: { hits: { _source: unknown }[] };
        };
        return hits.hits.map(({ _source }) => _source);
      },
      async copied(table, copy) {
        await ask('DELETE', `/${nameOf(copy)}`);
        if (!(await fetch(`${server.url}/${nameOf(table)}`)).ok) return;
        await ask('PUT', `/${nameOf(table)}/_settings`, { 'index.blocks.write': true });
        await ask('POST', `/${nameOf(table)}/_clone/${nameOf(copy)}?wait_for_active_shards=1`);
        await ask('PUT', `/${nameOf(copy)}/_settings`, { 'index.blocks.write': null });
        await ask('GET', `/_cluster/health/${nameOf(copy)}?wait_for_status=yellow`);
      },
    };
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'webcrawl-opensearch-kill-'));
      await makeKilledTables(folder, index);
    }, START_MS);
    afterAll(() => rm(folder, { recursive: true, force: true }));

    test.each(KILLED_TABLES)('%s', (table) => killIndex(folder, table, KILLS, index), START_MS);
  });
});
