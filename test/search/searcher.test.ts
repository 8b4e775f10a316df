import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWords, openIndexReader, type IndexReader } from '../../packages/index/index.js';
import { MAX_WORDS } from '../../packages/search/query/plan-query.js';
import { createReadBudget, createSearcher, type ReadBudget, type Searcher } from '../../packages/search/index.js';
import { loadSettings } from '../../config/index.js';
import { rowKeyOf } from '../../webtable/index.js';
import { makeIndex, type MadeDocument } from '../support/index/made-index.js';
import { testFolder } from '../support/files/temp-folder.js';

let folder: string;
let searcher: Searcher | undefined;
let reader: IndexReader;
beforeEach(() => {
  folder = testFolder();
  read = [];
});
afterEach(() => searcher?.close());

interface Made {
  readonly isWhole?: boolean;
  /** Pages that are no longer in the table. */
  readonly gone?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly budget?: ReadBudget;
}

/** The rows of each read. */
let read: (readonly string[])[];

async function searcherOf(
  documents: readonly MadeDocument[],
  { isWhole = true, gone = [], settings = {}, budget }: Made = {},
): Promise<Searcher> {
  await makeIndex(folder, documents, isWhole);
  const words = await createWords();
  const state = { status: 'fetched', parseStatus: { code: 'success' } };
  const rows = new Map(
    documents.map(({ url, title, text }) => [rowKeyOf(url), { key: rowKeyOf(url), title, text, ...state }]),
  );
  for (const url of gone) rows.delete(rowKeyOf(url));
  searcher = createSearcher({
    pages: {
      getMany(keys: readonly string[]) {
        read.push(keys);
        return Promise.resolve(keys.map((key) => rows.get(key)));
      },
    } as never,
    ...(budget && { budget }),
    settings: loadSettings({ overrides: settings }).settings,
    reader: (reader = openIndexReader({ folder, words: words.name, entry: undefined })),
    words,
  });
  return searcher;
}

const site = (path: string, host = 'example.com') => `https://${host}/${path}`;
const many = (count: number, host = 'example.com'): MadeDocument[] =>
  Array.from({ length: count }, (_, i) => ({
    url: site(`p${String(i).padStart(3, '0')}`, host),
    title: `Page ${i}`,
    text: `Zebras live here, number ${i} of ${host}.`,
  }));

