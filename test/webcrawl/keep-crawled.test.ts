import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CrawlError,
  jobs,
  keepCrawled,
  openCrawl,
  openSearch,
  type Crawl,
  type CrawlOptions,
  type Plugin,
  type Report,
} from '../../packages/webcrawl/index.js';
import { until } from '../support/events.js';
import { fakeWeb, type FakeWeb } from '../support/web/fake-web.js';

const LONG = 120_000;
const MONTH = 31 * 86_400_000;
const HOME = 'http://a.example/';
const PAGES = {
  [HOME]: '<title>Home</title><p>Welcome. <a href="/old">one</a> <a href="/lost">two</a>',
  'http://a.example/old': '<title>Tea</title><p>Steep the oolong.',
  'http://a.example/lost': '<title>Lost</title><p>A zebra is running.',
};

let folder: string;
let now: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-keep-'));
  now = 1_700_000_000_000;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(web: FakeWeb, plugins: readonly Plugin[] = []): Promise<Crawl> {
  return openCrawl({
    table: join(folder, 'table'),
    settings: { 'fetcher.serverDelay': 0, 'fetcher.backoffMin': 600, 'parser.threads': 0 },
    plugins: [web, ...plugins],
    clock: () => now,
    lookup: () => Promise.resolve(['127.0.0.1']),
  });
}

/** Keeps a table crawled while `look` looks at it by searching; then stops. */
async function keep(
  web: FakeWeb,
  options: Partial<CrawlOptions>,
  look: (found: (query: string) => Promise<readonly { url: string; rank: number }[]>) => Promise<void>,
): Promise<Report> {
  await using crawl = await open(web);
  await using searcher = await openSearch(crawl);
  const stop = new AbortController();
  const kept = keepCrawled(crawl, { seeds: [HOME], signal: stop.signal, ...options });
  try {
    await Promise.race([
      look((query) =>
        searcher.search(query).then(
          ({ hits }) => hits,
          (error: unknown) => {
            if (error instanceof CrawlError && error.code === 'NO_INDEX') return [];
            throw error;
          },
        ),
      ),
      kept,
    ]);
  } finally {
    stop.abort();
  }
  return await kept;
}

describe('a crawl that is kept', { timeout: LONG }, () => {
  it('is searched as soon as it is updated, is ranked at rest, and follows its pages', async () => {
    const web = fakeWeb(PAGES);
    let updatedAt = Infinity;
    let foundAfter = Infinity;
    const onUpdated = () => (updatedAt = Math.min(updatedAt, performance.now()));
    const report = await keep(web, { onUpdated }, async (found) => {
      await until(async () => (await found('welcome')).length === 1);
      foundAfter = performance.now() - updatedAt;
      await until(async () => (await found('oolong'))[0] !== undefined);
      await until(async () => ((await found('welcome'))[0]?.rank ?? 0) > 0);
      web.set('http://a.example/old', { html: '<title>Tea</title><p>Steep the sencha.' });
      web.set('http://a.example/lost', undefined);
      now += MONTH;
      await until(async () => (await found('sencha')).length === 1);
      await until(async () => (await found('oolong')).length === 0);
      await until(async () => (await found('zebra')).length === 0);
    });
    expect(foundAfter).toBeLessThan(10_000);
    console.log(`found ${(foundAfter / 1000).toFixed(2)} s after updatedb`);
    expect(report).toMatchObject({ job: 'crawl', interrupted: true, counters: { fetched: 6 } });
    // The table goes on.
    await using crawl = await open(web);
    expect(await crawl.tables.batches.list()).toEqual([]);
    expect(await crawl.tables.batches.listUpdated()).toEqual([]);
    now += MONTH;
    expect((await jobs.crawl(crawl, { seeds: [] })).counters).toMatchObject({ fetched: 2 });
  });

  it('goes on after its limit is reached, and fetches no more', async () => {
    const web = fakeWeb(PAGES);
    await keep(web, { rounds: 1 }, async (found) => {
      await until(async () => ((await found('welcome'))[0]?.rank ?? 0) > 0);
      now += MONTH;
      await until(async () => (await found('welcome')).length === 1);
    });
    expect(web.requests).toEqual([HOME]);
  });

  it('brings in what an earlier process has updated', async () => {
    const web = fakeWeb(PAGES);
    {
      await using crawl = await open(web);
      await jobs.crawl(crawl, { seeds: [HOME] });
    }
    await keep(web, { seeds: [] }, (found) => until(async () => ((await found('oolong'))[0]?.rank ?? 0) > 0));
    expect(web.requests).toHaveLength(3);
  });

  it('ends when its index cannot be written', async () => {
    const failure = new CrawlError('STORE_FULL', 'no room');
    const full: Plugin = {
      name: 'full',
      indexWriter: {
        open: () =>
          Promise.resolve({
            isWhole: true,
            markWhole: () => Promise.resolve(),
            apply: () => Promise.reject(failure),
            entries: () => Promise.resolve([]),
            close: () => Promise.resolve(),
          }),
      },
    };
    await using crawl = await open(fakeWeb(PAGES), [full]);
    await expect(keepCrawled(crawl, { seeds: [HOME] })).rejects.toBe(failure);
  });
});
