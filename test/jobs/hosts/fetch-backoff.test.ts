import { describe, expect, it } from 'vitest';
import {
  MemoryStore,
  explain,
  jobs,
  type OpenContext,
  type FetchOutcome,
  type Plugin,
  type Store,
} from '../../../packages/webcrawl/internal.js';
import { pause } from '../../../packages/util/index.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { turns, until } from '../../support/events.js';
import { links } from '../../support/web/fake-web.js';
import { rowOf, select, start } from '../../support/job-steps.js';
import { ABSENT, content } from '../../support/web/outcomes.js';
import { answer, rawServer } from '../../support/web/raw-server.js';
import { START, allRows, testCrawl } from '../../support/test-crawl.js';

type Answer = (url: string) => FetchOutcome | undefined | Promise<FetchOutcome | undefined>;

/** A web whose answers come from `answerTo`. Without an answer a URL is a page, and robots.txt is absent. */
function web(answerTo: Answer) {
  const requests: string[] = [];
  const times: number[] = [];
  const plugin: Plugin = {
    name: 'web',
    protocol: {
      schemes: ['http', 'https'],
      async fetch({ url }) {
        requests.push(url);
        times.push(performance.now());
        const given = await answerTo(url);
        if (given) return given;
        return url.endsWith('/robots.txt') ? ABSENT : page('x');
      },
    },
  };
  /** The number of requests for each URL; robots.txt counts only if it is named. */
  const count = (url: string): number => requests.filter((each) => each === url).length;
  return { plugin, requests, times, count };
}

const page = (html: string, millis?: number): FetchOutcome => content(html, millis === undefined ? {} : { millis });
const unavailable = (retryAfter?: number): FetchOutcome => ({
  kind: 'retry',
  code: 'unavailable',
  http: 503,
  ...(retryAfter !== undefined && { retryAfter }),
});
const to = (target: string): FetchOutcome => ({ kind: 'redirect', code: 'moved', http: 301, permanent: true, target });
const refused: FetchOutcome = { kind: 'retry', code: 'connect_failed', message: 'refused' };
const open = (plugin: Plugin, settings: Record<string, unknown> = {}, store?: Store) =>
  testCrawl(undefined, { plugins: [plugin], settings, ...(store && { store }) });
const urls = (host: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `http://${host}/${String(i).padStart(3, '0')}`);
const statusOf = async (crawl: OpenContext, url: string) => (await rowOf(crawl, url, 'status')).status;

describe('a page that is always unavailable', () => {
  it('is requested three times and then fails; the others of its host are fetched', async () => {
    const poison = 'http://a.com/000';
    for (const retryAfter of [0, 0.01, undefined]) {
      const fake = web((url) => (url === poison ? unavailable(retryAfter) : undefined));
      await using crawl = await open(fake.plugin, { 'fetcher.minBackoffSeconds': 0.002 });
      const batch = await start(crawl, ...urls('a.com', 10));
      expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
        fetched: 10,
        success: 9,
        unavailable: 1,
        tried_again: 2,
        backed_off: 3,
      });
      expect(fake.count(poison)).toBe(3);
      expect(await statusOf(crawl, poison)).toBe('retry');
      expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({ fetched: 9, retry: 1 });
      expect((await explain(crawl, poison)).backoff).toBeUndefined();
    }
  });

  it('does not hold up its host for ever if it asks for a long wait each time', async () => {
    const poison = 'http://a.com/000';
    const fake = web((url) => (url === poison ? unavailable(3600) : undefined));
    await using crawl = await open(fake.plugin);
    const seeds = urls('a.com', 5);
    const first = await jobs.crawl(crawl, { seeds });
    expect(first.counters).toMatchObject({ unavailable: 1, fetched: 1, host_backoff: 4, generate_host_backoff: 1 });
    crawl.setTime(START + 1.25 * 3_600_000);
    const second = await jobs.crawl(crawl, { seeds });
    expect(second.counters).toMatchObject({ fetched: 4, success: 4 });
    expect(second.counters).not.toHaveProperty('generate_host_backoff');
    expect(fake.count(poison)).toBe(1);
  });
});

