import { describe, expect, it } from 'vitest';
import { jobs, type Plugin } from '../../../packages/webcrawl/internal.js';
import { fakeWeb, links, type FakePage } from '../../support/web/fake-web.js';
import { rowOf, start } from '../../support/job-steps.js';
import { content } from '../../support/web/outcomes.js';
import { START, testCrawl } from '../../support/test-crawl.js';
import { DAY } from '../../support/web/stub-protocol.js';

const PATHS = Array.from({ length: 20 }, (_, i) => `/${i}`);

describe('fetch under robots.txt', () => {
  const fetchOne = async (robots: FakePage | string, settings: Record<string, unknown> = {}) => {
    const web = fakeWeb({ 'http://a.com/robots.txt': robots, 'http://a.com/x': 'x' });
    await using crawl = await testCrawl(web, { settings });
    const batch = await start(crawl, 'http://a.com/x');
    const { counters } = await jobs.fetch(crawl, { batch });
    return { counters, requests: web.requests, ...(await rowOf(crawl, 'http://a.com/x', 'status', 'protocolStatus')) };
  };

  it('skips a disallowed page, and reports the line that disallows it', async () => {
    expect(await fetchOne('User-agent: *\nAllow: /y\nDisallow: /x')).toEqual({
      counters: { fetched: 1, robots_denied: 1 },
      requests: [],
      status: 'gone',
      protocolStatus: { code: 'robots_denied', message: 'line 3: Disallow: /x' },
    });
  });

  it('leaves the page as it was when robots.txt is unavailable', async () => {
    for (const robots of [{ status: 503 }, { status: 500 }]) {
      expect(await fetchOne(robots)).toEqual({
        counters: { host_backoff: 1, backed_off: 3 },
        requests: [],
        status: 'unfetched',
      });
    }
  });

  it('allows everything if there is no robots.txt', async () => {
    for (const robots of [{ status: 404 }, { status: 403 }, { status: 301 }, { location: '/robots.txt' }, '']) {
      expect(await fetchOne(robots)).toMatchObject({ counters: { fetched: 1, success: 1 }, status: 'fetched' });
    }
  });

  it('gives up a page whose crawl delay is too long, unless the setting allows any delay', async () => {
    const robots = 'User-agent: *\nCrawl-delay: 0.4';
    expect(await fetchOne(robots, { 'fetcher.maxCrawlDelay': 0.3 })).toEqual({
      counters: { fetched: 1, crawl_delay_too_long: 1 },
      requests: [],
      status: 'gone',
      protocolStatus: { code: 'crawl_delay_too_long', message: 'Crawl-delay: 0.4' },
    });
    for (const maxCrawlDelay of [0.4, -1]) {
      expect(await fetchOne(robots, { 'fetcher.maxCrawlDelay': maxCrawlDelay })).toMatchObject({ status: 'fetched' });
    }
  });

  it('treats a protocol that throws on robots.txt like a server that does not answer: the page fails after three tries', async () => {
    const plugin: Plugin = {
      name: 'broken',
      protocol: {
        schemes: ['http'],
        fetch: () => {
          throw new Error('out of order');
        },
      },
    };
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    const batch = await start(crawl, 'http://a.com/');
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 1,
      backed_off: 3,
      plugin_error_broken: 4,
    });
    expect(await rowOf(crawl, 'http://a.com/', 'status', 'protocolStatus')).toMatchObject({
      status: 'retry',
      protocolStatus: { code: 'plugin_error_broken' },
    });
  });

  it('fails an origin whose robots.txt redirects to a dead host: other ports are fetched, its pages fail after three tries', async () => {
    const asked: string[] = [];
    const plugin: Plugin = {
      name: 'stub',
      protocol: {
        schemes: ['http'],
        async fetch({ url }) {
          asked.push(url);
          if (url.startsWith('http://dead.com/')) return { kind: 'retry', code: 'connect_failed' };
          if (url !== 'http://a.com/robots.txt')
            return content(links(PATHS[PATHS.indexOf(new URL(url).pathname) + 1] ?? '/0'));
          return { kind: 'redirect', code: 'moved', http: 301, permanent: true, target: 'http://dead.com/robots.txt' };
        },
      },
    };
    // One failure of the host would be enough to set it aside.
    const settings = { 'fetcher.minBackoffSeconds': 1000, 'fetcher.maxBackoffWaitSeconds': 1 };
    await using crawl = await testCrawl(undefined, { plugins: [plugin], settings });
    const [broken, well] = ['http://a.com', 'http://a.com:8080'].map((origin) => PATHS.map((path) => origin + path));
    await jobs.crawl(crawl, { seeds: [...broken!, well![0]!] });
    const found = (urls: readonly string[] = []) =>
      Promise.all(urls.map((url) => rowOf(crawl, url, 'status', 'protocolStatus')));
    for (const { status } of await found(well)) expect(status).toBe('fetched');
    for (const row of await found(broken)) {
      expect(row).toMatchObject({ status: 'unfetched', protocolStatus: { code: 'connect_failed' } });
    }
    expect(asked.filter((url) => url === 'http://a.com/robots.txt').length).toBeLessThan(10);
  });

  it('requests robots.txt of each origin once a day, also over several runs', async () => {
    const asked: string[] = [];
    const plugin: Plugin = {
      name: 'stub',
      protocol: {
        schemes: ['http', 'https'],
        async fetch({ url }) {
          if (!url.endsWith('/robots.txt')) return content('x');
          asked.push(url);
          return content('User-agent: *\nDisallow: /private', { contentType: 'text/plain' });
        },
      },
    };
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    const batch = await start(crawl, 'http://a.com/', 'http://a.com/private', 'https://a.com/', 'http://a.com:81/');
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 4, success: 3, robots_denied: 1 });
    const again = async (path: string) => {
      await start(crawl, ...['http://a.com', 'https://a.com', 'http://a.com:81'].map((origin) => `${origin}${path}`));
      await jobs.fetch(crawl, { batch: 'all' });
    };
    await again('/2');
    const files = ['http://a.com/robots.txt', 'http://a.com:81/robots.txt', 'https://a.com/robots.txt'];
    expect([...asked].sort()).toEqual(files);
    crawl.setTime(START + DAY);
    await again('/3');
    expect([...asked].sort()).toEqual([...files, ...files].sort());
  });
});
