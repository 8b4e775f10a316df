import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { explain, jobs, type Plugin } from '../../../packages/webcrawl/internal.js';
import { fakeWeb, links, type FakePage, type FakeWeb } from '../../support/web/fake-web.js';
import { round, rowOf, start } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';

const HOME = 'http://a.com/';
const PAGE = 'http://a.com/only-in-the-sitemap';

const urlset = `<?xml version="1.0"?><urlset><url><loc>${PAGE}</loc></url></urlset>`;
const indexOf = (...urls: string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
const rss = `<?xml version="1.0"?><rss version="2.0"><channel><item><link>${PAGE}</link></item></channel></rss>`;
const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="${PAGE}"><link>${PAGE}</link></item></rdf:RDF>`;
const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${PAGE}"/></entry></feed>`;

const as = (contentType: string, content: string | Uint8Array): FakePage => ({
  contentType,
  body: Buffer.from(content),
  headers: { 'content-type': contentType },
});

/** A site with a home page, a sitemap that its robots.txt names, and the given further pages. */
const site = (sitemap: string, page: FakePage, more: Readonly<Record<string, FakePage | string>> = {}) =>
  fakeWeb({
    [HOME]: links('/a'),
    'http://a.com/robots.txt': { html: `Sitemap: ${sitemap}`, contentType: 'text/plain' },
    [new URL(sitemap, HOME).href]: page,
    [PAGE]: 'found',
    ...more,
  });

/** Types that servers give for sitemaps. */
const TYPES = [
  'text/html',
  'text/html; charset=utf-8',
  'text/plain',
  'text/plain; charset=utf-8',
  'binary/octet-stream',
  'application/octet-stream',
  'application/x-xml',
  'application/x-gunzip',
  'application/gzip',
  'application/sitemap+xml',
  'application/json',
  'image/png',
  '',
];

describe('from robots.txt to a page leads', () => {
  it.each<[string, string, FakePage, Record<string, FakePage>?]>([
    ['a sitemap', '/sitemap.xml', as('application/xml', urlset)],
    ['a packed sitemap', '/sitemap.xml.gz', as('application/gzip', gzipSync(urlset))],
    ['one with a query', '/sitemap.xml.gz?day=1', as('application/x-gzip', gzipSync(urlset))],
    ['one whose name is capitals', '/SITEMAP.XML.GZ', as('application/x-gzip', gzipSync(urlset))],
    ['one that the server unpacked', '/sitemap.xml.gz', as('application/gzip', urlset)],
    ['an index', '/index.xml', as('text/xml', indexOf('/1.xml')), { 'http://a.com/1.xml': as('text/xml', urlset) }],
    [
      'an index of packed ones',
      '/index.xml',
      as('application/xml', indexOf('/1.xml.gz')),
      { 'http://a.com/1.xml.gz': as('application/octet-stream', gzipSync(urlset)) },
    ],
    [
      'a packed index of a packed index',
      '/index.xml.gz',
      as('application/gzip', gzipSync(indexOf('/1.gz'))),
      {
        'http://a.com/1.gz': as('binary/octet-stream', gzipSync(indexOf('/2.txt.gz'))),
        'http://a.com/2.txt.gz': as('application/x-gunzip', gzipSync(PAGE)),
      },
    ],
    ['a text', '/list.txt', as('text/plain', `${PAGE}\n`)],
    ['a text with CR', '/list.txt', as('text/plain', `http://a.com/\r${PAGE}\r`)],
    ['a packed text', '/list.txt.gz', as('application/gzip', gzipSync(`${PAGE}\n`))],
    ['RSS', '/feed', as('application/rss+xml', rss)],
    ['RSS 1.0', '/feed', as('application/rdf+xml', rdf)],
    ['Atom', '/feed', as('application/atom+xml', atom)],
    ['packed RSS', '/feed.gz', as('application/gzip', gzipSync(rss))],
    ['UTF-16', '/sitemap.xml', as('text/xml', Buffer.from(`\ufeff${urlset}`, 'utf16le'))],
    [
      'a redirect',
      '/sitemap.xml',
      { location: '/real.xml.gz' },
      { 'http://a.com/real.xml.gz': as('text/html', gzipSync(urlset)) },
    ],
  ])('%s', async (_, name, page, more = {}) => {
    const web = site(name, page, more);
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: [HOME] });
    expect(web.requests).toContain(PAGE);
    expect(await rowOf(crawl, PAGE, 'status')).toEqual({ status: 'fetched' });
  });

  it.each<[string, (page: string, packed: string) => string | Uint8Array]>([
    ['a sitemap', (page) => urlset.replace(PAGE, page)],
    ['a packed one', (page) => gzipSync(urlset.replace(PAGE, page))],
    ['an index', (_, packed) => indexOf(packed)],
    ['a list', (page) => page],
    ['RSS', (page) => rss.replace(PAGE, page)],
    ['Atom', (page) => atom.replace(PAGE, page)],
  ])('%s, whatever its server calls it', async (_, contentOf) => {
    const pages = TYPES.map((type, i): [string, FakePage | string][] => {
      const [page, packed] = [`${HOME}page${i}`, `${HOME}${i}.xml.gz`];
      const sitemap = as(type, contentOf(page, packed));
      return [
        [`${HOME}sitemap${i}`, { ...sitemap, headers: { ...sitemap.headers, 'x-content-type-options': 'nosniff' } }],
        [packed, as(type, gzipSync(urlset.replace(PAGE, page)))],
        [page, 'found'],
      ];
    });
    const named = TYPES.map((_, i) => `Sitemap: /sitemap${i}\n`).join('');
    const robots = { html: named, contentType: 'text/plain' };
    const web = fakeWeb({ [HOME]: 'home', 'http://a.com/robots.txt': robots, ...Object.fromEntries(pages.flat()) });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: [HOME] });
    expect(TYPES.filter((_, i) => !web.requests.includes(`${HOME}page${i}`))).toEqual([]);
  });
});