describe('a host that always asks for a short wait', () => {
  it('is not requested three times for each page, and the run ends', async () => {
    const fake = web((url) => (url.endsWith('robots.txt') ? undefined : unavailable(0.003)));
    await using crawl = await open(fake.plugin, {
      'fetcher.minBackoffSeconds': 0.2,
      'fetcher.maxBackoffWaitSeconds': 2,
    });
    const batch = await start(crawl, ...urls('a.com', 200));
    const before = new Map((await allRows(crawl)).map((row) => [row.url, row]));
    const { counters } = await jobs.fetch(crawl, { batch });
    // Three waits of 3 ms, then 1.6 s; the next of 3.2 s is far above the limit, so timing on a busy machine does not matter.
    expect(fake.requests).toHaveLength(1 + 5);
    expect(counters).toMatchObject({ backed_off: 5, host_backoff: 200 - (counters.fetched ?? 0) });
    const left = (await allRows(crawl)).filter((row) => row.status === 'unfetched');
    expect(left).toHaveLength(counters.host_backoff!);
    for (const row of left) expect(row).toEqual(before.get(row.url));
    const updated = await jobs.updatedb(crawl, { batch });
    expect(updated.counters).toMatchObject({ not_fetched: left.length });
    for (const { url } of left) {
      expect(await rowOf(crawl, String(url), 'dueAt', 'retries', 'marks')).toEqual({
        dueAt: before.get(url)?.dueAt,
        retries: 0,
        marks: { inject: 'y' },
      });
    }
  });

  it('is crawled completely once it recovers, in one run and over rounds', async () => {
    let failures = 0;
    const fake = web((url) => {
      if (url.endsWith('robots.txt')) return undefined;
      if (fake.requests.length % 4 === 3 && failures++ < 10) return unavailable(0.02);
      const depth = new URL(url).pathname.length;
      return page(depth < 6 ? links(`${url}x`, `${url}y`) : 'end');
    });
    await using crawl = await open(fake.plugin);
    const { counters } = await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(counters).toMatchObject({ fetched: 63, success: 63 });
    expect(failures).toBeGreaterThan(5);
    expect(counters).not.toHaveProperty('host_backoff');
  });

  it('is never requested before the wait is over', async () => {
    const waits = [0.15, 0.05, 0.2];
    const fake = web((url) => {
      if (url.endsWith('robots.txt')) return undefined;
      const wait = waits[fake.requests.length - 2];
      return wait === undefined ? undefined : unavailable(wait);
    });
    for (const threadsPerQueue of [1, 3]) {
      fake.requests.length = fake.times.length = 0;
      await using crawl = await open(fake.plugin, {
        'fetcher.threadsPerQueue': threadsPerQueue,
        'fetcher.serverMinDelay': 0.02,
      });
      const batch = await start(crawl, ...urls('a.com', 6));
      expect((await jobs.fetch(crawl, { batch })).counters).toMatchObject({ fetched: 6, success: 6 });
      for (const [i, wait] of waits.entries()) {
        expect(fake.times[i + 2]! - fake.times[i + 1]!).toBeGreaterThanOrEqual(wait * 1000);
      }
    }
  });
});

