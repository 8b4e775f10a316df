import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  jobs,
  openContext,
  openSearch,
  search,
  serve,
  status,
  type OpenContext,
  type Plugin,
} from '../../packages/webcrawl/internal.js';
import { round } from '../support/job-steps.js';
import { fakeWeb } from '../support/web/fake-web.js';
import { freshFolder, suiteFolder } from '../support/files/temp-folder.js';
import { testCrawl } from '../support/test-crawl.js';

const WALRUS = '<html lang="en"><title>Animals</title><p>A walrus sleeps on the ice all day long.';
const LONG = `<h1>Walrus</h1><h2>Ice</h2>${'<p>A walrus sleeps on the <a href=/ice>ice</a> all day long, and dives at night. '.repeat(8)}`;
const PAGES = {
  'http://b.example/': WALRUS,
  'http://b.example/nosnippet': `<meta name=robots content=nosnippet>${WALRUS}`,
  'http://b.example/noarchive': `<meta name=webcrawl content=noarchive>${WALRUS}`,
  'http://b.example/max': `<meta name=robots content="max-snippet:20">${WALRUS}`,
  'http://b.example/other': `<meta name=otherbot content="nosnippet, noarchive">${WALRUS}`,
  'http://b.example/main': `<title>Ice</title><nav><a href=/m>Menu</a></nav><main>${LONG}</main>`,
  'http://b.example/hidden': `<title>Ice</title><main>${LONG}<div data-nosnippet>secret</div></main>`,
  'http://a.example/':
    '<html lang="en"><title>Home of zebras</title><p>All about animals. <a href="/one">one</a> <a href="/zh">zh</a>',
  'http://a.example/one': '<html lang="en"><title>One</title><p>A zebra is running.',
  'http://a.example/zh': '<html lang="zh"><title>大桥</title><p>南京市长江大桥是中国的一座桥梁。',
};

const MENU = '<div><a href=/m>Modules</a> | <a href=/d>Directives</a> | <a href=/f>FAQ</a> of the walrus</div>';
const ARTICLE = 'The servers of this museum answer many questions, and directives tell them how.';
const filler = (sentence: string): string => `<p>${sentence} `.repeat(60);

const folder = freshFolder();
const open: OpenContext[] = [];
afterEach(async () => {
  for (const crawl of open.splice(0).reverse()) await crawl.close();
});

async function openTable(...more: readonly Plugin[]): Promise<OpenContext> {
  const settings = { 'fetcher.serverDelay': 0 };
  const lookup = () => Promise.resolve(['127.0.0.1']);
  const crawl = await openContext({
    table: join(folder, 'table'),
    settings,
    plugins: [fakeWeb(PAGES), ...more],
    lookup,
  });
  open.push(crawl);
  return crawl;
}

