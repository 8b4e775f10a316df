import { describe, expect, it } from 'vitest';
import {
  MAX_SORTED,
  jobs,
  type OpenContext,
  type PageQuery,
  type PageSelection,
  type SortOrder,
} from '../../packages/webcrawl/internal.js';
import { fakeWeb, links, randomNumbers } from '../support/web/fake-web.js';
import { START, testCrawl } from '../support/test-crawl.js';

const HOUR = 3_600_000;

async function urlsOf(crawl: OpenContext, query: PageQuery): Promise<string[]> {
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

  it('of fetched pages includes those that a later crawl found unchanged, in every selection by status', async () => {
    const etag = { etag: '"1"' };
    const web = fakeWeb({
      'http://a.com/': { html: links('/same', '/new'), headers: etag },
      'http://a.com/same': { html: 'same', headers: etag },
      'http://a.com/new': 'first',
    });
    const all = ['http://a.com/', 'http://a.com/new', 'http://a.com/same'];
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    crawl.setTime(START + HOUR);
    web.set('http://a.com/new', { html: 'second' });
    await jobs.crawl(crawl, { seeds: ['http://a.com/'], refetch: true });
    expect(await urlsOf(crawl, { status: 'fetched' })).toEqual(all);
    expect(await urlsOf(crawl, { status: ['gone', 'fetched'], sort: 'score', limit: 9 })).toHaveLength(3);
    expect(await urlsOf(crawl, { status: 'notmodified' })).toEqual(['http://a.com/', 'http://a.com/same']);
    expect((await jobs.remove(crawl, { status: 'fetched', dryRun: true })).counters).toEqual({ would_remove: 3 });
    crawl.setTime(START + 400 * 24 * HOUR);
    await using restricted = await testCrawl(web, {
      store: crawl.tables.store,
      settings: { 'generate.restrictStatus': ['fetched'] },
    });
    restricted.setTime(START + 400 * 24 * HOUR);
    expect((await jobs.generate(restricted)).counters).toEqual({ generated: 3 });
  });

  it('by rule does not include a compressed sitemap as a rejected page', async () => {
    const gz = { name: 'no-gz', filterUrl: (url: string) => !url.endsWith('.gz') };
    await using crawl = await testCrawl(undefined, { plugins: [gz] });
    await jobs.inject(crawl, { seeds: ['http://a.com/'], sitemaps: ['http://a.com/sitemap.xml.gz'] });
    expect(await urlsOf(crawl, { rejected: true })).toEqual([]);
    expect((await jobs.remove(crawl, { rejected: true })).counters).toEqual({});
  });

  it('has only the requested fields', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    for (const query of [{ dueBefore: START + 1 }, { dueBefore: START + 1, sort: 'score', limit: 5 }] as const) {
      for await (const page of crawl.pages({ ...query, fields: ['distance'] })) {
        expect(page).toEqual({ key: 'com.a:http/', url: 'http://a.com/', status: 'unfetched', distance: 0 });
      }
    }
  });

  it('is rejected if it makes no sense', async () => {
    await using crawl = await testCrawl(undefined);
    for (const query of [
      { fetchedSince: NaN },
      { dueBefore: '2d' as unknown as number },
      { limit: 0 },
      { limit: 1.5 },
      { sort: 'score' },
      { sort: 'score', limit: MAX_SORTED + 1 },
      { sort: 'text' as 'score', limit: 1 },
      { sort: 'score:up' as 'score', limit: 1 },
      { sort: 'fetchMs' },
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
      // The sort is stable, so equal ones stay in key order.
      const sorted = [...all].sort((a, b) => scoreOf.get(b)! - scoreOf.get(a)!);
      for (const limit of [1, 2, 30, 250, 1000]) {
        expect(await urlsOf(crawl, { ...selection, sort: 'score', limit })).toEqual(sorted.slice(0, limit));
      }
    }
  });
});

describe('a sort by any field', () => {
  it('has the greatest first, texts from A on, pages without it last, and the reverse order on request', async () => {
    await using crawl = await testCrawl(undefined);
    const rows = [
      { fetchMs: 20, title: 'b' },
      { fetchMs: 300, title: 'a' },
      { title: 'c' },
      { fetchMs: 300 },
      { fetchMs: 4, title: 'B' },
    ];
    await crawl.tables.pages.write(
      rows.map((row, i) => ({ key: `com.a:http/${i}`, set: { status: 'fetched', dueAt: 0, ...row } as const })),
    );
    const order = async (sort: SortOrder, limit = 9): Promise<string> =>
      (await urlsOf(crawl, { sort, limit })).map((url) => url.at(-1)).join('');
    expect(await order('fetchMs')).toBe('13042');
    expect(await order('fetchMs:desc')).toBe('13042');
    expect(await order('fetchMs:asc')).toBe('40132');
    expect(await order('title')).toBe('41023');
    expect(await order('title:desc')).toBe('20143');
    for (const limit of [1, 2, 3, 4]) expect(await order('fetchMs', limit)).toBe('13042'.slice(0, limit));
    expect(await order('inlinkCount:asc', 2)).toBe('01');
    expect(await urlsOf(crawl, { status: 'gone', sort: 'title', limit: 3 })).toEqual([]);
  });
});