describe('a host with a long back-off', () => {
  const fake = () =>
    web((url) => (url.startsWith('http://a.com/') && !url.endsWith('robots.txt') ? unavailable(1000) : undefined));

  it('is set aside, and the other hosts go on', async () => {
    const { plugin, requests } = fake();
    await using crawl = await open(plugin);
    const batch = await start(crawl, ...urls('a.com', 100), ...urls('b.com', 3));
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 4,
      success: 3,
      unavailable: 1,
      backed_off: 1,
      host_backoff: 99,
    });
    expect(requests.filter((url) => url.startsWith('http://a.com/'))).toHaveLength(2);
    // Other schemes and ports, and targets of redirects, count as the same host.
    expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({ not_fetched: 99, retry: 1 });
    await jobs.inject(crawl, { seeds: ['https://a.com/', 'http://a.com:81/', 'http://sub.a.com/'] });
    const { counters, batchId } = await jobs.generate(crawl);
    expect(counters).toEqual({ generated: 1, host_backoff: 1 });
    await jobs.fetch(crawl, { batch: batchId! });
    expect(requests.at(-1)).toBe('http://sub.a.com/');
    await jobs.updatedb(crawl, { batch: batchId! });
    crawl.setTime(START + 1_000_000);
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 101 });
  });

  it('is selected again at the end of its back-off', async () => {
    await using crawl = await open(fake().plugin);
    const batch = await start(crawl, ...urls('a.com', 3));
    await jobs.fetch(crawl, { batch });
    await jobs.updatedb(crawl, { batch });
    expect((await jobs.generate(crawl, { addDays: 900 / 86_400 })).counters).toEqual({ host_backoff: 1 });
    expect((await jobs.generate(crawl, { addDays: 1000 / 86_400 })).counters).toEqual({ generated: 2 });
  });

  it('is left alone by a new process after kill -9 at any time', async () => {
    const { plugin } = fake();
    const store = new MemoryStore();
    await using crawl = await open(plugin, {}, store);
    const batch = await start(crawl, ...urls('a.com', 3));
    const write = store.write.bind(store);
    const snapshots: MemoryStore[] = [];
    let failed = false;
    store.write = async (table, changes) => {
      // Any write after the answer comes when the back-off record is already in the table.
      failed ||= table === 'host' && changes.some(({ key }) => key === 'com.a');
      await write(table, changes);
      if (failed) snapshots.push(await copyStore(store));
    };
    await jobs.fetch(crawl, { batch });
    expect(snapshots.length).toBeGreaterThan(2);
    for (const snapshot of snapshots) {
      const later = fake();
      await using again = await open(later.plugin, {}, snapshot);
      again.setTime(START + 500_000);
      const { counters } = await jobs.fetch(again, { batch });
      expect(counters.host_backoff).toBeGreaterThanOrEqual(2);
      expect(later.requests).toEqual([]);
      expect((await explain(again, 'http://a.com/001')).backoff).toMatchObject({
        until: expect.any(Number) as number,
        http: 503,
      });
    }
  });

  it('does not hold up the other hosts of its queue', async () => {
    for (const [settings, left] of [
      [{}, 3],
      [{ 'fetcher.maxBackoffWaitSeconds': 0 }, 3],
    ] as const) {
      const { plugin } = web((url) => (url === 'http://one.a.com/000' ? unavailable(1000) : undefined));
      await using crawl = await open(plugin, { ...settings, 'partition.urlMode': 'domain' });
      const batch = await start(crawl, ...urls('one.a.com', 4), ...urls('two.a.com', 4), ...urls('a.com', 4));
      expect((await jobs.fetch(crawl, { batch })).counters).toMatchObject({ success: 8, host_backoff: left });
    }
  });

  it('does not hold up its queue if it cannot be reached', async () => {
    const { plugin, requests } = web((url) => (url.startsWith('http://one.') ? refused : undefined));
    await using crawl = await open(plugin, { 'partition.urlMode': 'domain', 'fetcher.minBackoffSeconds': 30 });
    const batch = await start(crawl, ...urls('one.a.com', 4), ...urls('two.a.com', 4));
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 8,
      success: 4,
      connect_failed: 4,
      origins_failed: 1,
      backed_off: 3,
    });
    // The queue does not wait for this host, and three requests decide the outcome of all its pages.
    expect(requests.filter((url) => url.startsWith('http://one.'))).toEqual(
      Array.from({ length: 3 }, () => 'http://one.a.com/robots.txt'),
    );
  });

  it('is not requested as the target of a redirect', async () => {
    const { plugin, requests } = web((url) => {
      if (url === 'http://a.com/000') return unavailable(1000);
      return url === 'http://b.com/000' ? to('http://a.com/target') : undefined;
    });
    await using crawl = await open(plugin);
    await jobs.fetch(crawl, { batch: await start(crawl, ...urls('a.com', 1)) });
    const batch = await start(crawl, ...urls('b.com', 1));
    expect((await jobs.fetch(crawl, { batch })).counters).toMatchObject({ redirects_followed: 1, host_backoff: 1 });
    expect(requests).not.toContain('http://a.com/target');
    expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({ redirected: 1, not_fetched: 1 });
  });
});

