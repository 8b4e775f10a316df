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
  status,
  type Crawl,
  type CrawlOptions,
  type CrawlStatus,
  type IndexChange,
  type JobFailure,
  type OpenCrawlOptions,
  type Plugin,
  type Report,
} from '../../../packages/webcrawl/index.js';
import { until } from '../../support/events.js';
import { fakeWeb, type FakeWeb } from '../../support/web/fake-web.js';

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

function open(web: FakeWeb, plugins: readonly Plugin[] = [], how: OpenCrawlOptions = {}): Promise<Crawl> {
  return openCrawl({
    ...how,
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
    // The table goes on. Where it was ended before the last batch was released, the next run of the index does so.
    await using crawl = await open(web);
    expect(await crawl.tables.batches.list()).toEqual([]);
    await jobs.index(crawl);
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

  it('keeps its table, also while it waits, where the table was opened to be yielded', async () => {
    const web = fakeWeb(PAGES);
    const stop = new AbortController();
    await using crawl = await open(web, [], { yields: true });
    await using searcher = await openSearch(crawl);
    const kept = keepCrawled(crawl, { seeds: [HOME], signal: stop.signal });
    await until(async () => (await searcher.info().catch(() => undefined))?.documents === 3);
    await expect(open(web, [], { alone: true })).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
    now += MONTH;
    await until(() => web.requests.length === 6);
    stop.abort();
    expect(await kept).toMatchObject({ counters: { fetched: 6 } });
    await using other = await open(web, [], { alone: true });
    expect(other.holder).toBeUndefined();
    await expect(jobs.crawl(crawl, { seeds: [] })).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
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

  it('goes on where its index cannot be written, says so, and writes it when it can', async () => {
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
    const kept = keepCrawled(crawl, { seeds: [HOME], signal: stop.signal, onFailing: (f) => void onFailing(f) });
    await Promise.race([until(() => inIndex.size === 3), kept]);
    await until(async () => (await status(crawl)).failing === undefined);
    stop.abort();
    expect(await kept).toMatchObject({ interrupted: true, counters: { fetched: 3 } });
    expect(seen).toMatchObject(
      [1, 2, 3].map((times) => ({ job: 'index', code: 'STORE_FULL', hint: 'make room', times })),
    );
    expect(during?.failing).toMatchObject([{ job: 'index', message: 'no room' }]);
    // It is opened anew after each failure.
    expect(opened).toEqual(['open', 'close', 'open', 'close', 'open', 'close', 'open', 'close']);
  });

  it('goes on where its index cannot be opened, but not where it is not set up', async () => {
    const failing = (error: CrawlError): Plugin => ({
      name: 'none',
      indexWriter: { open: () => Promise.reject(error) },
    });
    for (const code of ['BAD_SETTING', 'WRONG_INDEX'] as const) {
      await using crawl = await open(fakeWeb(PAGES), [failing(new CrawlError(code, 'no such index'))]);
      await expect(keepCrawled(crawl, { seeds: [HOME] })).rejects.toThrow('no such index');
    }
    const web = fakeWeb(PAGES);
    await using crawl = await open(web, [failing(new CrawlError('STORE_FAILED', 'no database'))]);
    const stop = new AbortController();
    const kept = keepCrawled(crawl, { seeds: [HOME], signal: stop.signal });
    await Promise.race([until(() => web.requests.length === 3), kept]);
    stop.abort();
    expect(await kept).toMatchObject({ counters: { fetched: 3 } });
  });

  it('crawls where its index does not answer, and ends within seconds', async () => {
    const web = fakeWeb(PAGES);
    await using crawl = await open(web, [{ name: 'away', indexWriter: { open: () => new Promise(() => {}) } }]);
    const stop = new AbortController();
    const kept = keepCrawled(crawl, { seeds: [HOME], signal: stop.signal });
    await Promise.race([until(() => web.requests.length === 3), kept]);
    now += MONTH;
    await Promise.race([until(() => web.requests.length === 6), kept]);
    stop.abort();
    expect(await kept).toMatchObject({ interrupted: true, counters: { fetched: 6 } });
  });

  it('ends where an index that answers late is not set up', async () => {
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
    await expect(keepCrawled(crawl, { seeds: [HOME] })).rejects.toThrow('of another table');
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
    const kept = keepCrawled(crawl, { seeds: [HOME], signal: stop.signal });
    await Promise.race([until(() => compares && web.requests.length === 3), kept]);
    now += MONTH;
    await Promise.race([until(() => web.requests.length === 6), kept]);
    release();
    stop.abort();
    expect(await kept).toMatchObject({ interrupted: true, counters: { fetched: 6 } });
  });

  it('takes what another process injects', async () => {
    const web = fakeWeb(PAGES);
    const stop = new AbortController();
    await using crawl = await open(web);
    const kept = keepCrawled(crawl, { seeds: ['http://a.example/lost'], signal: stop.signal });
    await until(() => web.requests.length === 1);
    await using other = await open(fakeWeb({}));
    expect(other.holder).toBeDefined();
    await jobs.inject(other, { seeds: [HOME] });
    await Promise.race([until(() => web.requests.length === 3), kept]);
    stop.abort();
    await kept;
  });
});
