import { describe, expect, it } from 'vitest';
import { explain, jobs } from '../../../packages/webcrawl/internal.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { START, testCrawl } from '../../support/test-crawl.js';

const DAY = 86_400_000;

describe('crawl again now', () => {
  it('fetches the pages of the sites of the seeds again, each once, and no pages of other sites', async () => {
    const web = fakeWeb({
      'http://a.com/': { location: 'https://www.a.com/' },
      'https://www.a.com/': links('/x'),
      'http://b.com/': links('/y'),
    });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/', 'http://b.com/'] });
    crawl.setTime(START + DAY);
    web.requests.length = 0;
    const { counters } = await jobs.crawl(crawl, { seeds: ['http://a.com/'], refetch: true });
    expect(web.requests.sort()).toEqual(['http://a.com/', 'https://www.a.com/', 'https://www.a.com/x']);
    expect(counters).toMatchObject({ made_due: 3, fetched: 3 });
    // Another refetch starts over; with --stay any it covers the whole table.
    crawl.setTime(START + 2 * DAY);
    web.requests.length = 0;
    await jobs.crawl(crawl, { seeds: ['http://a.com/'], refetch: true, stay: 'any' });
    expect(web.requests).toHaveLength(5);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 5 });
  });

  it('fetches a compressed sitemap again, although filters reject its name for pages', async () => {
    const web = fakeWeb({
      'http://a.com/robots.txt': { html: 'Sitemap: http://a.com/all.xml.gz', contentType: 'text/plain' },
      'http://a.com/all.xml.gz': { html: '<urlset></urlset>', contentType: 'text/xml' },
    });
    await using crawl = await testCrawl(web, { settings: { 'db.fetchIntervalDefault': 2_592_000 } });
    const seeds = ['http://a.com/'];
    await jobs.crawl(crawl, { seeds });
    expect(web.requests).toContain('http://a.com/all.xml.gz');
    crawl.setTime(START + DAY / 2);
    web.requests.length = 0;
    await jobs.crawl(crawl, { seeds, refetch: true });
    expect(web.requests).toContain('http://a.com/all.xml.gz');
  });

  it('obeys folders and patterns', async () => {
    const web = fakeWeb({ 'http://a.com/docs/': links('/docs/x', '/docs/y', '/z') });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/docs/'] });
    crawl.setTime(START + DAY);
    web.requests.length = 0;
    const options = { seeds: ['http://a.com/docs/'], stay: 'path', exclude: ['y$'], refetch: true } as const;
    await jobs.crawl(crawl, options);
    expect(web.requests).toEqual(['http://a.com/docs/', 'http://a.com/docs/x']);
  });

  it('continues with the rest after it was stopped', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/1', '/2', '/3') });
    await using crawl = await testCrawl(web);
    const seeds = ['http://a.com/'];
    await jobs.crawl(crawl, { seeds });
    crawl.setTime(START + DAY);
    web.requests.length = 0;
    const controller = new AbortController();
    web.onRequest = () => {
      if (web.requests.length === 2) controller.abort();
    };
    const report = await jobs.crawl(crawl, { seeds, refetch: true, topN: 2, signal: controller.signal });
    expect(report).toMatchObject({ interrupted: true });
    crawl.setTime(START + DAY + 1000);
    await jobs.crawl(crawl, { seeds, refetch: true });
    expect(web.requests.sort()).toEqual(['http://a.com/', 'http://a.com/1', 'http://a.com/2', 'http://a.com/3']);
  });

  it('generate selects what becomes due within the given days, and nothing that a batch holds', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/1') });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect((await jobs.generate(crawl, { addDays: 29 })).counters).toEqual({});
    expect((await jobs.generate(crawl, { addDays: 45, topN: 1 })).counters).toMatchObject({ generated: 1 });
    expect((await jobs.generate(crawl, { addDays: 45 })).counters).toMatchObject({ generated: 1 });
    expect((await jobs.generate(crawl, { addDays: 90 })).batchId).toBeUndefined();
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 2 });
    await expect(jobs.generate(crawl, { addDays: -1 })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('generate can limit pages per queue and ignore filters', async () => {
    const strict = { name: 'strict', filterUrl: (_: string, scope: string) => scope !== 'generate' };
    await using crawl = await testCrawl(undefined, { plugins: [strict], settings: { 'generate.maxCount': 1 } });
    await jobs.inject(crawl, { seeds: ['http://a.com/1', 'http://a.com/2', 'http://a.com/3'] });
    expect((await jobs.generate(crawl)).counters).toEqual({ rejected_strict: 3 });
    const { counters } = await jobs.generate(crawl, { filter: false, maxCount: 2 });
    expect(counters).toEqual({ generated: 2, capped: 1 });
  });
});

describe('a seed that was denied', () => {
  it.each([
    ['by 401', { 'http://a.com/': { status: 401 } }],
    ['by robots.txt', { 'http://a.com/robots.txt': { html: 'User-agent: *\nDisallow: /', contentType: 'text/plain' } }],
  ])('%s is retried at once if it is given again', async (_, pages) => {
    const web = fakeWeb(pages);
    await using crawl = await testCrawl(web);
    const seeds = ['http://a.com/'];
    const first = await jobs.crawl(crawl, { seeds });
    expect(await crawl.page('http://a.com/', [])).toMatchObject({ status: 'gone' });
    if ('http://a.com/' in pages) {
      expect(first.counters.seeds_denied).toBe(1);
      expect((await explain(crawl, 'http://a.com/')).next.text).toContain('http.credentials');
    }
    crawl.setTime(START + 60_000);
    for (const url of Object.keys(pages)) web.set(url, undefined);
    web.set('http://a.com/', { html: 'come in' });
    expect((await jobs.crawl(crawl, { seeds })).counters).toEqual({ known: 1 });
    const { counters } = await jobs.crawl(crawl, { seeds, retryDenied: (line) => line === 1 });
    expect(counters).toMatchObject({ known: 1, denied_before: 1, success: 1 });
    expect(await crawl.page('http://a.com/', [])).toMatchObject({ status: 'fetched' });
    expect((await jobs.inject(crawl, { seeds, retryDenied: true })).counters).toEqual({ known: 1 });
  });
});