describe('a wait', () => {
  it('ends when the run is aborted, and the next run fetches the pages', async () => {
    let fails = true;
    const fake = web((url) => (fails && !url.endsWith('robots.txt') ? unavailable(50) : undefined));
    await using crawl = await open(fake.plugin);
    const batch = await start(crawl, ...urls('a.com', 3));
    const stop = new AbortController();
    const run = jobs.fetch(crawl, { batch, signal: stop.signal });
    await until(() => fake.requests.length === 2);
    await turns();
    stop.abort();
    expect(await run).toMatchObject({ interrupted: true, counters: { backed_off: 1, tried_again: 1 } });
    expect(fake.requests).toHaveLength(2);
    fails = false;
    await using later = await open(fake.plugin, {}, await copyStore(crawl.tables.store));
    later.setTime(START + 50_000);
    expect((await jobs.fetch(later, { batch })).counters).toEqual({ fetched: 3, success: 3 });
  });

  it('is waited for if an earlier run left it and it is short', async () => {
    let fails = true;
    const fake = web((url) => (fails && !url.endsWith('robots.txt') ? unavailable(0.3) : undefined));
    await using crawl = await open(fake.plugin, { 'fetcher.maxBackoffWaitSeconds': 0 });
    const batch = await start(crawl, ...urls('a.com', 3));
    await jobs.fetch(crawl, { batch });
    const failedAt = fake.times.at(-1)!;
    fails = false;
    await using later = await open(fake.plugin, {}, await copyStore(crawl.tables.store));
    expect((await jobs.fetch(later, { batch })).counters).toMatchObject({ success: 2 });
    expect(fake.times[2]! - failedAt).toBeGreaterThanOrEqual(300);
  });
});

