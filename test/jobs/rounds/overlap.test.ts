import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, type OpenContext, type Plugin, type Store } from '../../../packages/webcrawl/internal.js';
import { openTables } from '../../../webtable/index.js';
import { runs } from '../../support/runs.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { fakeWeb, links, randomNumbers, randomWeb, type FakePage, type FakeWeb } from '../../support/web/fake-web.js';
import { allRows, testCrawl } from '../../support/test-crawl.js';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * The result of a crawl that does not depend on the order of its rounds: without scores (they are passed on as they are when a page is
 * selected), distances, the way in which a page was first found, and batch ids.
 */
async function comparable(crawl: OpenContext): Promise<unknown> {
  const rows = await allRows(crawl);
  return JSON.parse(
    JSON.stringify(rows, (key, value: unknown) => {
      if (['score', 'cash', 'cashInFlight', 'distance', 'distanceInFlight', 'redirectDepth'].includes(key))
        return undefined;
      if (key === 'marks') return Object.keys(value as object).sort();
      if (key === 'inlinks') return (value as { url: string }[]).map(({ url }) => url).sort();
      return value;
    }),
  );
}

/** A web whose answers take a random time each. */
function slowWeb(pages: Readonly<Record<string, FakePage>>, seed: number) {
  const random = randomNumbers(seed);
  const web = fakeWeb(pages);
  web.onRequest = () => sleep(random() * 4);
  return web;
}

const missing = (counters: Readonly<Record<string, number>>): string[] =>
  Object.keys(counters).filter((reason) => reason.startsWith('missing'));

async function rowsOfIndex(store: Store): Promise<string[]> {
  const keys: string[] = [];
  const { batches } = await openTables(store);
  for await (const entries of batches.allEntries()) keys.push(...entries.map(({ rowKey }) => rowKey));
  return keys;
}