describe('the search of a crawl', () => {
  test('finds what was crawled and indexed, in each language, also from another process', async () => {
    const crawl = await openTable();
    await round(crawl, 'http://a.example/');
    await round(crawl);
    await expect(search(crawl, 'zebra')).rejects.toMatchObject({ code: 'NO_INDEX' });
    await jobs.index(crawl, { all: true });
    const urls = async (from: OpenContext, query: string): Promise<string[]> =>
      (await search(from, query)).hits.map(({ url }) => url);
    expect(await urls(crawl, 'zebra')).toEqual(['http://a.example/', 'http://a.example/one']);
    expect(await urls(crawl, '长江大桥')).toEqual(['http://a.example/zh']);
    expect(await urls(crawl, 'zebra -intitle:home')).toEqual(['http://a.example/one']);

    const other = await openTable();
    expect(other.owner).toBeDefined();
    expect(await urls(other, 'running zebras')).toEqual(['http://a.example/one']);
  });

  test('follows the index while it is open', async () => {
    const crawl = await openTable();
    await jobs.inject(crawl, { seeds: ['http://a.example/one'] });
    await jobs.index(crawl, { all: true });
    await using searcher = await openSearch(crawl);
    expect((await searcher.search('zebra')).total).toBe(0);
    await round(crawl);
    // That batch waits for the index, and holds no page.
    expect((await status(crawl)).batches).toEqual([]);
    await jobs.index(crawl, { all: true });
    expect((await searcher.search('zebra')).total).toBe(1);
    expect(await searcher.suggest('on')).toEqual(['one']);
  });

  test('shows no snippet and no copy of pages that forbid them', async () => {
    const crawl = await openTable();
    const seeds = ['', 'nosnippet', 'noarchive', 'max', 'other'].map((name) => `http://b.example/${name}`);
    await round(crawl, ...seeds);
    await jobs.index(crawl, { all: true });
    await using served = await serve(crawl, { port: 0 });
    const { hits } = await search(crawl, 'walrus', { fold: false });
    const shown = hits.map(({ url, snippet }) => [new URL(url).pathname, snippet.map(({ text }) => text).join('')]);
    expect(Object.fromEntries(shown)).toEqual({
      '/': 'A walrus sleeps on the ice all day long.',
      '/nosnippet': '',
      '/noarchive': 'A walrus sleeps on the ice all day long.',
      '/max': expect.stringMatching(/^A walrus.{0,11}$/) as string,
      '/other': 'A walrus sleeps on the ice all day long.',
    });
    const copies = seeds.map(async (url) => (await fetch(`${served.url}cached?url=${encodeURIComponent(url)}`)).status);
    expect(await Promise.all(copies)).toEqual([200, 404, 404, 404, 200]);
    // A search states which of them have a copy.
    const offered = hits.filter(({ hasCopy }) => hasCopy).map(({ url }) => url);
    expect(offered.sort()).toEqual([seeds[0], seeds[4]]);

    // Indexed pages are found, and their text is shown, whatever the present filters say.
    const other = await openTable({ name: 'refuse', filterUrl: () => false });
    await using refusing = await serve(other, { port: 0 });
    expect((await fetch(`${refusing.url}cached?url=${encodeURIComponent(seeds[0]!)}`)).status).toBe(200);
    expect((await fetch(`${refusing.url}cached?url=nonsense`)).status).toBe(400);
  });

  test('shows the main content of a page, and only the text if a part must not be shown', async () => {
    const crawl = await openTable();
    const seeds = ['http://b.example/main', 'http://b.example/hidden'];
    await round(crawl, ...seeds);
    await jobs.index(crawl, { all: true });
    await using served = await serve(crawl, { port: 0 });
    const [main, hidden] = await Promise.all(
      seeds.map(async (url) => (await fetch(`${served.url}cached?url=${encodeURIComponent(url)}`)).text()),
    );
    expect(main).toMatch(/<h3>Ice<\/h3>/);
    expect(main).toContain('<a href="http://b.example/ice" rel="nofollow noreferrer noopener">ice</a>');
    expect(main).not.toContain('Menu');
    expect(hidden).toContain('sleeps');
    expect(hidden).not.toMatch(/secret|<h3>/);
  });

  test('shows no text of a page that is gone, or that was fetched and not yet parsed', async () => {
    let now = 1_700_000_000_000;
    const names = ['gone', 'failing', 'unparsed'];
    const web = fakeWeb(Object.fromEntries(names.map((name) => [`http://c.example/${name}`, WALRUS])));
    const settings = { 'fetcher.serverDelay': 0 };
    const lookup = () => Promise.resolve(['127.0.0.1']);
    const crawl = await openContext({
      table: join(folder, 'table'),
      settings,
      plugins: [web],
      lookup,
      clock: () => now,
    });
    open.push(crawl);
    const seeds = names.map((name) => `http://c.example/${name}`);
    await round(crawl, ...seeds);
    await jobs.index(crawl);
    await using served = await serve(crawl, { port: 0 });
    const shown = async () => {
      const { hits } = await search(crawl, 'walrus', { fold: false });
      const copies = seeds.map(async (url) => {
        const { status } = await fetch(`${served.url}cached?url=${encodeURIComponent(url)}`);
        return [new URL(url).pathname, status, hits.find((hit) => hit.url === url)?.snippet.length !== 0];
      });
      return Promise.all(copies);
    };
    expect(await shown()).toEqual([
      ['/gone', 200, true],
      ['/failing', 200, true],
      ['/unparsed', 200, true],
    ]);
    now += 31 * 86_400_000;
    web.set(seeds[0]!, undefined);
    web.set(seeds[1]!, { status: 500 });
    web.set(seeds[2]!, { html: `<meta name=robots content="nosnippet, noarchive">${WALRUS} Again.` });
    const { batchId } = await jobs.generate(crawl, {});
    await jobs.fetch(crawl, { batch: batchId! });
    // The index still has them.
    expect(await shown()).toEqual([
      ['/gone', 404, false],
      ['/failing', 200, true],
      ['/unparsed', 404, false],
    ]);
  });

  test('in a table without a folder needs the name of one', async () => {
    const crawl = await openContext({ table: 'memory:' });
    open.push(crawl);
    await expect(openSearch(crawl)).rejects.toMatchObject({ code: 'BAD_SETTING', hint: 'index.path names one' });
  });
});