describe('robots.txt that is not available', () => {
  it.each<[string, FetchOutcome, object]>([
    ['503', unavailable(), { code: 'unavailable', http: 503 }],
    ['500', { kind: 'retry', code: 'http_error', http: 500 }, { code: 'http_error', http: 500 }],
  ])('for %s leaves every page of the host as it was', async (_, outcome, why) => {
    const fake = web((url) => (url.endsWith('robots.txt') ? outcome : undefined));
    await using crawl = await open(fake.plugin, {
      'fetcher.minBackoffSeconds': 0.1,
      'fetcher.maxBackoffWaitSeconds': 0.51,
    });
    const batch = await start(crawl, ...urls('a.com', 50));
    const before = await allRows(crawl);
    // The fetch waits for 100, 200 and 400 ms, but not for 800 ms, even if a busy machine measures a quarter of a second less.
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ backed_off: 4, host_backoff: 50 });
    expect(fake.requests).toHaveLength(4);
    expect(await allRows(crawl)).toEqual(before);
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ not_fetched: 50 });
    const { backoff } = await explain(crawl, 'http://a.com/000');
    expect(backoff).toEqual({ failures: 4, since: START, until: expect.any(Number) as number, ...why });
    expect(backoff!.until).toBeGreaterThanOrEqual(START + 800);
    expect(backoff!.until).toBeLessThanOrEqual(START + 1001);
    expect((await jobs.generate(crawl)).counters).toEqual({ host_backoff: 1 });
  });

  it('makes both hosts wait if a redirect led to the failing one', async () => {
    const fake = web((url) => {
      if (url === 'http://a.com/robots.txt') return to('http://b.com/robots.txt');
      return url === 'http://b.com/robots.txt' ? unavailable(500) : undefined;
    });
    await using crawl = await open(fake.plugin);
    await jobs.inject(crawl, { seeds: [...urls('a.com', 2), ...urls('b.com', 2), ...urls('c.com', 1)] });
    const batch = await select(crawl);
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 1,
      success: 1,
      host_backoff: 4,
      backed_off: 2,
    });
    expect(fake.count('http://b.com/robots.txt')).toBe(1);
    for (const host of ['a.com', 'b.com']) {
      const { until } = (await explain(crawl, `http://${host}/000`)).backoff!;
      expect(until, host).toBeGreaterThanOrEqual(START + 499_000);
    }
  });

  it('counts failures in a row even though the redirect to it is answered each time', async () => {
    const fake = web((url) => {
      if (url === 'http://a.com/robots.txt') return to('http://b.com/robots.txt');
      return url === 'http://b.com/robots.txt' ? unavailable(500) : undefined;
    });
    await using crawl = await open(fake.plugin);
    for (let day = 0; day < 3; day++) {
      crawl.setTime(START + day * 86_400_000);
      const batch = await start(crawl, ...urls('a.com', 1));
      await jobs.fetch(crawl, { batch });
      await jobs.updatedb(crawl, { batch });
    }
    expect((await explain(crawl, 'http://a.com/000')).backoff).toMatchObject({ failures: 3 });
  });

  it('counts as one failure for pages that waited for it at the same time', async () => {
    for (const well of [[], ['http://a.com/']]) {
      let asked = 0;
      const fake = web(async (url) => {
        if (url === 'http://b.com/robots.txt') return asked++ === 0 ? unavailable(0.05) : undefined;
        if (url !== 'https://a.com/robots.txt') return undefined;
        // All pages of the queue begin to wait.
        await pause(100);
        return to('http://b.com/robots.txt');
      });
      await using crawl = await open(fake.plugin, { 'fetcher.threadsPerQueue': 4 });
      const batch = await start(crawl, ...well, ...['/1', '/2', '/3'].map((path) => `https://a.com${path}`));
      const pages = 3 + well.length;
      const { counters } = await jobs.fetch(crawl, { batch });
      expect(counters).toMatchObject({ fetched: pages, success: pages });
      expect(asked).toBe(2);
    }
  });

  it('because no connection is made is the outcome of all pages of the host, after three in a row and with a long wait', async () => {
    const fake = web((url) => (url.endsWith('robots.txt') ? refused : undefined));
    await using crawl = await open(fake.plugin, {
      'fetcher.minBackoffSeconds': 0.1,
      'fetcher.maxBackoffWaitSeconds': 0.51,
    });
    const batch = await start(crawl, ...urls('a.com', 50));
    // 100, 200 and 400 ms are waited for; 800 ms are not, even if a busy machine measures a quarter of a second less.
    expect(await jobs.fetch(crawl, { batch })).toMatchObject({
      counters: { fetched: 50, connect_failed: 50, origins_failed: 1, backed_off: 4 },
      failedOrigins: [{ origin: 'http://a.com', code: 'connect_failed', pages: 50 }],
    });
    expect(fake.requests).toHaveLength(4);
    expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({ retry: 50 });
    for (const url of urls('a.com', 50)) {
      const row = await rowOf(crawl, url, 'status', 'protocolStatus', 'retries', 'dueAt');
      expect(row).toMatchObject({ status: 'unfetched', protocolStatus: { code: 'connect_failed' }, retries: 1 });
      expect(row.dueAt).toBeGreaterThan(START);
    }
    expect((await explain(crawl, 'http://a.com/000')).backoff).toMatchObject({ failures: 4, code: 'connect_failed' });
  });

  it('of one origin delays no page of another, and its own pages fail after three requests', async () => {
    const dead = 'http://a.com:8443';
    const fake = web((url) => (url.startsWith(dead) ? refused : undefined));
    // Any wait would last longer than the test.
    const settings = { 'fetcher.minBackoffSeconds': 3600, 'fetcher.maxBackoffWaitSeconds': 7200 };
    await using crawl = await open(fake.plugin, settings);
    const lost = [`${dead}/0`, `${dead}/1`, `${dead}/2`];
    const { counters } = await jobs.crawl(crawl, { seeds: [...urls('a.com', 10), ...lost] });
    expect(counters).toMatchObject({ fetched: 13, success: 10, connect_failed: 3 });
    expect(counters).not.toHaveProperty('host_backoff');
    expect(fake.requests.filter((url) => url.startsWith(dead))).toEqual(Array(3).fill(`${dead}/robots.txt`));
    expect((await explain(crawl, 'http://a.com/')).backoff).toBeUndefined();
    // For some days nothing else of the host is requested.
    const store = await copyStore(crawl.tables.store);
    await using later = await open(
      fake.plugin,
      { 'fetcher.minBackoffSeconds': 0.001, 'fetcher.maxBackoffWaitSeconds': 0.05 },
      store,
    );
    for (const [day, status] of ['unfetched', 'gone'].entries()) {
      later.setTime(START + (day + 1) * 90_000_000);
      await jobs.crawl(later, { seeds: [] });
      expect(await statusOf(later, `${dead}/0`)).toBe(status);
    }
  });

  it('of the first origin does not delay the others', async () => {
    const fake = web((url) => (url.startsWith('http:') ? refused : undefined));
    await using crawl = await open(fake.plugin, {
      'fetcher.minBackoffSeconds': 3600,
      'fetcher.maxBackoffWaitSeconds': 7200,
    });
    const batch = await start(crawl, 'http://a.com/', 'https://a.com/1', 'https://a.com/2');
    expect((await jobs.fetch(crawl, { batch })).counters).toMatchObject({ success: 2, connect_failed: 1 });
    expect(fake.requests.slice(0, 2)).toEqual(['http://a.com/robots.txt', 'https://a.com/robots.txt']);
  });

  it('lets a crawl end that has nothing else to fetch', async () => {
    const fake = web((url) => (url.startsWith('http://a.com/') ? undefined : refused));
    await using crawl = await open(fake.plugin, { 'fetcher.maxBackoffWaitSeconds': 0, 'fetcher.minBackoffSeconds': 1 });
    const { counters } = await jobs.crawl(crawl, { seeds: ['http://a.com/', 'http://b.com/', 'http://c.com/1'] });
    expect(counters).toMatchObject({ rounds: 1, success: 1, host_backoff: 2, generate_host_backoff: 2 });
    expect(fake.requests.filter((url) => !url.startsWith('http://a.com/'))).toHaveLength(2);
  });
});

