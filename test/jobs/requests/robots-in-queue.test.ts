import { describe, expect, it } from 'vitest';
import { jobs, type FetchOutcome, type Plugin } from '../../../packages/webcrawl/internal.js';
import { start } from '../../support/job-steps.js';
import { ABSENT, content } from '../../support/web/outcomes.js';
import { testCrawl } from '../../support/test-crawl.js';

interface Asked {
  readonly url: string;
  readonly host: string;
  readonly from: number;
  to: number;
}

/** A web that delays every answer. Without an answer from `answerTo` a URL is a page, and robots.txt is absent. */
function web(answerTo: (url: string) => FetchOutcome | undefined) {
  const log: Asked[] = [];
  const plugin: Plugin = {
    name: 'web',
    protocol: {
      schemes: ['http', 'https'],
      async fetch({ url }) {
        const entry = { url, host: new URL(url).hostname, from: performance.now(), to: Infinity };
        log.push(entry);
        const given = answerTo(url);
        await new Promise((resolve) => setTimeout(resolve, 5));
        entry.to = performance.now();
        return given ?? (url.endsWith('/robots.txt') ? ABSENT : page('x'));
      },
    },
  };
  const urls = (): string[] => log.map(({ url }) => url);
  /** The shortest time from the end of a request to the start of the next one of its host, in ms. */
  const shortest = (host: string): number => {
    const own = log.filter((entry) => entry.host === host);
    return Math.min(...own.slice(1).map(({ from }, i) => from - own[i]!.to));
  };
  return { plugin, log, urls, shortest };
}

const page = (text: string): FetchOutcome => content(text);
const to = (target: string): FetchOutcome => ({ kind: 'redirect', code: 'moved', http: 301, permanent: true, target });
const pages = (host: string, count: number): string[] => Array.from({ length: count }, (_, i) => `http://${host}/${i}`);
const DELAY = 0.06;
const open = (plugin: Plugin, settings: Record<string, unknown> = {}) =>
  testCrawl(undefined, { plugins: [plugin], settings: { 'fetcher.serverDelay': DELAY, ...settings } });

describe('a robots.txt that is on another host', () => {
  it('is requested in the queue of that host, between its pages', async () => {
    const fake = web((url) => (url === 'http://a.com/robots.txt' ? to('http://b.com/shared.txt') : undefined));
    await using crawl = await open(fake.plugin);
    const batch = await start(crawl, ...pages('a.com', 2), ...pages('b.com', 4));
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 6, success: 6 });
    expect(fake.urls().filter((url) => url === 'http://b.com/shared.txt')).toHaveLength(1);
    expect(fake.urls().indexOf('http://b.com/shared.txt')).toBeGreaterThan(1);
    for (const host of ['a.com', 'b.com']) expect(fake.shortest(host)).toBeGreaterThanOrEqual(DELAY * 1000);
  });

  it.each([1, 2, 50])('and the reverse, with %d threads, wait for one another and end', async (threads) => {
    for (const perQueue of [1, 2]) {
      const fake = web((url) => {
        const other = { 'http://a.com/robots.txt': 'b.com', 'http://b.com/robots.txt': 'a.com' }[url];
        return other === undefined ? undefined : to(`http://${other}/robots.txt`);
      });
      await using crawl = await open(fake.plugin, {
        'fetcher.threadsPerQueue': perQueue,
        'fetcher.serverMinDelay': DELAY,
      });
      const batch = await start(crawl, ...pages('a.com', 3), ...pages('b.com', 3));
      expect((await jobs.fetch(crawl, { batch, threads })).counters).toEqual({ fetched: 6, success: 6 });
      if (perQueue > 1) continue;
      for (const host of ['a.com', 'b.com']) expect(fake.shortest(host)).toBeGreaterThanOrEqual(DELAY * 1000);
    }
  });

  it('waits too if it is elsewhere on its own host', async () => {
    const fake = web((url) => (url === 'http://a.com/robots.txt' ? to('https://a.com/robots.txt') : undefined));
    await using crawl = await open(fake.plugin);
    const batch = await start(crawl, ...pages('a.com', 2));
    await jobs.fetch(crawl, { batch });
    expect(fake.urls()).toEqual(['http://a.com/robots.txt', 'https://a.com/robots.txt', ...pages('a.com', 2)]);
    expect(fake.shortest('a.com')).toBeGreaterThanOrEqual(DELAY * 1000);
  });

  it('is requested once for many, and its Crawl-delay applies there at once', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `h${i}.com`);
    const fake = web((url) => {
      if (url === 'http://b.com/robots.txt') return page('User-agent: *\nCrawl-delay: 0.2\nDisallow: /1');
      return url.endsWith('/robots.txt') ? to('http://b.com/robots.txt') : undefined;
    });
    await using crawl = await open(fake.plugin);
    const hosts = [...names, 'b.com'];
    const batch = await start(crawl, ...hosts.flatMap((host) => pages(host, 2)));
    const { counters } = await jobs.fetch(crawl, { batch, threads: 3 });
    expect(counters).toEqual({ fetched: 18, success: 9, robots_denied: 9 });
    expect(fake.urls().filter((url) => url === 'http://b.com/robots.txt')).toHaveLength(1);
    expect(fake.shortest('b.com')).toBeGreaterThanOrEqual(200);
  });

  it('waits during a short back-off of that host', async () => {
    let refusals = 1;
    const fake = web((url) => {
      if (url === 'http://a.com/robots.txt') return to('http://b.com/shared.txt');
      if (!url.startsWith('http://b.com/') || url.endsWith('.txt') || refusals-- <= 0) return undefined;
      return { kind: 'retry', code: 'throttled', http: 429, retryAfter: 0.3 };
    });
    await using crawl = await open(fake.plugin, { 'fetcher.serverDelay': 0 });
    const batch = await start(crawl, ...pages('b.com', 1), ...pages('a.com', 1));
    const { counters } = await jobs.fetch(crawl, { batch, threads: 2 });
    expect(counters).toMatchObject({ fetched: 2, success: 2, tried_again: 1, backed_off: 1 });
    const refused = fake.log.find(({ url }) => url === 'http://b.com/0')!;
    const next = fake.log.filter(({ host, from }) => host === 'b.com' && from > refused.from);
    expect(next).toHaveLength(fake.log.filter(({ host }) => host === 'b.com').indexOf(refused) === 1 ? 2 : 1);
    for (const { from } of next) expect(from - refused.to).toBeGreaterThanOrEqual(300);
    expect(fake.urls().filter((url) => url === 'http://a.com/robots.txt')).toHaveLength(1);
  });

  it('that cannot be reached leaves the other pages of its queue as they were', async () => {
    const fake = web((url) => {
      if (url === 'http://a.com/robots.txt') return to('http://b.com/robots.txt');
      return url === 'http://b.com/robots.txt'
        ? { kind: 'retry', code: 'dns_failed', message: 'no such host' }
        : undefined;
    });
    await using crawl = await open(fake.plugin, { 'fetcher.minBackoffSeconds': 100 });
    const batch = await start(crawl, ...pages('a.com', 3));
    const { counters } = await jobs.fetch(crawl, { batch });
    expect(counters).toEqual({ host_backoff: 3, backed_off: 2 });
    expect(fake.urls()).toEqual(['http://a.com/robots.txt', 'http://b.com/robots.txt']);
  });
});
