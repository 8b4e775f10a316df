import { describe, expect, it } from 'vitest';
import { explain, jobs, urlPatterns, type Crawl, type CrawlOptions } from '../../../packages/webcrawl/index.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { round } from '../../support/job-steps.js';
import { START, testCrawl } from '../../support/test-crawl.js';

const MONTH = 31 * 86_400_000;

async function requestsOf(pages: Parameters<typeof fakeWeb>[0], options: CrawlOptions): Promise<string[]> {
  const web = fakeWeb(pages);
  await using crawl = await testCrawl(web);
  await jobs.crawl(crawl, options);
  return web.requests;
}

const nextOf = async (crawl: Crawl, url: string) => (await explain(crawl, url)).next;

describe('the scope of a crawl', () => {
  const docs = {
    'http://a.com/docs/intro': links('/docs/more', '/docs/sub/x', '/docs', '/blog/', 'http://b.com/docs/'),
    'http://a.com/docs/more': links('/documents', '/docs/?q=../x'),
    'http://a.com/docs/sub/x': '',
    'http://a.com/docs/?q=../x': '',
  };

  it('without seeds stays in the folders of the last crawl', async () => {
    const web = fakeWeb(docs);
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/docs/intro'], stay: 'path', rounds: 1 });
    await jobs.crawl(crawl, { seeds: [], stay: 'path' });
    expect(web.requests).toHaveLength(4);
  });

  it('stays in the folders of the seeds', async () => {
    expect(await requestsOf(docs, { seeds: ['http://a.com/docs/intro'], stay: 'path' })).toEqual([
      'http://a.com/docs/intro',
      'http://a.com/docs/more',
      'http://a.com/docs/sub/x',
      'http://a.com/docs/?q=../x',
    ]);
    // Without a / at its end the seed is a page, and its folder is the one that it is in.
    expect(await requestsOf({ 'http://a.com/x': links('/y') }, { seeds: ['http://a.com/x'], stay: 'path' })).toEqual([
      'http://a.com/x',
      'http://a.com/y',
    ]);
  });

  it('stays in the folders where a seed redirects to another host', async () => {
    const pages = {
      'http://a.com/docs/': { location: 'https://www.a.com/docs/' },
      'https://www.a.com/docs/': links('/docs/x', '/blog/'),
    };
    expect(await requestsOf(pages, { seeds: ['http://a.com/docs/'], stay: 'path' })).toEqual([
      'http://a.com/docs/',
      'https://www.a.com/docs/',
      'https://www.a.com/docs/x',
    ]);
  });

  it('includes and excludes by patterns, but for the seeds', async () => {
    const pages = {
      'http://a.com/': links('/docs/1', '/docs/print/2', '/blog/3', '/DOCS/4', '/api/5'),
      'http://a.com/docs/1': { location: '/blog/6' },
    };
    const options = { include: ['/docs/', '(?i)^http://A\\.com/api/'], exclude: ['/print/', 'nothing'] };
    const web = fakeWeb(pages);
    await using crawl = await testCrawl(web);
    const { counters } = await jobs.crawl(crawl, { seeds: ['http://a.com/'], ...options });
    expect(web.requests).toEqual(['http://a.com/', 'http://a.com/api/5', 'http://a.com/docs/1']);
    expect(counters).toMatchObject({ links_excluded: 3, redirect_excluded: 1 });
  });

  it('is no bar to sitemaps, which are a way to find pages, but to what they list', async () => {
    const urlset = ['/docs/1', '/docs/print/2', '/blog/3'].map((path) => `<url><loc>http://a.com${path}</loc></url>`);
    const text = 'text/plain';
    const pages = {
      'http://a.com/robots.txt': { html: 'Sitemap: http://a.com/print/no.xml\nSitemap: /index', contentType: text },
      'http://a.com/docs/': '',
      'http://a.com/index': {
        html: '<sitemapindex><sitemap><loc>http://a.com/sub.xml</loc></sitemap></sitemapindex>',
        contentType: text,
      },
      'http://a.com/sub.xml': { location: '/moved.xml' },
      'http://a.com/moved.xml': { html: `<urlset>${urlset.join('')}</urlset>`, contentType: text },
    };
    const seeds = ['http://a.com/docs/'];
    for (const options of [{ include: ['/docs/'] }, { stay: 'path' } as const]) {
      const web = fakeWeb(pages);
      await using crawl = await testCrawl(web);
      const { counters } = await jobs.crawl(crawl, { seeds, ...options, exclude: ['/print/'] });
      const asked = ['/docs/', '/index', '/sub.xml', '/moved.xml', '/docs/1'].map((path) => `http://a.com${path}`);
      expect(web.requests).toEqual(asked);
      expect(counters).toMatchObject({ sitemaps_added: 1, sitemaps_excluded: 1 });
      expect((await nextOf(crawl, 'http://a.com/other.xml')).text).toContain('As a sitemap that a robots.txt');
      expect((await nextOf(crawl, 'http://a.com/print/no.xml')).text).not.toContain('As a sitemap');
      crawl.setTime(START + 86_400_000 / 2);
      web.requests.length = 0;
      await jobs.crawl(crawl, { seeds, ...options, exclude: ['/print/'], refetch: true });
      expect(web.requests.sort()).toEqual(asked.sort());
    }
  });

  it('keeps what is known already out of the selection too', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/x', '/y') });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    crawl.setTime(START + 2 * MONTH);
    web.requests.length = 0;
    const exclude = ['/x$', '^http://a.com/$'];
    const first = await jobs.crawl(crawl, { seeds: ['http://a.com/'], exclude, rounds: 1 });
    expect(first.counters.generate_excluded).toBe(1);
    expect(web.requests).toEqual(['http://a.com/', 'http://a.com/y']);
    // It is met once.
    const second = await jobs.crawl(crawl, { seeds: ['http://a.com/'], exclude });
    expect(second.counters).not.toHaveProperty('generate_excluded');
    expect(web.requests).toHaveLength(2);
    await jobs.crawl(crawl, { seeds: [] });
    expect(web.requests).toEqual(['http://a.com/', 'http://a.com/y', 'http://a.com/x']);
  });

  it('refuses a pattern that is wrong before anything is written', async () => {
    await using crawl = await testCrawl(fakeWeb({}));
    const seeds = ['http://a.com/'];
    await expect(jobs.crawl(crawl, { seeds, exclude: ['(x'] })).rejects.toMatchObject({ code: 'USAGE' });
    expect(await crawl.page('http://a.com/', [])).toBeUndefined();
    expect(() => urlPatterns(['\\Qx\\E'])).toThrow('\\Q');
    // Where there is no pattern, none can take too long.
    expect(urlPatterns([])(`http://a.com/${'x'.repeat(10_000)}`)).toBeUndefined();
  });

  it('is in the table: explain answers by it, and the single jobs keep to it', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/docs/', '/x', 'http://b.com/docs/') });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'], depth: 1, exclude: ['/x'] });
    const taken = 'Not in the table. It would be taken as a seed';
    expect(await nextOf(crawl, 'http://b.com/docs/')).toEqual({
      kind: 'not_in_table',
      text: `${taken}, or when a page of the same host links to it.`,
    });
    expect((await nextOf(crawl, 'http://a.com/x')).text).toBe(
      `${taken} only; as a link it is left out: the crawl excludes /x.`,
    );
    const { scope } = await explain(crawl, 'http://a.com/');
    expect(scope).toEqual({ stay: 'host', depth: 1, include: [], exclude: ['/x'] });

    crawl.setTime(START + 2 * MONTH);
    web.set('http://a.com/docs/', { html: links('/docs/deep') });
    await round(crawl);
    expect(await crawl.page('http://b.com/docs/', [])).toBeUndefined();
    expect(await crawl.page('http://a.com/x', [])).toBeUndefined();
    expect((await nextOf(crawl, 'http://a.com/docs/deep')).text).toContain('it is 2 links from a seed');
    expect((await jobs.generate(crawl)).counters).toEqual({ distance: 1 });

    // The next crawl states its own.
    await jobs.crawl(crawl, { seeds: [], stay: 'path', include: ['y'] });
    expect((await explain(crawl, 'http://a.com/')).scope).toEqual({ stay: 'path', include: ['y'], exclude: [] });
    expect((await nextOf(crawl, 'http://b.com/')).text).toContain('left out: the crawl includes only y.');
  });

  it('is outweighed by a setting of the same matter that is given', async () => {
    const web = fakeWeb({ 'http://a.com/': links('http://b.com/') });
    await using crawl = await testCrawl(web, { settings: { 'db.ignoreExternalLinks': false } });
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(web.requests).toEqual(['http://a.com/']);
    crawl.setTime(START + 2 * MONTH);
    await round(crawl);
    expect(await crawl.page('http://b.com/', [])).toMatchObject({ status: 'unfetched' });
  });
});