describe('a search', () => {
  test('gives title, URL and marked snippet, in any form of the word and any letter case', async () => {
    const { search } = await searcherOf([
      { url: site('a'), title: ' The\u0000 <b>Zebra</b>\n page ', text: 'Of zebras. And more.', rank: 0.5 },
      ...many(0),
    ]);
    const { hits, total, page, pages, notices } = await search('ZEBRA');
    expect({ total, page, pages, notices }).toEqual({ total: 1, page: 1, pages: 1, notices: [] });
    expect(hits).toMatchObject([{ url: site('a'), title: 'The <b>Zebra</b> page', language: 'en', rank: 0.5 }]);
    expect(hits[0]?.snippet).toEqual([
      { text: 'Of ', hit: false },
      { text: 'zebras', hit: true },
      { text: '. And more.', hit: false },
    ]);
  });

  test('pages through the best hundred, each once, the same every time', async () => {
    const { search } = await searcherOf(many(130));
    const urls: string[] = [];
    for (let page = 1; page <= 10; page++) urls.push(...(await search('zebra', { page })).hits.map(({ url }) => url));
    expect(new Set(urls).size).toBe(100);
    expect(await search('zebra', { page: 10 })).toMatchObject({ total: 130, pages: 10, page: 10 });
    expect((await search('zebra', { page: 11 })).hits).toEqual([]);
    expect((await search('zebra', { page: 2, limit: 30 })).hits.map(({ url }) => url)).toEqual(urls.slice(30, 60));
  });

  test('folds more than two hits of a host, and shows them unfolded', async () => {
    const hosts = Array.from({ length: 10 }, (_, i) => `h${i}.example`);
    const { search } = await searcherOf(hosts.flatMap((host) => many(4, host)));
    const folded = await search('zebra');
    expect(folded.hits.filter(({ moreFromHost }) => moreFromHost === 2)).not.toEqual([]);
    expect(folded.pages).toBe(2);
    expect((await search('zebra', { fold: false })).pages).toBe(4);
    const of = folded.hits.find(({ moreFromHost }) => moreFromHost === 2)!;
    expect(of.hostQuery).toBe(`zebra site:${new URL(of.url).hostname}`);
    const narrowed = await search('zebra lang:en site:example -site:h9.example site:other.example "live here');
    const { url, hostQuery = '' } = narrowed.hits.find(({ hostQuery }) => hostQuery !== undefined)!;
    const { hostname } = new URL(url);
    expect(hostQuery).toBe(`zebra "live here" lang:en -site:h9.example site:${hostname}`);
    const all = (await search(hostQuery)).hits;
    expect(all.map((hit) => new URL(hit.url).hostname)).toEqual([hostname, hostname, hostname, hostname]);
  });

  test('leaves out very common words beside another word, and says so', async () => {
    const { search } = await searcherOf([...many(1000), { url: site('x'), text: 'A rhinoceros.' }]);
    const { total, notices } = await search('zebra rhinoceros');
    expect(total).toBe(1);
    expect(notices).toMatchObject([{ code: 'common_words', message: expect.stringContaining('zebra') as string }]);
    expect((await search('zebra here')).total).toBe(1000);
  });

  test('keeps very common words on a small site', async () => {
    const { search } = await searcherOf([...many(20), { url: site('x'), text: 'A zebra, not a rhinoceros.' }]);
    expect(await search('zebra rhinoceros')).toMatchObject({ total: 1, notices: [] });
  });

  test('finds pages with some of the words if none has all, and says so', async () => {
    const { search } = await searcherOf([
      { url: site('a'), text: 'alpha beta' },
      { url: site('b'), text: 'gamma' },
      { url: site('c'), text: 'delta' },
      { url: site('d'), text: 'delta' },
      { url: site('e'), text: 'delta' },
    ]);
    const { hits, notices } = await search('alpha beta gamma');
    expect(hits.map(({ url }) => url)).toEqual([site('a'), site('b')]);
    expect(notices.map(({ code }) => code)).toEqual(['some_words']);
    expect((await search('"alpha gamma"')).total).toBe(0);
  });

  describe('for a name', () => {
    const praise = { headings: 'select', anchors: 'select', text: 'select '.repeat(40), rank: 0.9 };
    const urlsOf = async (documents: readonly MadeDocument[], query: string, fold = true) =>
      (await (await searcherOf(documents)).search(query, { fold })).hits.map(({ url }) => url.replace(/.*com\//, ''));

    test('shows exact titles and files first, then near names, then the best of the others', async () => {
      const documents = [
        { url: site('best'), title: 'All of select', ...praise },
        { url: site('git-select.html'), title: 'About git', text: 'select' },
        { url: site('first'), title: 'SELECT statements', text: 'none' },
        { url: site('part'), title: 'The manual | Select', text: 'none' },
        { url: site('select.html'), title: 'Waiting', text: 'none' },
        { url: site('title'), title: '2.1. Select (7)', text: 'none' },
        { url: site('folder/Select/index.html'), title: 'Page', text: 'none' },
        { url: site('select?id=1'), title: 'Item', text: 'none' },
      ];
      const found = await urlsOf(documents, 'select', false);
      expect(found.slice(0, 3).sort()).toEqual(['folder/Select/index.html', 'select.html', 'title']);
      expect(found.slice(3, 6).sort()).toEqual(['first', 'git-select.html', 'part']);
      expect(found.slice(6).sort()).toEqual(['best', 'select?id=1']);
    });

    test.each(['create index', 'CreateIndex', 'create-index'])(
      'ignores how its words are joined: %s',
      async (query) => {
        const create = { url: site('lang_createindex.html'), title: 'CREATE INDEX', text: 'none' };
        const other = {
          url: site('list'),
          title: 'List to create an index',
          text: 'create index createindex '.repeat(40),
        };
        expect(await urlsOf([other, create], query)).toEqual(['lang_createindex.html', 'list']);
      },
    );

    test('ignores a first word that very many titles share', async () => {
      const shared = Array.from({ length: 21 }, (_, i) => ({ url: site(`p${i}`), title: `Select ${i}`, text: 'none' }));
      const best = { url: site('best'), title: 'All of select', ...praise };
      expect((await urlsOf([...shared.slice(1), best], 'select'))[0]).not.toBe('best');
      expect((await urlsOf([...shared, best], 'select'))[0]).toBe('best');
    });

    test('keeps the conditions of the query, and ignores names in a query for a field', async () => {
      const documents = [
        { url: site('best'), title: 'All of select', ...praise },
        { url: site('select'), title: 'Select', text: 'old', language: 'de' },
        { url: site('select', 'other.example'), title: 'Select', text: 'none' },
      ];
      const { search } = await searcherOf(documents);
      const found = async (query: string) => (await search(query)).hits.map(({ url }) => url);
      expect((await found('select'))[2]).toBe(site('best'));
      expect(await found('select -old site:example.com')).toEqual([site('best')]);
      expect((await found('select lang:en'))[0]).toBe(site('select', 'other.example'));
      expect((await search('select')).total).toBe(3);
      expect((await found('inanchor inurl:select'))[0]).not.toBe(site('best'));
    });
  });

  test.each([
    ['e-mail', 'email'],
    ['UTF-8', 'utf8'],
    ['RFC 9110', 'RFC9110'],
  ])('finds the same pages for %s and %s', async (apart, together) => {
    const { search } = await searcherOf([
      { url: site('a'), text: `About ${apart}.` },
      { url: site('b'), text: `About ${together}.` },
      { url: site('c'), text: 'About a post of 911.' },
    ]);
    for (const query of [apart, together, together.toUpperCase()]) {
      const { hits, notices } = await search(query);
      expect(hits.map(({ url }) => url).sort()).toEqual([site('a'), site('b')]);
      for (const { snippet } of hits) expect(snippet.filter(({ hit }) => hit)).not.toEqual([]);
      expect(notices).toEqual([]);
    }
  });

  test('suggests another spelling if it finds more, in a form that a page has', async () => {
    const { search } = await searcherOf([
      ...many(5),
      { url: site('x'), title: 'Installation', text: 'Notes on the installation of software.' },
    ]);
    expect((await search('zebar')).didYouMean).toBe('zebras');
    expect((await search('softwre site:example.com')).didYouMean).toBe('software site:example.com');
    expect((await search('zebra')).didYouMean).toBeUndefined();
    expect((await search('qqqqqq')).didYouMean).toBeUndefined();
    expect((await search('斑马')).didYouMean).toBeUndefined();
    expect((await search('installation'.replace('ll', 'l').repeat(2))).didYouMean).toBeUndefined();
  });

  test('of very many common words counts only as many as it searches, for another spelling', async () => {
    const common = Array.from({ length: 60 }, (_, i) => `word${String.fromCharCode(97 + (i % 26))}${i}`);
    await searcherOf(many(3).map((document) => ({ ...document, text: common.join(' ') })));
    const counts = vi.spyOn(reader!, 'documentCounts');
    await searcher!.search([...common, 'qqqqqq'].join(' ').replace('worda0', '"no such"'));
    expect(counts.mock.calls.length).toBeLessThanOrEqual(2 * MAX_WORDS);
  });

  test('suggests nothing after an abort', async () => {
    const { suggest } = await searcherOf(many(3));
    await expect(suggest('pa', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });

  test('looks up a limited number of spellings for many misspelt words', async () => {
    await searcherOf([
      ...many(5),
      { url: site('fr'), language: 'fr', text: 'La maison' },
      { url: site('de'), language: 'de', text: 'Das Haus' },
      { url: site('ru'), language: 'ru', text: 'Дом' },
    ]);
    const similar = vi.spyOn(reader, 'similar');
    await searcher!.search('zebar zebra');
    // The forms of a word that is on many pages are not looked up.
    expect(similar.mock.calls.filter(([term]) => term.startsWith('zebra'))).toEqual([]);
    similar.mockClear();
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    await searcher!.search([...letters].map((letter) => `${letter}xqzwingationes`).join(' '));
    expect(similar.mock.calls.length).toBeLessThanOrEqual(8);
    expect(similar.mock.calls.length).toBeGreaterThan(0);
  });

  test('prefers pages in the first language of the reader in which the query may be written', async () => {
    const title = 'SELECT 茶';
    const languages = ['pt', 'fr', 'en', 'de', 'ja', 'zh'];
    const { search } = await searcherOf(
      languages.map((language) => ({ url: site(language), title, text: 'select 茶', language })),
    );
    const first = async (query: string, ...known: string[]): Promise<string | undefined> =>
      (await search(query, { languages: known })).hits[0]?.language;
    for (const language of ['pt', 'fr', 'en', 'de']) expect(await first('select', language, 'zh')).toBe(language);
    // No page is in the first language, and none can be in the second.
    expect(await first('select', 'sv', 'ru', 'fr', 'en')).toBe('fr');
    // A query in Chinese characters is not in English.
    expect(await first('茶', 'en', 'zh')).toBe('zh');
    expect(await first('茶', 'en', 'ja')).toBe('ja');
    expect(await first('select')).toBe(await first('select', 'sv'));
  });

  test('counts the pages with all words, and states how many others are shown', async () => {
    const { search } = await searcherOf([
      { url: site('a'), title: 'x', text: 'red fox section' },
      { url: site('b'), title: 'The red fox', text: 'trees and rivers' },
      { url: site('c'), title: 'Fox section', text: 'houses on a hill' },
      { url: site('d'), title: 'x', text: 'fox' },
      ...many(10),
    ]);
    const { total, hits, notices } = await search('red fox section');
    expect(total).toBe(1);
    expect(hits.map(({ url }) => url).sort()).toEqual([site('a'), site('b'), site('c')]);
    expect(notices).toEqual([
      { code: 'some_words_too', message: expect.stringContaining(' 2 others ') as string, count: 2 },
    ]);
  });

  test('reads only as many rows at once as memory allows, and none to complete a word', async () => {
    const { search, suggest } = await searcherOf(many(20));
    expect((await search('zebra', { fold: false })).hits).toHaveLength(10);
    expect(read.map(({ length }) => length)).toEqual([2, 2, 2, 2, 2]);
    read = [];
    expect(await suggest('pag')).toEqual(['page']);
    expect(read).toEqual([]);
  });

  test('and a completion share one budget', async () => {
    const places: number[] = [];
    const budget = createReadBudget({ bytes: 12 * 2 ** 20, mostWaiting: 0 });
    const counting: ReadBudget = {
      run(bytes, task, signal) {
        places.push(bytes);
        return budget.run(bytes, task, signal);
      },
    };
    const { search, suggest } = await searcherOf(many(20), { budget: counting });
    const first = search('zebra');
    await expect(search('zebra')).rejects.toMatchObject({ code: 'SEARCH_BUSY' });
    await expect(suggest('pag')).rejects.toMatchObject({ code: 'SEARCH_BUSY' });
    expect((await first).total).toBe(20);
    expect(await suggest('pag')).toEqual(['page']);
    expect(places).toEqual([14.5, 14.5, 1, 1].map((n) => n * 2 ** 20));
  });

  test('completes the last word by words of titles', async () => {
    const { suggest } = await searcherOf([
      { url: site('a'), title: 'Installation guide', rank: 0.1 },
      { url: site('b'), title: 'Installing Debian', rank: 0.5 },
      { url: site('c'), title: 'Other', text: 'instance' },
    ]);
    expect((await suggest('inst')).sort()).toEqual(['installation', 'installing']);
    expect(await suggest('debian inst')).toEqual(['debian installing']);
    expect(await suggest('Installat')).toEqual(['installation']);
    expect(await suggest('')).toEqual([]);
    for (const none of ['inst ', 'debian -', 'debian "', 'debian -inst', 'debian site:ex', 'debian +', 'lang:en']) {
      expect(await suggest(none), none).toEqual([]);
    }
    expect(await suggest('site:example.com inst')).toHaveLength(2);
    expect(await suggest('site:other.example inst')).toEqual([]);
    expect(await suggest('lang:fr inst')).toEqual([]);
  });

  test('completes words as titles spell them', async () => {
    const { suggest } = await searcherOf([
      { url: site('a'), title: 'Le R\u00e9seau', language: 'fr', rank: 0.5 },
      { url: site('b'), title: 'RESEAU', language: 'fr', rank: 0.1 },
      { url: site('c'), title: 'Die Stra\u00dfe', language: 'de' },
    ]);
    expect(await suggest('res')).toEqual(['r\u00e9seau']);
    expect(await suggest('r\u00e9s')).toEqual(['r\u00e9seau']);
    expect(await suggest('stras')).toEqual(['stra\u00dfe']);
  });

  test('leaves out a page that is no longer in the table, and names one without a title by its URL', async () => {
    const { search } = await searcherOf(
      [
        { url: site('a'), text: 'zebra' },
        { url: site('b'), text: 'zebra' },
      ],
      { gone: [site('b')] },
    );
    expect((await search('zebra')).hits.map(({ title }) => title)).toEqual([site('a')]);
  });

  test('does not count removed pages, and shows others in their place', async () => {
    const pages = many(30);
    const gone = pages.slice(0, 12).map(({ url }) => url);
    const { search } = await searcherOf(pages, { gone });
    expect(await search('zebra', { fold: false })).toMatchObject({ total: 18, pages: 2, hits: { length: 10 } });
    const all = await searcherOf(pages, { gone: pages.map(({ url }) => url) });
    expect(await all.search('zebra')).toMatchObject({ total: 0, pages: 0, hits: [] });
    // Beyond the first hundred, the same share counts as among them.
    const most = many(400);
    const none = await searcherOf(most, { gone: most.map(({ url }) => url) });
    expect(await none.search('zebra')).toMatchObject({ total: 0, hits: [], isApproximate: true });
  });

  test('reports that an index is not complete yet', async () => {
    const { search } = await searcherOf(many(1), { isWhole: false });
    expect((await search('zebra')).notices).toMatchObject([{ code: 'index_incomplete' }]);
  });

  test.each([
    ['', 'no_word'],
    ['!!!', 'no_word'],
    ['-zebra', 'only_excluded'],
    ['site:', 'operator_without_value'],
    ['zebra after:never', 'bad_date'],
    [`zebra ${'w '.repeat(10_000)}`, 'too_many_words'],
    ['\u0000\u0001', 'no_word'],
    [`zebra ${Array.from({ length: 505 }, (_, i) => `site:h${i}.example`).join(' ')}`, 'too_many_sites'],
    [`"${'zebras live here number '.repeat(20)}"`, 'too_many_words'],
  ])('%#: has a notice for a query that is not plain', async (query, code) => {
    const { search } = await searcherOf(many(3));
    expect((await search(query)).notices.map((notice) => notice.code)).toContain(code);
  });

  test('has weights as settings', async () => {
    const documents = [
      { url: site('a'), title: 'my zebra', text: 'other words' },
      { url: site('b'), title: 'page', text: 'zebra zebra' },
      ...many(0),
      ...Array.from({ length: 8 }, (_, i) => ({ url: site(`o${i}`), text: 'none' })),
    ];
    expect((await (await searcherOf(documents)).search('zebra')).hits[0]?.url).toBe(site('a'));
    await searcher?.close();
    const other = await searcherOf(documents, { settings: { 'search.weightTitle': 0.1 } });
    expect((await other.search('zebra')).hits[0]?.url).toBe(site('b'));
  });

  test.each([{ page: 0 }, { page: 1.5 }, { limit: 0 }, { limit: 101 }, { page: NaN }])(
    'rejects %j',
    async (options) => {
      const { search } = await searcherOf([]);
      await expect(search('zebra', options)).rejects.toMatchObject({ code: 'USAGE' });
    },
  );
});
