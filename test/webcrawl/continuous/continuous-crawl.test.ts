import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  CrawlError,
  jobs,
  crawlContinuously,
  openContext,
  openSearch,
  serve,
  status,
  type OpenContext,
  type IdleCrawl,
  type CrawlStatus,
  type IndexChange,
  type JobFailure,
  type ContinuousCrawlOptions,
  type OpenCrawlOptions,
  type Plugin,
  type Report,
} from '../../../packages/webcrawl/internal.js';
import { until } from '../../support/events.js';
import { fakeWeb, type FakeWeb } from '../../support/web/fake-web.js';
import { freshFolder } from '../../support/files/temp-folder.js';

const LONG = 120_000;
const MONTH = 31 * 86_400_000;
const HOME = 'http://a.example/';
const PAGES = {
  [HOME]: '<title>Home</title><p>Welcome. <a href="/old">one</a> <a href="/lost">two</a>',
  'http://a.example/old': '<title>Tea</title><p>Steep the oolong.',
  'http://a.example/lost': '<title>Lost</title><p>A zebra is running.',
};

const folder = freshFolder();
let now: number;
beforeEach(() => void (now = 1_700_000_000_000));

function open(web: FakeWeb, plugins: readonly Plugin[] = [], how: OpenCrawlOptions = {}): Promise<OpenContext> {
  return openContext({
    ...how,
    table: join(folder, 'table'),
    settings: { 'fetcher.serverDelay': 0, 'fetcher.minBackoffSeconds': 600, 'parser.threads': 0 },
    plugins: [web, ...plugins],
    clock: () => now,
    lookup: () => Promise.resolve(['127.0.0.1']),
  });
}

/** Crawls a table continuously while `look` searches it, then stops. */
async function keep(
  web: FakeWeb,
  options: Partial<ContinuousCrawlOptions>,
  look: (found: (query: string) => Promise<readonly { url: string; rank: number }[]>) => Promise<void>,
): Promise<Report> {
  await using crawl = await open(web);
  await using searcher = await openSearch(crawl);
  const stop = new AbortController();
  const crawling = crawlContinuously(crawl, { seeds: [HOME], signal: stop.signal, ...options });
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
      crawling,
    ]);
  } finally {
    stop.abort();
  }
  return await crawling;
}

/** Crawls without a search. Each time the crawl is idle, the clock is set by `ms`. */
async function crawlUntilIdleTwice(crawl: OpenContext, ms: number, options: Partial<ContinuousCrawlOptions> = {}) {
  const stop = new AbortController();
  const idles: number[] = [];
  const { counters } = await crawlContinuously(crawl, {
    seeds: [HOME],
    signal: stop.signal,
    search: false,
    ...options,
    onIdle({ fetched }) {
      idles.push(fetched);
      if (idles.length === 2) stop.abort();
      now += ms;
    },
  });
  return { idles, counters };
}

