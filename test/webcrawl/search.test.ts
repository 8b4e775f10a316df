import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jobs, openCrawl, openSearch, search, type Crawl } from '../../packages/webcrawl/index.js';
import { round } from '../support/job-steps.js';
import { fakeWeb } from '../support/web/fake-web.js';

const PAGES = {
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

async function openTable(): Promise<Crawl> {
  const settings = { 'fetcher.serverDelay': 0 };
  const lookup = () => Promise.resolve(['127.0.0.1']);
  const crawl = await openCrawl({ table: join(folder, 'table'), settings, plugins: [fakeWeb(PAGES)], lookup });
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
    await jobs.index(crawl, { all: true });
    expect((await searcher.search('zebra')).total).toBe(1);
    expect(await searcher.suggest('on')).toEqual(['one']);
  });

  test('of a table without a folder needs the name of one', async () => {
    const crawl = await openCrawl({ table: 'memory:' });
    open.push(crawl);
    await expect(openSearch(crawl)).rejects.toMatchObject({ code: 'BAD_SETTING', hint: 'index.path names one' });
  });
});
