import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  jobs,
  openCrawl,
  openSearch,
  search,
  serve,
  status,
  type Crawl,
  type Plugin,
} from '../../packages/webcrawl/index.js';
import { round } from '../support/job-steps.js';
import { fakeWeb } from '../support/web/fake-web.js';

const WALRUS = '<html lang="en"><title>Animals</title><p>A walrus sleeps on the ice all day long.';
const PAGES = {
  'http://b.example/': WALRUS,
  'http://b.example/nosnippet': `<meta name=robots content=nosnippet>${WALRUS}`,
  'http://b.example/noarchive': `<meta name=webcrawl content=noarchive>${WALRUS}`,
  'http://b.example/max': `<meta name=robots content="max-snippet:20">${WALRUS}`,
  'http://b.example/other': `<meta name=otherbot content="nosnippet, noarchive">${WALRUS}`,
  'http://a.example/':
    '<html lang="en"><title>Home of zebras</title><p>All about animals. <a href="/one">one</a> <a href="/zh">zh</a>',
  'http://a.example/one': '<html lang="en"><title>One</title><p>A zebra is running.',
  'http://a.example/zh': '<html lang="zh"><title>大桥</title><p>南京市长江大桥是中国的一座桥梁。',
};

let folder: string;
const open: Crawl[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-find-'));
});
afterEach(async () => {
  for (const crawl of open.splice(0).reverse()) await crawl.close();
  await rm(folder, { recursive: true });
});

async function openTable(...more: readonly Plugin[]): Promise<Crawl> {
  const settings = { 'fetcher.serverDelay': 0 };
  const lookup = () => Promise.resolve(['127.0.0.1']);
  const crawl = await openCrawl({ table: join(folder, 'table'), settings, plugins: [fakeWeb(PAGES), ...more], lookup });
  open.push(crawl);
  return crawl;
}

describe('the search of a crawl', () => {
  test('finds what was crawled and indexed, in each language, and from beside the crawl', async () => {
    const crawl = await openTable();
    await jobs.inject(crawl, { seeds: ['http://a.example/'] });
    await round(crawl);
    await round(crawl);
    await expect(search(crawl, 'zebra')).rejects.toMatchObject({ code: 'NO_INDEX' });
    await jobs.index(crawl, { all: true });
    const urls = async (from: Crawl, query: string): Promise<string[]> =>
      (await search(from, query)).hits.map(({ url }) => url);
    expect(await urls(crawl, 'zebra')).toEqual(['http://a.example/', 'http://a.example/one']);
    expect(await urls(crawl, '长江大桥')).toEqual(['http://a.example/zh']);
    expect(await urls(crawl, 'zebra -intitle:home')).toEqual(['http://a.example/one']);

    const other = await openTable();
    expect(other.holder).toBeDefined();
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
    await jobs.inject(crawl, { seeds });
    await round(crawl);
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

    // What is in the index is found, and its text is shown, whatever the filters of today say.
    const other = await openTable({ name: 'refuse', filterUrl: () => false });
    await using refusing = await serve(other, { port: 0 });
    expect((await fetch(`${refusing.url}cached?url=${encodeURIComponent(seeds[0]!)}`)).status).toBe(200);
    expect((await fetch(`${refusing.url}cached?url=nonsense`)).status).toBe(400);
  });

  test('shows no text of a page that is gone, or is not parsed since it was fetched', async () => {
    let now = 1_700_000_000_000;
    const names = ['gone', 'failing', 'unparsed'];
    const web = fakeWeb(Object.fromEntries(names.map((name) => [`http://c.example/${name}`, WALRUS])));
    const settings = { 'fetcher.serverDelay': 0 };
    const lookup = () => Promise.resolve(['127.0.0.1']);
    const crawl = await openCrawl({
      table: join(folder, 'table'),
      settings,
      plugins: [web],
      lookup,
      clock: () => now,
    });
    open.push(crawl);
    const seeds = names.map((name) => `http://c.example/${name}`);
    await jobs.inject(crawl, { seeds });
    await round(crawl);
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

  test('is refused where the index is for other programs, and all else is served', async () => {
    const crawl = await openCrawl({
      table: join(folder, 'table'),
      settings: { 'fetcher.serverDelay': 0, 'index.writer': 'jsonl' },
      plugins: [fakeWeb(PAGES)],
    });
    open.push(crawl);
    await jobs.inject(crawl, { seeds: ['http://a.example/one'] });
    await round(crawl);
    await jobs.index(crawl);
    await expect(search(crawl, 'zebra')).rejects.toMatchObject({ code: 'BAD_SETTING' });
    await using served = await serve(crawl, { port: 0 });
    const ask = async (path: string) => {
      const answer = await fetch(new URL(path, served.url));
      return [answer.status, await answer.text()] as const;
    };
    for (const path of ['/search?q=zebra', '/api/search?q=zebra', '/api/suggest?q=z']) {
      expect(await ask(path), path).toEqual([503, expect.stringContaining('index.writer jsonl')]);
    }
    for (const path of ['/', '/dashboard', '/metrics', '/healthz', '/api/status']) {
      expect((await ask(path))[0], path).toBe(200);
    }
  });

  test('of a table without a folder needs the name of one', async () => {
    const crawl = await openCrawl({ table: 'memory:' });
    open.push(crawl);
    await expect(openSearch(crawl)).rejects.toMatchObject({ code: 'BAD_SETTING', hint: 'index.path names one' });
  });
});
