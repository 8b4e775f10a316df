import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { jobs, openCheckContext, readSitemap } from '../../../packages/webcrawl/internal.js';
import { fakeWeb } from '../../support/web/fake-web.js';
import { rowOf } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';

const SITEMAP = 'http://a.com/sitemap.xml.gz';
const web = () =>
  fakeWeb({
    [SITEMAP]: { body: gzipSync('<urlset><url><loc>http://a.com/1</loc></url></urlset>'), contentType: 'text/html' },
    'http://a.com/1': 'found',
  });

describe('a sitemap as a seed', () => {
  it('adds the pages that it names', async () => {
    const asked = web();
    await using crawl = await testCrawl(asked);
    const { counters } = await jobs.inject(crawl, { seeds: [], sitemaps: [SITEMAP] });
    expect(counters).toEqual({ injected: 1 });
    expect(await rowOf(crawl, SITEMAP, 'sitemap', 'fetchInterval', 'distance', 'marks')).toEqual({
      sitemap: true,
      fetchInterval: 86_400,
      distance: 0,
      marks: { inject: 'y' },
    });
    await jobs.crawl(crawl, { seeds: [] });
    expect(asked.requests).toEqual([SITEMAP, 'http://a.com/1']);
  });

  it('may be known as a page', async () => {
    await using crawl = await testCrawl(web());
    await jobs.inject(crawl, { seeds: ['http://a.com/feed'] });
    expect((await rowOf(crawl, 'http://a.com/feed', 'sitemap')).sitemap).toBeUndefined();
    for (let i = 0; i < 2; i++) {
      expect((await jobs.inject(crawl, { seeds: [], sitemaps: ['http://a.com/feed'] })).counters).toEqual({ known: 1 });
      expect((await rowOf(crawl, 'http://a.com/feed', 'sitemap')).sitemap).toBe(true);
    }
    // Injecting it as a page undoes nothing.
    await jobs.inject(crawl, { seeds: ['http://a.com/feed'] });
    expect((await rowOf(crawl, 'http://a.com/feed', 'sitemap')).sitemap).toBe(true);
  });

  it('is rejected like other seeds, with line number 0', async () => {
    await using crawl = await testCrawl(web());
    const told: unknown[] = [];
    const onRejected = (...all: unknown[]) => void told.push(all.slice(0, 2));
    await jobs.inject(crawl, { seeds: ['x', SITEMAP], sitemaps: ['ftp://a.com/', 'http://a.com/x.zip'], onRejected });
    expect(told).toEqual([
      [0, 'ftp://a.com/'],
      [0, 'http://a.com/x.zip'],
      [1, 'x'],
      [2, SITEMAP],
    ]);
  });
});

describe('a sitemap that is read', () => {
  it.each([
    ['<urlset><url><loc>http://a.com/1</loc></url><url><loc>/relative</loc></url></urlset>', ['http://a.com/1'], []],
    [gzipSync('http://a.com/1\nhttp://b.com/2'), ['http://a.com/1', 'http://b.com/2'], []],
    ['<sitemapindex><sitemap><loc>http://a.com/1.gz</loc></sitemap></sitemapindex>', [], ['http://a.com/1.gz']],
    ['<rss><channel><item><link>http://a.com/1</link></item></channel></rss>', ['http://a.com/1'], []],
  ])('gives seeds: %.30s', async (content, seeds, sitemaps) => {
    await using context = await openCheckContext({ settings: { 'db.ignoreExternalLinks': true } });
    expect(await readSitemap(context, Buffer.from(content))).toEqual({ seeds, sitemaps, truncated: false });
  });

  it.each(['', 'some text', '<html><a href=http://a.com/>', '<svg/>', gzipSync('x')])(
    'is not recognised as a sitemap: %.10s',
    async (content) => {
      await using context = await openCheckContext();
      await expect(readSitemap(context, Buffer.from(content))).rejects.toMatchObject({ code: 'BAD_INPUT' });
    },
  );
});
