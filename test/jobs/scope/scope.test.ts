import { describe, expect, it, test } from 'vitest';
import {
  explain,
  jobs,
  urlPatterns,
  type OpenContext,
  type CrawlOptions,
} from '../../../packages/webcrawl/internal.js';
import { scopeRules } from '../../../packages/jobs/scope/crawl-scope.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { round, select } from '../../support/job-steps.js';
import { START, testCrawl } from '../../support/test-crawl.js';

const MONTH = 31 * 86_400_000;

async function requestsOf(pages: Parameters<typeof fakeWeb>[0], options: CrawlOptions): Promise<string[]> {
  const web = fakeWeb(pages);
  await using crawl = await testCrawl(web);
  await jobs.crawl(crawl, options);
  return web.requests;
}

const nextOf = async (crawl: OpenContext, url: string) => (await explain(crawl, url)).next;

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
    // A seed without a final / is a page, and its folder is the one that contains it.
    expect(await requestsOf({ 'http://a.com/x': links('/y') }, { seeds: ['http://a.com/x'], stay: 'path' })).toEqual([
      'http://a.com/x',
      'http://a.com/y',
    ]);
  });

  it('stays in the folders of the target if a seed redirects to another host', async () => {
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

  describe('of the folder of a seed that redirects to another folder', () => {
    const refresh = '<meta http-equiv=refresh content="0;url=/en/docs/">';
    const landing = {
      'http://a.com/en/docs/': links('x', '/en/', '/blog/'),
      'http://a.com/en/docs/x': links('sub/y'),
      'http://a.com/en/docs/sub/y': '',
    };

    it.each([
      ['a redirect', { 'http://a.com/docs/': { location: '/en/docs/' } }],
      ['a refresh', { 'http://a.com/docs/': refresh }],
      [
        'two redirects',
        { 'http://a.com/docs/': { location: '/new/' }, 'http://a.com/new/': { location: '/en/docs/' } },
      ],
    ])('includes that folder after %s, and a later crawl keeps it', async (_, seeds) => {
      const web = fakeWeb({ ...seeds, ...landing });
      await using crawl = await testCrawl(web);
      await jobs.crawl(crawl, { seeds: ['http://a.com/docs/'], stay: 'path' });
      const landed = Object.keys(landing);
      expect(web.requests).toEqual([...Object.keys(seeds), ...landed]);

      for (const given of [[], ['http://a.com/docs/']]) {
        web.set('http://a.com/en/docs/x', { html: links(`new${given.length}`) });
        crawl.setTime(START + (given.length + 1) * 2 * MONTH);
        web.requests.length = 0;
        await jobs.crawl(crawl, { seeds: given, stay: 'path' });
        expect(web.requests).toContain(`http://a.com/en/docs/new${given.length}`);
        expect(web.requests).not.toContain('http://a.com/blog/');
      }
    });

    it('includes that folder on another host', async () => {
      const pages = {
        'http://a.com/docs/': { location: 'https://www.a.com/en/docs/' },
        'https://www.a.com/en/docs/': links('x', '/blog/'),
      };
      expect(await requestsOf(pages, { seeds: ['http://a.com/docs/'], stay: 'path' })).toEqual([
        'http://a.com/docs/',
        'https://www.a.com/en/docs/',
        'https://www.a.com/en/docs/x',
      ]);
    });

    it.each(['/', '/en/'])('does not include %s, a folder around that of the seed', async (location) => {
      const pages = {
        'http://a.com/en/docs/': { location },
        [`http://a.com${location}`]: links('/en/docs/x', '/en/blog', '/blog'),
        'http://a.com/en/docs/x': '',
      };
      expect(await requestsOf(pages, { seeds: ['http://a.com/en/docs/'], stay: 'path' })).toEqual(Object.keys(pages));
    });

    it('does not include the target of a seed of an earlier crawl', async () => {
      const web = fakeWeb({ 'http://a.com/old/': { location: '/new/' }, 'http://a.com/new/': links('y') });
      await using crawl = await testCrawl(web);
      await jobs.inject(crawl, { seeds: ['http://a.com/old/'] });
      await jobs.crawl(crawl, { seeds: ['http://a.com/docs/'], stay: 'path' });
      expect(web.requests).toContain('http://a.com/new/');
      expect(web.requests).not.toContain('http://a.com/new/y');
    });
  });

  it.each(['host', 'domain', 'path'] as const)('with stay %s allows links from one seed to another', async (stay) => {
    const pages = {
      'http://a.com/x/': links('http://b.org/x/deep', 'http://c.net/x/', 'http://b.org/y'),
      'http://b.org/x/': '',
      'http://b.org/x/deep': links('http://a.com/x/2'),
      'http://a.com/x/2': '',
    };
    const asked = await requestsOf(pages, { seeds: ['http://a.com/x/', 'http://b.org/x/'], stay });
    expect(asked).toContain('http://b.org/x/deep');
    expect(asked).toContain('http://a.com/x/2');
    expect(asked).not.toContain('http://c.net/x/');
    expect(asked.includes('http://b.org/y')).toBe(stay !== 'path');
  });

  it('includes the hosts that seeds redirect to, and links back to the hosts of the seeds', async () => {
    const pages = {
      'http://a.com/': { location: 'https://www.a.com/' },
      'https://www.a.com/': links('http://a.com/old', 'http://other.com/'),
      'http://a.com/old': '',
      'http://b.org/': links('https://www.a.com/only-from-b'),
      'https://www.a.com/only-from-b': '',
    };
    const web = fakeWeb(pages);
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(web.requests).toEqual(['http://a.com/', 'https://www.a.com/', 'http://a.com/old']);
    // By now the table knows the target of the first seed.
    await jobs.crawl(crawl, { seeds: ['http://a.com/', 'http://b.org/'] });
    expect(web.requests.slice(3)).toEqual(['http://b.org/', 'https://www.a.com/only-from-b']);
    expect((await nextOf(crawl, 'http://b.org/new')).text).toBe(
      'Not in the table. It would be accepted as a seed, or when a page links to it.',
    );
    expect((await nextOf(crawl, 'http://other.com/')).text).toContain('when a page of the same host links to it');
  });

  it('includes a host that a seed redirects to during a single fetch only until that fetch ends', async () => {
    for (const parse of [true, false]) {
      const pages = {
        'http://a.com/': { location: 'https://www.a.com/' },
        'https://www.a.com/': '',
        'http://b.org/': links('/1'),
        'http://b.org/1': links('https://www.a.com/only-from-b'),
      };
      await using crawl = await testCrawl(fakeWeb(pages));
      await jobs.crawl(crawl, { seeds: ['http://b.org/'], rounds: 1 });
      // The seed is requested before the page that links to its target.
      await jobs.inject(crawl, { seeds: ['http://a.com/\tscore=99'] });
      const batch = await select(crawl);
      await jobs.fetch(crawl, { batch, parse, threads: 1 });
      if (!parse) await jobs.parse(crawl, { batch });
      await jobs.updatedb(crawl, { batch });
      const row = await crawl.page('https://www.a.com/only-from-b', ['status']);
      expect(row?.status).toBe(parse ? 'unfetched' : undefined);
    }
  });

  it('is that of the last crawl for a crawl without seeds, and for single jobs', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/1'), 'http://a.com/1': links('http://b.org/1') });
    await using crawl = await testCrawl(web);
    const seeds = ['http://a.com/', 'http://b.org/'];
    await jobs.crawl(crawl, { seeds, rounds: 1 });
    await round(crawl);
    await jobs.crawl(crawl, { seeds: [] });
    expect(web.requests.at(-1)).toBe('http://b.org/1');
  });

  it('follows a refresh to another host for seeds only', async () => {
    const refresh = (url: string): string => `<meta http-equiv="refresh" content="0;URL=${url}">`;
    const pages = {
      'http://a.com/': refresh('https://www.a.com/start/'),
      'https://www.a.com/start/': links('/in', 'http://a.com/old'),
      'https://www.a.com/in': refresh('http://other.com/'),
      'http://a.com/old': '',
    };
    expect(await requestsOf(pages, { seeds: ['http://a.com/'] })).toEqual([
      'http://a.com/',
      'https://www.a.com/start/',
      'http://a.com/old',
      'https://www.a.com/in',
    ]);
  });

  it('with stay domain separates owners: a site of a hoster does not lead to its other sites', async () => {
    const pages = {
      'https://alice.github.io/': links('https://bob.github.io/', 'https://github.io/', 'https://www.alice.github.io/'),
      'https://www.alice.github.io/': '',
    };
    expect(await requestsOf(pages, { seeds: ['https://alice.github.io/'], stay: 'domain' })).toEqual([
      'https://alice.github.io/',
      'https://www.alice.github.io/',
    ]);
  });

  it('includes and excludes by patterns, except for seeds', async () => {
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

  it('does not limit sitemaps, which are a way to find pages, but limits the pages that they list', async () => {
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
      expect((await nextOf(crawl, 'http://a.com/other.xml')).text).toContain('As a sitemap, named by a robots.txt');
      expect((await nextOf(crawl, 'http://a.com/print/no.xml')).text).not.toContain('As a sitemap');
      crawl.setTime(START + 86_400_000 / 2);
      web.requests.length = 0;
      await jobs.crawl(crawl, { seeds, ...options, exclude: ['/print/'], refetch: true });
      expect(web.requests.sort()).toEqual(asked.sort());
    }
  });

  it('also keeps known pages out of the selection', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/x', '/y') });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    crawl.setTime(START + 2 * MONTH);
    web.requests.length = 0;
    const exclude = ['/x$', '^http://a.com/$'];
    const first = await jobs.crawl(crawl, { seeds: ['http://a.com/'], exclude, rounds: 1 });
    expect(first.counters.generate_excluded).toBe(1);
    expect(web.requests).toEqual(['http://a.com/', 'http://a.com/y']);
    // The page is refused once.
    const second = await jobs.crawl(crawl, { seeds: ['http://a.com/'], exclude });
    expect(second.counters).not.toHaveProperty('generate_excluded');
    expect(web.requests).toHaveLength(2);
    await jobs.crawl(crawl, { seeds: [] });
    expect(web.requests).toEqual(['http://a.com/', 'http://a.com/y', 'http://a.com/x']);
  });

  it('rejects an invalid pattern before anything is written', async () => {
    await using crawl = await testCrawl(fakeWeb({}));
    const seeds = ['http://a.com/'];
    await expect(jobs.crawl(crawl, { seeds, exclude: ['(x'] })).rejects.toMatchObject({ code: 'USAGE' });
    expect(await crawl.page('http://a.com/', [])).toBeUndefined();
    expect(() => urlPatterns(['\\Qx\\E'])).toThrow('\\Q');
    // Without a pattern, no URL is too long.
    expect(urlPatterns([])(`http://a.com/${'x'.repeat(10_000)}`)).toBeUndefined();
  });

  it('is stored in the table: explain uses it, and single jobs obey it', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/docs/', '/x', 'http://b.com/docs/') });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'], depth: 1, exclude: ['/x'] });
    const taken = 'Not in the table. It would be accepted as a seed';
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

    // The next crawl states its own scope.
    await jobs.crawl(crawl, { seeds: [], stay: 'path', include: ['y'] });
    expect((await explain(crawl, 'http://a.com/')).scope).toEqual({ stay: 'path', include: ['y'], exclude: [] });
    expect((await nextOf(crawl, 'http://b.com/')).text).toContain('left out: the crawl includes only y.');
  });

  it.each([
    ['no scope', {}],
    ['a folder that is none', { scope: { stay: 'path', include: [], exclude: [], folders: { 'a.com': null } } }],
    ['a site that is no text', { scope: { stay: 'host', include: [], exclude: [], folders: {}, sites: [5] } }],
    ['a pattern that is no text', { scope: { stay: 'host', include: [{}], exclude: [], folders: {} } }],
  ])('that cannot be read is damage, which a crawl with seeds repairs: %s', async (_, stored) => {
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': '' }));
    await crawl.tables.runs.putLastCrawl(stored);
    const damage = {
      code: 'TABLE_DAMAGED',
      hint: 'run `webcrawl crawl` with the seeds of that crawl to store the scope again',
    };
    await expect(jobs.generate(crawl)).rejects.toMatchObject(damage);
    await expect(jobs.crawl(crawl, { seeds: [], stay: 'path' })).rejects.toMatchObject(damage);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'], stay: 'path' });
    await jobs.generate(crawl);
  });

  it('yields to a setting on the same subject that is given', async () => {
    const web = fakeWeb({ 'http://a.com/': links('http://b.com/') });
    await using crawl = await testCrawl(web, { settings: { 'db.ignoreExternalLinks': false } });
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(web.requests).toEqual(['http://a.com/']);
    crawl.setTime(START + 2 * MONTH);
    await round(crawl);
    expect(await crawl.page('http://b.com/', [])).toMatchObject({ status: 'unfetched' });
  });
});

test('includes all added sites at once, and is sent to the threads once a second', () => {
  const sites = Array.from({ length: 200 }, (_, i) => `n${i}.com`);
  const scope = { stay: 'host', include: [], exclude: [], sites, folders: {} } as const;
  const rules = scopeRules(scope, () => () => undefined);
  rules.addTarget('http://0.com/', 'http://a.com/');
  const { shared, scope: before } = rules;
  expect(before.sites).toHaveLength(201);
  rules.addTarget('http://0.com/', 'http://b.com/');
  expect(rules.scope.sites?.slice(200)).toEqual(['a.com', 'b.com']);
  expect(rules.shared).toBe(shared);
});