/** What a snippet shows: a page, a query, and the expected snippet with its hits in brackets. */
const SNIPPETS: readonly (readonly [what: string, html: string, query: string, expected: string | RegExp])[] = [
  [
    'of prose, and not of menus',
    `${MENU}<p>${ARTICLE}`,
    'directives',
    'The servers of this museum answer many questions, and [directives] tell them how.',
  ],
  ['of prose, where another field has the words', `<title>Seal</title>${MENU}<p>${ARTICLE}`, 'seal', ARTICLE],
  [
    'of the description, where that has the words and the prose has none',
    `<meta name=description content="All of FAQ here.">${MENU}<p>${ARTICLE}`,
    'faq',
    'All of [FAQ] here.',
  ],
  [
    'of the description, where the words are in another field, and it says enough',
    `<title>Seal</title><meta name=description content="What the servers of a museum do, and how they are told.">${MENU}<p>${ARTICLE}`,
    'seal',
    'What the servers of a museum do, and how they are told.',
  ],
  [
    'of a menu, where all words are there',
    `${MENU}<p>${ARTICLE}`,
    'faq',
    `Modules | Directives | [FAQ] of the walrus ${ARTICLE}`,
  ],
  [
    'of a sentence whose subject is the title',
    `<title>Sencha</title>${MENU}<h1>Sencha</h1><p>Sencha is a steamed green tea, and it is drunk all day long in Japan.`,
    'steamed',
    'Sencha is a [steamed] green tea, and it is drunk all day long in Japan.',
  ],
  [
    'of code between prose, not of the menu',
    `${MENU}<p>${ARTICLE}<pre>faq --all</pre><p>${ARTICLE}`,
    'faq',
    `[faq] --all ${ARTICLE}`,
  ],
  [
    'without what is not to be shown',
    `<p>${ARTICLE} <span data-nosnippet>A secret.</span> It is open.`,
    'secret',
    `${ARTICLE} It is open.`,
  ],
  [
    'where accents are',
    `<p lang=fr>${filler('du texte sans importance qui continue encore.')} Enfin, le résumé détaillé.`,
    'résumé',
    /^(du texte [^[]*)?Enfin, le \[résumé\] détaillé\.$/,
  ],
  [
    'where letters of full width are',
    `${filler('Something else.')}<p>The end has ｇｏｐｈｅｒｓ.`,
    'gophers',
    /The end has \[ｇｏｐｈｅｒｓ\]\.$/,
  ],
  [
    'where soft hyphens are',
    `${filler('Something else.')}<p>The end has go&shy;phers.`,
    'gophers',
    /The end has \[gophers\]\.$/,
  ],
  ['where ligatures are', `${filler('Something else.')}<p>The end is oﬃcial.`, 'official', /The end is \[oﬃcial\]\.$/],
  ['where marks of Arabic are', `${filler('نص آخر هنا.')}<p>هذا كِتَابٌ جديد.`, 'كتاب', /هذا \[كِتَابٌ\] جديد\.$/],
  [
    'where marks stand by themselves',
    `${filler('Something else.')}<p>The end has re\u0301sume\u0301s.`,
    'résumés',
    /The end has \[re\u0301sume\u0301s\]\.$/,
  ],
  [
    'of a word with ruby',
    '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby><ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>を学ぶ人</p>',
    '漢字',
    /^\[漢字\]を学ぶ人/,
  ],
  [
    'of a formula',
    '<p>Energy <span><span><math><semantics><mi>Emc</mi><annotation encoding="application/x-tex">Emc</annotation></semantics></math></span><span aria-hidden="true">Emc</span></span> holds.',
    'emc',
    'Energy [Emc] holds.',
  ],
];

describe('the snippet of a search', () => {
  const urlOf = (i: number): string => `http://d${i}.example/`;
  const path = suiteFolder();
  let crawl: OpenContext;
  let served: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    const web = fakeWeb(Object.fromEntries(SNIPPETS.map(([, html], i) => [urlOf(i), html])));
    crawl = await testCrawl(web, { settings: { 'index.path': path } });
    await round(crawl, ...SNIPPETS.map((_, i) => urlOf(i)));
    await jobs.index(crawl, { all: true });
    served = await serve(crawl, { port: 0 });
  });
  afterAll(async () => {
    await served.close();
    await crawl.close();
  });

  test.each(SNIPPETS.map(([what, , query, expected], i) => [what, urlOf(i), query, expected] as const))(
    'is made %s',
    async (_, url, query, expected) => {
      const { hits } = await search(crawl, `${query} site:${new URL(url).host}`);
      expect(hits.map((hit) => hit.url)).toEqual([url]);
      const shown = hits[0]!.snippet.map(({ text, hit }) => (hit ? `[${text}]` : text)).join('');
      expect(shown).toEqual(typeof expected === 'string' ? expected : (expect.stringMatching(expected) as string));
      const copy = await (await fetch(`${served.url}cached?url=${encodeURIComponent(url)}`)).text();
      expect(copy).not.toContain('secret');
    },
  );
});