describe('delays', () => {
  it('apply between robots.txt and the first page too', async () => {
    const fake = web(() => undefined);
    await using crawl = await open(fake.plugin, { 'fetcher.serverDelay': 0.1 });
    const batch = await start(crawl, ...urls('a.com', 2));
    await jobs.fetch(crawl, { batch });
    expect(fake.requests).toEqual(['http://a.com/robots.txt', ...urls('a.com', 2)]);
    for (const i of [1, 2]) expect(fake.times[i]! - fake.times[i - 1]!).toBeGreaterThanOrEqual(100);
  });

  it('of several hosts in a queue become the longest Crawl-delay of all', async () => {
    const fake = web((url) => {
      const delay = { 'http://one.a.com/robots.txt': 0.2, 'http://two.a.com/robots.txt': 0.01 }[url];
      return delay === undefined ? undefined : page(`User-agent: *\nCrawl-delay: ${delay}`);
    });
    await using crawl = await open(fake.plugin, { 'partition.urlMode': 'domain' });
    const batch = await start(crawl, ...urls('one.a.com', 2), ...urls('two.a.com', 2));
    await jobs.fetch(crawl, { batch });
    expect(fake.requests).toHaveLength(6);
    for (let i = 1; i < 6; i++) expect(fake.times[i]! - fake.times[i - 1]!).toBeGreaterThanOrEqual(200);
  });

  it('adapt to slow answers if the setting says so', async () => {
    const fake = web((url) => (url.endsWith('robots.txt') ? undefined : page('x', 20)));
    await using crawl = await open(fake.plugin, { 'fetcher.delayFactor': 10 });
    const batch = await start(crawl, ...urls('a.com', 3));
    await jobs.fetch(crawl, { batch });
    for (const i of [2, 3]) expect(fake.times[i]! - fake.times[i - 1]!).toBeGreaterThanOrEqual(200);
  });
});

describe('over HTTP', () => {
  it('a Retry-After with a date holds until that date', async () => {
    const date = new Date(Date.now() + 3_600_000);
    const server = await rawServer(({ path }) =>
      path === '/robots.txt'
        ? answer('404 Not Found')
        : answer('503 Service Unavailable', { 'Retry-After': date.toUTCString() }),
    );
    try {
      await using crawl = await testCrawl(undefined, { clock: Date.now });
      const url = `http://a.example:${server.port}/`;
      const batch = await start(crawl, url);
      expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 1, unavailable: 1, backed_off: 1 });
      const { until, failures, http } = (await explain(crawl, url)).backoff!;
      expect([failures, http]).toEqual([1, 503]);
      expect(until).toBeGreaterThanOrEqual(Math.floor(date.getTime() / 1000) * 1000);
      expect(until).toBeLessThanOrEqual(date.getTime() + 902_000);
    } finally {
      await server.close();
    }
  });

  it('a server that is down is left alone, and its pages stay due', async () => {
    const server = await rawServer(() => answer('200 OK', {}, ''));
    await server.close();
    await using crawl = await testCrawl(undefined, { settings: { 'fetcher.minBackoffSeconds': 1000 } });
    const url = `http://a.example:${server.port}/`;
    const batch = await start(crawl, url);
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ host_backoff: 1, backed_off: 1 });
    expect((await explain(crawl, url)).backoff).toMatchObject({ failures: 1, code: 'connect_failed' });
    expect((await rowOf(crawl, url, 'status', 'dueAt')).dueAt).toBe(START);
  });
});