describe('a file that was named as a sitemap', () => {
  it('is parsed by parse as it is by fetch', async () => {
    await using crawl = await testCrawl(site('/s.xml.gz', as('text/html', gzipSync(urlset))));
    await jobs.inject(crawl, { seeds: [HOME] });
    await round(crawl);
    const { batchId: batch = '' } = await jobs.generate(crawl, {});
    await jobs.fetch(crawl, { batch });
    expect((await jobs.parse(crawl, { batch })).counters).toMatchObject({ parsed: 1, links: 1 });
    expect((await rowOf(crawl, 'http://a.com/s.xml.gz', 'outlinks', 'sitemap')).outlinks).toEqual([
      { url: PAGE, anchor: '' },
    ]);
  });

  it('is fetched once a day, also if an index or a redirect names it', async () => {
    const index = as('text/xml', indexOf('/1.xml', '/2.xml'));
    const more = {
      'http://a.com/1.xml': as('text/xml', urlset),
      'http://a.com/2.xml': { location: '/3.xml' },
      'http://a.com/3.xml': as('text/xml', urlset),
    };
    for (const maxRedirects of [0, 5]) {
      const settings = { 'fetcher.maxRedirects': maxRedirects, 'db.fetchIntervalDefault': 2_592_000 };
      await using crawl = await testCrawl(site('/index.xml', index, more), { settings });
      await jobs.crawl(crawl, { seeds: [HOME] });
      for (const name of ['index', '1', '2', '3']) {
        expect(await rowOf(crawl, `http://a.com/${name}.xml`, 'fetchInterval'), name).toEqual({
          fetchInterval: 86_400,
        });
      }
      expect(await rowOf(crawl, PAGE, 'fetchInterval')).toEqual({ fetchInterval: 2_592_000 });
    }
  });

  it('is a page if it is HTML', async () => {
    const web = site('/map', as('text/html', links('/found')));
    await using crawl = await testCrawl(web);
    const { counters } = await jobs.crawl(crawl, { seeds: [HOME] });
    expect(web.requests).toContain('http://a.com/found');
    expect(counters).toMatchObject({ not_a_sitemap: 1 });
  });

  it('and was known as a page is noted, and is selected by what it is', async () => {
    const name = 'http://a.com/s.xml';
    const web = site(name, as('text/plain', urlset));
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, HOME, name);
    await jobs.fetch(crawl, { batch, parse: true });
    expect(await rowOf(crawl, name, 'sitemap', 'distance')).toEqual({ sitemap: true, distance: 0 });
  });

  it('is filtered by its name without the extension of the compression', async () => {
    const web = site('/s.xml.gz', as('application/gzip', gzipSync(indexOf('/other.xml.gz'))));
    const seen: string[] = [];
    const filter = { name: 'no-other', filterUrl: (url: string) => (seen.push(url), !url.includes('other')) };
    await using crawl = await testCrawl(web, { plugins: [filter] });
    const { counters } = await jobs.crawl(crawl, { seeds: [HOME] });
    expect(counters).toMatchObject({ 'links_rejected_no-other': 1, sitemaps_added: 1 });
    expect(seen).toContain('http://a.com/s.xml');
    expect(seen.filter((url) => url.endsWith('.gz'))).toEqual([]);
  });

  it('is explained in the same way as it is selected', async () => {
    const url = 'http://a.com/s.xml.gz';
    await using crawl = await testCrawl(site(url, as('application/gzip', gzipSync(urlset))));
    const before = await explain(crawl, url);
    expect(before).toMatchObject({ accepted: false, next: { kind: 'rejected' } });
    expect(before.next.text).toContain('As a sitemap, named by a robots.txt or a sitemap index, it would be accepted.');
    expect((await explain(crawl, 'http://a.com/x.zip')).next.text).not.toContain('sitemap');
    await jobs.inject(crawl, { seeds: [HOME] });
    await round(crawl);
    expect(await explain(crawl, url)).toMatchObject({ accepted: true, page: { sitemap: true }, next: { kind: 'due' } });
  });

  it('does not include other pages with the same extension', async () => {
    const web = fakeWeb({ [HOME]: links('/data.xml.gz') });
    await using crawl = await testCrawl(web);
    const { counters } = await jobs.crawl(crawl, { seeds: [HOME] });
    expect(counters['links_rejected_urlfilter-regex']).toBe(1);
  });
});