describe('a continuous crawl', { timeout: LONG }, () => {
  it('of the only shard runs on in a table of one process', async () => {
    await using crawl = await open(fakeWeb(PAGES));
    const { idles } = await crawlUntilIdleTwice(crawl, MONTH, { shard: { index: 0, count: 1 } });
    expect(idles).toEqual([3, 3]);
  });

  it('without a search only crawls what becomes due', async () => {
    await using crawl = await open(fakeWeb(PAGES));
    await using searcher = await openSearch(crawl);
    const { idles, counters } = await crawlUntilIdleTwice(crawl, MONTH);
    expect([idles, counters.fetched]).toEqual([[3, 3], 6]);
    await expect(searcher.search('welcome')).rejects.toMatchObject({ code: 'NO_INDEX' });
  });

  it('fetches pages again at their interval after a clock that was a day ahead is set back', async () => {
    const web = fakeWeb(PAGES);
    now += 86_400_000;
    await using crawl = await open(web);
    const { idles, counters } = await crawlUntilIdleTwice(crawl, -86_400_000);
    expect([idles, counters.fetched, counters.due_too_late]).toEqual([[3, 3], 6, 3]);
  });

  it('can be searched as soon as it is updated, is ranked at rest, and follows changes of pages', async () => {
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
    // The table continues. If the crawl ended before the last batch was released, the next run of the index releases it.
    await using crawl = await open(web);
    expect(await crawl.tables.batches.list()).toEqual([]);
    await jobs.index(crawl);
    expect(await crawl.tables.batches.listUpdated()).toEqual([]);
    now += MONTH;
    expect((await jobs.crawl(crawl, { seeds: [] })).counters).toMatchObject({ fetched: 2 });
  });

  it('reports when it comes to rest, and until when it waits', async () => {
    const web = fakeWeb(PAGES);
    const idles: IdleCrawl[] = [];
    const onIdle = (idle: IdleCrawl): void => void idles.push(idle);
    const began = now;
    await keep(web, { onIdle }, async () => {
      await until(() => idles.length === 1);
      now += MONTH;
      await until(() => idles.length === 2);
    });
    expect(idles).toEqual([
      { fetched: 3, fetchedInAll: 3, due: 0, nextDueAt: expect.any(Number) as number },
      { fetched: 3, fetchedInAll: 6, due: 0, nextDueAt: expect.any(Number) as number },
    ]);
    expect(idles[0]!.nextDueAt).toBeGreaterThan(began + 29 * 86_400_000);
    expect(idles[0]!.nextDueAt).toBeLessThan(began + MONTH);
  });

  it('rebuilds its index if that is deleted, and reports it, and so does the server', async () => {
    const stop = new AbortController();
    const failures: JobFailure[] = [];
    await using crawl = await open(fakeWeb(PAGES));
    await using served = await serve(crawl, { port: 0 });
    const healthz = async () => (await fetch(`${served.url}healthz`)).text();
    const metrics = async () => (await fetch(`${served.url}metrics`)).text();
    const onFailing = (failure: JobFailure): void => void failures.push(failure);
    const crawling = crawlContinuously(crawl, { seeds: [HOME], signal: stop.signal, onFailing });
    const isWhole = async () => (await status(crawl)).index?.documents === 3;
    try {
      await until(isWhole);
      await until(async () => (await metrics()).includes('webcrawl_index_usable 1'));
      const folder = crawl.indexFolder!;
      const away = `${folder}-away`;
      await rename(folder, away);
      await until(() => failures.length > 0);
      expect(failures[0]).toMatchObject({ job: 'index', code: 'NO_INDEX', times: 1 });
      await until(isWhole);
      await until(async () => (await healthz()) === 'ok\n');
      await until(async () => (await status(crawl)).failing === undefined);
    } finally {
      stop.abort();
    }
    await crawling;
    // Now no crawl rebuilds it.
    await rm(crawl.indexFolder!, { recursive: true });
    await until(async () => (await healthz()).startsWith('NO_INDEX'));
    expect((await fetch(`${served.url}healthz`)).status).toBe(503);
    await until(async () => (await metrics()).includes('webcrawl_index_usable 0'));
  });

  it('continues after its limit is reached, and fetches no more', async () => {
    const web = fakeWeb(PAGES);
    const idles: IdleCrawl[] = [];
    await keep(web, { rounds: 1, onIdle: (idle) => void idles.push(idle) }, async (found) => {
      await until(async () => ((await found('welcome'))[0]?.rank ?? 0) > 0);
      now += MONTH;
      await until(async () => (await found('welcome')).length === 1);
    });
    expect(web.requests).toEqual([HOME]);
    expect(idles).toMatchObject([{ fetched: 1, due: 2 }]);
  });

  it('ends where all seeds are refused', async () => {
    await using crawl = await open(fakeWeb(PAGES));
    const report = await crawlContinuously(crawl, { seeds: ['no url'] });
    expect(report).toMatchObject({ counters: { rejected_url: 1 } });
    expect(report).not.toHaveProperty('interrupted');
  });

  it('keeps its table, also while it waits, if the table was opened with yields', async () => {
    const web = fakeWeb(PAGES);
    const stop = new AbortController();
    await using crawl = await open(web, [], { yields: true });
    await using searcher = await openSearch(crawl);
    const crawling = crawlContinuously(crawl, { seeds: [HOME], signal: stop.signal });
    await until(async () => (await searcher.info().catch(() => undefined))?.documents === 3);
    // The figures of the jobs include those of the index.
    await until(() => (crawl.running.totals()['index']?.done ?? 0) >= 3);
    expect(crawl.running.totals()['index']?.counters).toMatchObject({ added: 3 });
    await expect(open(web, [], { alone: true })).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
    now += MONTH;
    await until(() => web.requests.length === 6);
    stop.abort();
    expect(await crawling).toMatchObject({ counters: { fetched: 6 } });
    await using other = await open(web, [], { alone: true });
    expect(other.owner).toBeUndefined();
    await expect(jobs.crawl(crawl, { seeds: [] })).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
  });

  it('indexes what an earlier process has updated', async () => {
    const web = fakeWeb(PAGES);
    {
      await using crawl = await open(web);
      await jobs.crawl(crawl, { seeds: [HOME] });
    }
    await keep(web, { seeds: [] }, (found) => until(async () => ((await found('oolong'))[0]?.rank ?? 0) > 0));
    expect(web.requests).toHaveLength(3);
  });

  it('continues if its index cannot be written, reports it, and writes it when it can', async () => {
    let failures = 3;
    const seen: JobFailure[] = [];
    const inIndex = new Set<string>();
    const opened: string[] = [];
    const full: Plugin = {
      name: 'full',
      indexWriter: {
        open() {
          opened.push('open');
          return Promise.resolve({
            id: 'full',
            isWhole: true,
            markWhole: () => Promise.resolve(),
            apply(changes: readonly IndexChange[]) {
              if (failures-- > 0) return Promise.reject(new CrawlError('STORE_FULL', 'no room', { hint: 'make room' }));
              for (const change of changes) inIndex.add(change.type === 'put' ? change.document.url : change.key);
              return Promise.resolve({ added: changes.length, changed: 0, removed: 0 });
            },
            entries: () => Promise.resolve([]),
            close() {
              opened.push('close');
              return Promise.resolve();
            },
          });
        },
      },
    };
    const stop = new AbortController();
    await using crawl = await open(fakeWeb(PAGES), [full]);
    let during: CrawlStatus | undefined;
    const onFailing = async (failure: JobFailure): Promise<void> => {
      seen.push(failure);
      during ??= await status(crawl);
    };
    const crawling = crawlContinuously(crawl, {
      seeds: [HOME],
      signal: stop.signal,
      onFailing: (f) => void onFailing(f),
    });
    await Promise.race([until(() => inIndex.size === 3), crawling]);
    await until(async () => (await status(crawl)).failing === undefined);
    stop.abort();
    expect(await crawling).toMatchObject({ interrupted: true, counters: { fetched: 3 } });
    expect(seen).toMatchObject(
      [1, 2, 3].map((times) => ({ job: 'index', code: 'STORE_FULL', hint: 'make room', times })),
    );
    expect(during?.failing).toMatchObject([{ job: 'index', message: 'no room' }]);
    // It is opened again after each failure.
    expect(opened).toEqual(['open', 'close', 'open', 'close', 'open', 'close', 'open', 'close']);
  });

  it('continues if its index cannot be opened, but not if it is not configured', async () => {
    const failing = (error: CrawlError): Plugin => ({
      name: 'none',
      indexWriter: { open: () => Promise.reject(error) },
    });
    for (const code of ['BAD_SETTING', 'WRONG_INDEX'] as const) {
      await using crawl = await open(fakeWeb(PAGES), [failing(new CrawlError(code, 'no such index'))]);
      await expect(crawlContinuously(crawl, { seeds: [HOME] })).rejects.toThrow('no such index');
    }
    const web = fakeWeb(PAGES);
    await using crawl = await open(web, [failing(new CrawlError('STORE_FAILED', 'no database'))]);
    const stop = new AbortController();
    const crawling = crawlContinuously(crawl, { seeds: [HOME], signal: stop.signal });
    await Promise.race([until(() => web.requests.length === 3), crawling]);
    stop.abort();
    expect(await crawling).toMatchObject({ counters: { fetched: 3 } });
  });

  it('crawls while its index does not answer, and ends within seconds', async () => {
    const web = fakeWeb(PAGES);
    await using crawl = await open(web, [{ name: 'away', indexWriter: { open: () => new Promise(() => {}) } }]);
    const stop = new AbortController();
    const crawling = crawlContinuously(crawl, { seeds: [HOME], signal: stop.signal });
    await Promise.race([until(() => web.requests.length === 3), crawling]);
    now += MONTH;
    await Promise.race([until(() => web.requests.length === 6), crawling]);
    stop.abort();
    expect(await crawling).toMatchObject({ interrupted: true, counters: { fetched: 6 } });
  });

  it('ends if an index that answers late is not configured', async () => {
    const web = fakeWeb(PAGES);
    const late: Plugin = {
      name: 'late',
      indexWriter: {
        async open() {
          await until(() => web.requests.length === 3);
          throw new CrawlError('WRONG_INDEX', 'of another table');
        },
      },
    };
    await using crawl = await open(web, [late]);
    await expect(crawlContinuously(crawl, { seeds: [HOME] })).rejects.toThrow('of another table');
  });

  it('does not wait for a comparison of the whole table before it fetches what is due', async () => {
    const web = fakeWeb(PAGES);
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let compares = false;
    const slow: Plugin = {
      name: 'slow',
      indexWriter: {
        open: () =>
          Promise.resolve({
            id: 'made',
            isWhole: false,
            markWhole: () => Promise.resolve(),
            apply: (changes) => Promise.resolve({ added: changes.length, changed: 0, removed: 0 }),
            async entries() {
              compares = true;
              await released;
              return [];
            },
            close: () => Promise.resolve(),
          }),
      },
    };
    await using crawl = await open(web, [slow]);
    const stop = new AbortController();
    const crawling = crawlContinuously(crawl, { seeds: [HOME], signal: stop.signal });
    await Promise.race([until(() => compares && web.requests.length === 3), crawling]);
    now += MONTH;
    await Promise.race([until(() => web.requests.length === 6), crawling]);
    release();
    stop.abort();
    expect(await crawling).toMatchObject({ interrupted: true, counters: { fetched: 6 } });
  });

  it('fetches what another process injects', async () => {
    const web = fakeWeb(PAGES);
    const stop = new AbortController();
    await using crawl = await open(web);
    const crawling = crawlContinuously(crawl, { seeds: ['http://a.example/lost'], signal: stop.signal });
    await until(() => web.requests.length === 1);
    await using other = await open(fakeWeb({}));
    expect(other.owner).toBeDefined();
    await jobs.inject(other, { seeds: [HOME] });
    await Promise.race([until(() => web.requests.length === 3), crawling]);
    stop.abort();
    await crawling;
  });
});