describe('rounds that overlap', () => {
  it('leave the same rows as rounds one after another, and request each page once', async () => {
    for (let seed = 1; seed <= runs(3, 6); seed++) {
      const { pages, seeds } = randomWeb(seed, runs(100, 150), 1 + (seed % 5) * 3);
      const settings = { 'fetcher.threadsPerQueue': 1 + (seed % 2), 'fetcher.maxRedirects': seed % 3 };
      await using strict = await testCrawl(fakeWeb(pages), { settings });
      await jobs.crawl(strict, { seeds, stay: 'any', rounds: 1000 });
      const web = slowWeb(pages, seed);
      await using crawl = await testCrawl(web, { settings });
      // Rounds of 20 pages.
      const { counters } = await jobs.crawl(crawl, { seeds, stay: 'any', threads: 1 + (seed % 4), topN: 20 });
      expect(web.requests.length, `seed ${seed}`).toBe(new Set(web.requests).size);
      expect(counters.fetched, `seed ${seed}`).toBe(web.requests.length);
      expect(counters.rounds).toBeGreaterThan(5);
      expect(await comparable(crawl), `seed ${seed}`).toEqual(await comparable(strict));
      expect(missing((await jobs.repair(crawl)).counters)).toEqual([]);
    }
  });

  it('pass on the links of all other hosts while one host does not answer', async () => {
    const hosts = Array.from({ length: 12 }, (_, i) => `http://h${i}.com`);
    const pages: Record<string, FakePage> = {};
    for (const [i, host] of hosts.entries()) {
      for (let page = 0; page < 8; page++) {
        const next = hosts[(i + 1) % hosts.length]!;
        pages[`${host}/${page || ''}`] = { html: links(`/${page + 1}`, `${next}/${page + 1}`, `/leaf${page}`) };
        pages[`${host}/leaf${page}`] = { html: 'leaf' };
      }
    }
    const web = fakeWeb(pages);
    const pending = new Set(Object.keys(pages).filter((url) => !url.startsWith('http://h3.com/')));
    let noneIsPending = (): void => undefined;
    const othersWereAsked = new Promise<void>((resolve) => (noneIsPending = resolve));
    // The slow host answers after all pages were requested that do not depend on its own pages.
    web.onRequest = (url) => {
      if (url.startsWith('http://h3.com/')) return othersWereAsked;
      if (pending.delete(url) && pending.size === 0) noneIsPending();
      return undefined;
    };
    await using crawl = await testCrawl(web);
    const report = await jobs.crawl(crawl, { seeds: hosts.map((host) => `${host}/`), stay: 'any' });
    expect(pending.size).toBe(0);
    expect(web.requests.length).toBe(new Set(web.requests).size);
    expect(report.counters.fetched).toBe(web.requests.length);
    const { counters } = await jobs.repair(crawl);
    expect(counters).toEqual({ rows: web.requests.length });
  });

  it('pass on the links of a host that still has one slow page', async () => {
    // All pages are in one queue, so other hosts cannot be fetched meanwhile.
    const pages: Record<string, FakePage> = { 'http://a.com/slow': { html: 'x' } };
    for (let i = 0; i < 6; i++) pages[`http://a.com/${i}`] = { html: links(`/${i + 1}`) };
    pages['http://a.com/6'] = { html: 'the end' };
    const web = fakeWeb(pages);
    let lastWasAsked = (): void => undefined;
    const last = new Promise<void>((resolve) => (lastWasAsked = resolve));
    web.onRequest = (url) => {
      if (url === 'http://a.com/6') lastWasAsked();
      return url === 'http://a.com/slow' ? last : undefined;
    };
    await using crawl = await testCrawl(web, { settings: { 'fetcher.threadsPerQueue': 2 } });
    const { counters } = await jobs.crawl(crawl, { seeds: ['http://a.com/slow', 'http://a.com/0'] });
    expect(counters).toMatchObject({ fetched: 8, success: 8, added: 6 });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 8 });
  });

  it('close a batch without an updatedb of its own if all its pages have moved', async () => {
    const seeds = Array.from({ length: 30 }, (_, i) => `http://h${i}.com/`);
    const store = new MemoryStore();
    const { batches } = await openTables(store);
    const states: string[] = [];
    const watched: Store = {
      get: (...args) => store.get(...args),
      scan: (...args) => store.scan(...args),
      close: () => store.close(),
      async write(table, changes) {
        await store.write(table, changes);
        if (table === 'batch')
          for (const { batchId, state } of await batches.list()) states.push(`${batchId} ${state}`);
      },
    };
    await using crawl = await testCrawl(fakeWeb(Object.fromEntries(seeds.map((url) => [url, 'x']))), {
      store: watched,
    });
    const { counters } = await jobs.crawl(crawl, { seeds });
    expect(counters).toMatchObject({ rounds: 1, fetched: seeds.length });
    const idsOf = (state: string) =>
      new Set(states.flatMap((line) => (line.endsWith(` ${state}`) ? line.split(' ')[0]! : [])));
    const [selected] = idsOf('generating');
    expect(idsOf('open')).toContain(selected);
    expect(idsOf('updating')).not.toContain(selected);
    expect(idsOf('updating').size).toBeGreaterThan(0);
    expect(await batches.list()).toEqual([]);
    expect(await rowsOfIndex(store)).toEqual([]);
  });

  it('count each page and link once, whichever batch it is in', async () => {
    const hosts = Array.from({ length: 30 }, (_, i) => `http://h${i}.com`);
    const pages: Record<string, FakePage> = {};
    for (const host of hosts) {
      for (let page = 0; page < 6; page++) pages[`${host}/${page || ''}`] = { html: links(`/${page + 1}`, '/1', '/2') };
      pages[`${host}/6`] = { html: 'the end' };
    }
    const web = slowWeb(pages, 4);
    await using crawl = await testCrawl(web);
    // A page is being parsed while others are already done.
    const parser = crawl.plugins.find(({ name }) => name === 'parse-html')!.parser!;
    const slowly: Plugin = {
      name: 'slowly',
      parser: { ...parser, parse: async (input) => (await sleep(web.requests.length % 7), parser.parse(input)) },
    };
    const progress: number[] = [];
    const { counters } = await jobs.crawl(
      { ...crawl, plugins: [...crawl.plugins, slowly] },
      {
        seeds: hosts.map((host) => `${host}/`),
        stay: 'any',
        threads: 4,
        onProgress: ({ round, done }) => void (round !== 0 && progress.push(done)),
      },
    );
    const size = Object.keys(pages).length;
    expect(counters).toMatchObject({ fetched: size, parsed: size, success: size, added: size - hosts.length });
    expect(progress.at(-1)).toBe(size);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    // On each host the first page links to two others, the second to two, and each later page to three.
    expect(counters.links).toBe(30 * (2 + 2 + 4 * 3));
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: size });
  });

  it('count from 1; while seeds are injected, every observer sees round 0', async () => {
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'x' }));
    const seen: (number | undefined)[] = [];
    const look = (): void => void seen.push(...crawl.running.progress().map(({ round }) => round));
    async function* seeds() {
      yield 'http://a.com/';
      look();
    }
    await jobs.crawl(crawl, { seeds: seeds(), onFetched: look });
    expect(seen).toEqual([0, 1]);
  });

  it('move targets of redirects to the outgoing batch too, also on hosts whose pages were done', async () => {
    const pages: Record<string, FakePage> = {};
    for (let i = 0; i < 24; i++) {
      pages[`http://h${i}.com/`] = { html: 'x' };
      pages[`http://h${i}.com/target`] = { html: links('/from-target') };
      pages[`http://h${i}.com/from-target`] = { html: 'x' };
      pages[`http://slow.com/${i}`] = { location: `http://h${i}.com/target` };
    }
    const seeds = Object.keys(pages).filter((url) => !url.includes('target'));
    const web = fakeWeb(pages);
    web.onRequest = (url) => sleep(url.startsWith('http://slow.com/') ? 12 : url.endsWith('/target') ? 60 : 1);
    await using crawl = await testCrawl(web);
    const { counters } = await jobs.crawl(crawl, { seeds, stay: 'any' });
    expect([...web.requests].sort()).toEqual(Object.keys(pages).sort());
    expect(counters.fetched).toBe(web.requests.length);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: web.requests.length });
  });

  it('and a fetch of every batch beside them wait for one another, and both end', async () => {
    const seeds = Array.from({ length: 12 }, (_, i) => `http://h${i}.com/`);
    const web = fakeWeb(Object.fromEntries(seeds.map((url) => [url, { html: links('/x') }])));
    await using crawl = await testCrawl(web);
    let beside: Promise<unknown> | undefined;
    web.onRequest = async () => {
      beside ??= jobs.fetch(crawl, { batch: 'all' });
      await sleep(5);
    };
    await jobs.crawl(crawl, { seeds });
    await beside;
    expect(web.requests).toHaveLength(2 * seeds.length);
  });

  it('fetch the links of a batch whose updatedb was killed, even if some of its pages were not fetched', async () => {
    const web = fakeWeb({ 'http://a.com/': { html: links('/x') }, 'http://b.com/robots.txt': { status: 500 } });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://b.com/'] });
    const { batchId = '' } = await jobs.generate(crawl);
    await jobs.fetch(crawl, { batch: batchId, parse: true });
    await crawl.tables.batches.change(batchId, () => ({ state: 'updating', size: 2 }));
    await jobs.crawl(crawl, { seeds: [], rounds: 3 });
    expect(web.requests).toEqual(['http://a.com/', 'http://a.com/x']);
  });

  it('request pages of a host again after its back-off', async () => {
    const web = fakeWeb({ 'http://a.com/robots.txt': { status: 503 }, 'http://a.com/': 'x' });
    for (let i = 0; i < 8; i++) web.set(`http://b.com/${i}`, { html: links(`/${i + 1}`) });
    web.onRequest = async (url) => {
      web.set('http://a.com/robots.txt', undefined);
      if (url.startsWith('http://b.com/')) await sleep(60);
    };
    await using crawl = await testCrawl(web, {
      settings: { 'fetcher.minBackoffSeconds': 0.1, 'fetcher.maxBackoffWaitSeconds': 0 },
      clock: Date.now,
    });
    const { counters } = await jobs.crawl(crawl, { seeds: ['http://a.com/', 'http://b.com/0'] });
    expect(counters).toMatchObject({ backed_off: 1, success: 9 });
    expect(web.requests).toContain('http://a.com/');
  });

  it('fetch no stored page again, and end in the same rows, wherever they failed', async () => {
    const { pages, seeds } = randomWeb(5, 60, 6);
    const options = { seeds, stay: 'any', threads: 3, topN: 10 } as const;
    const run = async (web: FakeWeb, store: Store): Promise<void> => {
      await jobs.crawl(await testCrawl(web, { store }), options);
    };
    const counting = new FailingStore(new MemoryStore());
    await run(slowWeb(pages, 1), counting);
    await using undisturbed = await testCrawl(fakeWeb(pages), { store: new MemoryStore() });
    await jobs.crawl(undisturbed, options);
    const expected = await comparable(undisturbed);
    let failed = 0;
    let stored = 0;
    for (let failAt = 1; failAt < counting.writes; failAt += Math.ceil(counting.writes / runs(20, 60))) {
      const store = new MemoryStore();
      const failing = new FailingStore(store, failAt);
      const failure: unknown = await run(slowWeb(pages, failAt), failing).catch((error: unknown) => error);
      // The number of writes depends on timing; a crawl with fewer writes ends without a failure.
      if (failing.writes >= failAt) failed += 1;
      expect(failure instanceof PlannedFailure, `write ${failAt}: ${String(failure)}`).toBe(failing.writes >= failAt);
      const web = slowWeb(pages, failAt);
      await using crawl = await testCrawl(web, { store });
      // Every second try continues from the state of the failure, the others after a repair.
      if (failAt % 2 === 0) expect(missing((await jobs.repair(crawl)).counters), `write ${failAt}`).toEqual([]);
      const before = new Set<string>();
      for (const { url, fetchedAt } of await allRows(crawl)) if (fetchedAt !== undefined) before.add(String(url));
      stored += before.size;
      await jobs.crawl(crawl, options);
      expect(await comparable(crawl), `write ${failAt}`).toEqual(expected);
      expect(
        web.requests.filter((url) => before.has(url)),
        `write ${failAt}`,
      ).toEqual([]);
    }
    expect(failed).toBeGreaterThan(runs(12, 40));
    expect(stored).toBeGreaterThan(runs(150, 500));
  });

  it('leave the fetched pages to a later updatedb of every batch if they were stopped', async () => {
    const web = fakeWeb({ 'http://a.com/': { html: links('/next') }, 'http://b.com/': 'x', 'http://c.com/': 'x' });
    await using crawl = await testCrawl(web);
    const controller = new AbortController();
    // The second page stops the crawl, after the first was stored.
    web.onRequest = () => void (web.requests.length === 2 && controller.abort());
    const report = await jobs.crawl(crawl, {
      seeds: ['http://a.com/', 'http://b.com/', 'http://c.com/'],
      threads: 1,
      signal: controller.signal,
    });
    expect(report.interrupted).toBe(true);
    const fetched = web.requests.length;
    const { counters } = await jobs.updatedb(crawl, { batch: 'all' });
    expect(counters).toMatchObject({ fetched, not_fetched: 3 - fetched });
    expect(await crawl.tables.batches.list()).toEqual([]);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 4 });
    await jobs.crawl(crawl, { seeds: [] });
    expect([...web.requests].sort()).toEqual(['http://a.com/', 'http://a.com/next', 'http://b.com/', 'http://c.com/']);
  });
});