/** A web whose protocol obeys `http.contentLimit`, with a list of the requests above that limit. */
function limitedWeb(web: FakeWeb, contentLimit: number) {
  const protocol = web.protocol!;
  const seen = { large: 0, mostLarge: 0, asked: 0 };
  const plugin: Plugin = {
    name: 'limited-web',
    protocol: {
      schemes: protocol.schemes,
      async fetch(request) {
        const isLarge = (request.contentLimit ?? contentLimit) > 1_000_000;
        if (isLarge) seen.mostLarge = Math.max(seen.mostLarge, ++seen.large);
        if (request.url.endsWith('/s.xml')) seen.asked += 1;
        await new Promise((resolve) => setImmediate(resolve));
        const outcome = await protocol.fetch({ contentLimit, ...request });
        if (isLarge) seen.large -= 1;
        return outcome;
      },
    },
  };
  return { plugin, seen };
}

describe('a sitemap larger than http.contentLimit', () => {
  const large = `<urlset>${' '.repeat(5000)}<url><loc>${PAGE}</loc></url></urlset>`;
  const settings = { 'http.contentLimit': 1000 };

  it('is fetched in full, at once', async () => {
    const web = site('/s.xml', as('text/xml', large));
    const { plugin, seen } = limitedWeb(web, 1000);
    await using crawl = await testCrawl(undefined, { settings, plugins: [plugin] });
    await jobs.crawl(crawl, { seeds: [HOME] });
    expect(web.requests).toContain(PAGE);
    const { protocolStatus, content } = await rowOf(crawl, 'http://a.com/s.xml', 'protocolStatus', 'content');
    expect(protocolStatus?.truncated).toBeUndefined();
    expect(content?.length).toBe(large.length);
    expect(seen.asked).toBe(1);
  });

  it('is fetched in full however many there are, a few at a time', async () => {
    const hosts = Array.from({ length: 12 }, (_, i) => `http://h${i}.com`);
    const pages = hosts.map((host): [string, FakePage | string][] => [
      [`${host}/`, 'home'],
      [`${host}/robots.txt`, { html: 'Sitemap: /s.xml', contentType: 'text/plain' }],
      [`${host}/s.xml`, as('text/html', large.replace(PAGE, `${host}/page`))],
      [`${host}/page`, 'found'],
    ]);
    const web = fakeWeb(Object.fromEntries(pages.flat()));
    const { plugin, seen } = limitedWeb(web, 1000);
    await using crawl = await testCrawl(undefined, { settings, plugins: [plugin] });
    await jobs.crawl(crawl, { seeds: hosts.map((host) => `${host}/`) });
    expect(web.requests.filter((url) => url.endsWith('/page'))).toHaveLength(hosts.length);
    expect(seen.mostLarge).toBeGreaterThan(0);
    expect(seen.mostLarge).toBeLessThanOrEqual(4);
  });

  it('is not any page of that size, only one that was named as a sitemap', async () => {
    const web = fakeWeb({ [HOME]: links('/s.xml'), 'http://a.com/s.xml': as('text/xml', large) });
    const { plugin } = limitedWeb(web, 1000);
    await using crawl = await testCrawl(undefined, { settings, plugins: [plugin] });
    await jobs.crawl(crawl, { seeds: [HOME] });
    const { protocolStatus } = await rowOf(crawl, 'http://a.com/s.xml', 'protocolStatus');
    expect(protocolStatus?.truncated).toBe(true);
  });
});
