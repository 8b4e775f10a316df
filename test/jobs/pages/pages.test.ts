import { describe, expect, it } from 'vitest';
import { MAX_SORTED, jobs, type Crawl, type PageQuery, type PageSelection } from '../../../packages/webcrawl/index.js';
import { fakeWeb, links, randomNumbers } from '../../support/web/fake-web.js';
import { START, testCrawl } from '../../support/test-crawl.js';

const HOUR = 3_600_000;

async function urlsOf(crawl: Crawl, query: PageQuery): Promise<string[]> {
  const urls: string[] = [];
  for await (const { url } of crawl.pages({ ...query, fields: [] })) urls.push(url);
  return urls;
}

describe('a selection', () => {
  it('by protocol code, by time and by rule', async () => {
    await using crawl = await testCrawl(
      fakeWeb({ 'http://a.com/': links('/gone', '/b'), 'http://a.com/b': 'x', 'http://b.com/': 'x' }),
    );
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    crawl.setTime(START + HOUR);
    await jobs.crawl(crawl, { seeds: ['http://b.com/'] });
    await jobs.inject(crawl, { seeds: ['http://c.com/'] });
    const due = START + crawl.settings.db.fetchIntervalDefault * 1000;
    const cases: [PageSelection, string[]][] = [
      [{ code: 'not_found' }, ['http://a.com/gone']],
      [{ code: '404' }, ['http://a.com/gone']],
      [{ code: ['not_found', 'success'], host: 'a.com' }, ['http://a.com/', 'http://a.com/b', 'http://a.com/gone']],
      [{ code: 'timeout' }, []],
      [{ status: ['gone', 'unfetched'] }, ['http://a.com/gone', 'http://c.com/']],
      [{ fetchedSince: START + HOUR }, ['http://b.com/']],
      [{ fetchedBefore: START + HOUR, status: 'fetched' }, ['http://a.com/', 'http://a.com/b']],
      [{ fetchedSince: START, fetchedBefore: START }, []],
      [{ dueBefore: due, status: ['fetched', 'unfetched'] }, ['http://c.com/']],
      [{ dueBefore: due + 1, status: 'fetched' }, ['http://a.com/', 'http://a.com/b']],
    ];
    for (const [selection, expected] of cases) {
      expect(await urlsOf(crawl, selection), JSON.stringify(selection)).toEqual(expected);
    }

    await using strict = await testCrawl(undefined, {
      store: crawl.tables.store,
      plugins: [{ name: 'no-b', filterUrl: (url) => !url.endsWith('b') }],
    });
    expect(await urlsOf(strict, { rejected: true })).toEqual(['http://a.com/b']);
    expect(await urlsOf(strict, { rejected: false, limit: 2 })).toEqual(['http://a.com/', 'http://a.com/b']);
  });

  it('by rule takes no packed sitemap for a page that is rejected', async () => {
    const gz = { name: 'no-gz', filterUrl: (url: string) => !url.endsWith('.gz') };
    await using crawl = await testCrawl(undefined, { plugins: [gz] });
    await jobs.inject(crawl, { seeds: ['http://a.com/'], sitemaps: ['http://a.com/sitemap.xml.gz'] });
    expect(await urlsOf(crawl, { rejected: true })).toEqual([]);
    expect((await jobs.remove(crawl, { rejected: true })).counters).toEqual({});
  });

  it('leaves out fields that were not asked for', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    for (const query of [{ dueBefore: START + 1 }, { dueBefore: START + 1, sort: 'score', limit: 5 }] as const) {
      for await (const page of crawl.pages({ ...query, fields: ['distance'] })) {
        expect(page).toEqual({ key: 'com.a:http/', url: 'http://a.com/', status: 'unfetched', distance: 0 });
      }
    }
  });

  it('is refused where it cannot be meant so', async () => {
    await using crawl = await testCrawl(undefined);
    for (const query of [
      { fetchedSince: NaN },
      { dueBefore: '2d' as unknown as number },
      { limit: 0 },
      { limit: 1.5 },
      { sort: 'score' },
      { sort: 'score', limit: MAX_SORTED + 1 },
      { sort: 'title' as 'score', limit: 1 },
      { host: 'a.com', prefix: 'http://a.com/' },
    ] as const) {
      await expect(urlsOf(crawl, query), JSON.stringify(query)).rejects.toMatchObject({ code: 'USAGE' });
    }
  });
});

describe('the best by score', () => {
  it('are those that a sort of all would give, in that order', async () => {
    await using crawl = await testCrawl(undefined);
    const random = randomNumbers(7);
    const seeds = Array.from({ length: 500 }, (_, i) => {
      return { url: `http://h${i % 7}.com/${i}`, score: Math.floor(random() * 20) };
    });
    await jobs.inject(crawl, { seeds: seeds.map(({ url, score }) => `${url}\tscore=${score}`) });
    const scoreOf = new Map(seeds.map(({ url, score }) => [url, score]));
    for (const selection of [{}, { host: 'h3.com' }]) {
      const all = await urlsOf(crawl, selection);
      // A sort keeps the order of equal ones, which is that of the keys.
      const sorted = [...all].sort((a, b) => scoreOf.get(b)! - scoreOf.get(a)!);
      for (const limit of [1, 2, 30, 250, 1000]) {
        expect(await urlsOf(crawl, { ...selection, sort: 'score', limit })).toEqual(sorted.slice(0, limit));
      }
    }
  });
});
