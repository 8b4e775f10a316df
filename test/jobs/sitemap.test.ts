import { describe, expect, it } from 'vitest';
import { jobs } from '../../packages/webcrawl/index.js';
import { fakeWeb, type FakePage } from '../support/fake-web.js';
import { rowOf, start } from '../support/job-steps.js';
import { testCrawl } from '../support/test-crawl.js';

const SITEMAP = 'http://a.com/sitemap.xml';
const entry = (path: string, often: string) =>
  `<url><loc>${new URL(path, SITEMAP).href}</loc><changefreq>${often}</changefreq></url>`;

/** Crawls one page up to updatedb. */
async function crawled(page: FakePage, settings: Readonly<Record<string, unknown>> = {}) {
  const crawl = await testCrawl(fakeWeb({ [SITEMAP]: page }), { settings });
  const batch = await start(crawl, SITEMAP);
  await jobs.fetch(crawl, { batch });
  const { counters } = await jobs.parse(crawl, { batch });
  await jobs.updatedb(crawl, { batch });
  return { crawl, counters };
}

const sitemap = (...entries: string[]): FakePage => ({
  contentType: 'application/xml',
  html: `<urlset>${entries.join('')}</urlset>`,
});

describe('a sitemap', () => {
  it('says how often new pages of its host are fetched, within bounds', async () => {
    const { crawl } = await crawled(
      sitemap(
        entry('/daily', 'daily'),
        entry('/always', 'always'),
        entry('/never', 'never'),
        entry('/x', 'now and then'),
        entry('http://b.com/', 'always'),
      ),
    );
    await using _ = crawl;
    const { fetchIntervalDefault, fetchIntervalMax } = crawl.settings.db;
    const interval = async (url: string) => (await rowOf(crawl, url, 'fetchInterval')).fetchInterval;
    expect(await interval('http://a.com/daily')).toBe(86_400);
    expect(await interval('http://a.com/always')).toBe(3_600);
    expect(await interval('http://a.com/never')).toBe(fetchIntervalMax);
    expect(await interval('http://a.com/x')).toBe(fetchIntervalDefault);
    expect(await interval('http://b.com/')).toBe(fetchIntervalDefault);
  });

  it('says nothing of pages that are known', async () => {
    const crawl = await testCrawl(fakeWeb({ [SITEMAP]: sitemap(entry('/known', 'daily')), 'http://a.com/known': 'x' }));
    await using _ = crawl;
    await jobs.inject(crawl, { seeds: ['http://a.com/known'] });
    const batch = await start(crawl, SITEMAP);
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
    const { fetchInterval } = await rowOf(crawl, 'http://a.com/known', 'fetchInterval');
    expect(fetchInterval).toBe(crawl.settings.db.fetchIntervalDefault);
  });

  it('has its own bound on links', async () => {
    const page = sitemap(...Array.from({ length: 5 }, (_, i) => entry(`/${i}`, '')));
    const one = await crawled(page, { 'db.maxOutlinksPerPage': 2, 'db.maxOutlinksPerSitemap': 4 });
    expect(one.counters).toEqual({ parsed: 1, links: 4, links_over_limit: 1 });
    await one.crawl.close();
  });

  it('is no page for an index', async () => {
    const { crawl } = await crawled(sitemap(entry('/a', 'daily')));
    await using _ = crawl;
    expect(await rowOf(crawl, SITEMAP, 'parseStatus')).toMatchObject({
      parseStatus: { code: 'success', noindex: true },
    });
  });
});

describe('a feed that says it is HTML', () => {
  it('is read as a feed', async () => {
    const html = '<?xml version="1.0"?><rss><channel><title>T</title><item><link>/a</link></item></channel></rss>';
    const { crawl } = await crawled({ html, contentType: 'text/html', headers: { 'content-type': 'text/html' } });
    await using _ = crawl;
    expect(await rowOf(crawl, SITEMAP, 'title', 'outlinks')).toMatchObject({
      title: 'T',
      outlinks: [{ url: 'http://a.com/a' }],
    });
  });
});

describe('XML of another kind', () => {
  it('is counted, not an error', async () => {
    const { crawl, counters } = await crawled({ html: '<svg/>', contentType: 'application/xml' });
    await using _ = crawl;
    expect(counters).toEqual({ failed_unsupported_type: 1 });
  });
});
