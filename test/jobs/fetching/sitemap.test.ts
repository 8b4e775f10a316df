import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, rowKeyOf, type OpenContext, type Plugin } from '../../../packages/webcrawl/internal.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { fakeWeb, links, type FakePage } from '../../support/web/fake-web.js';
import { round, rowOf, select, start } from '../../support/job-steps.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';

const SITEMAP = 'http://a.com/sitemap.xml';
const entry = (path: string, often: string) =>
  `<url><loc>${new URL(path, SITEMAP).href}</loc><changefreq>${often}</changefreq></url>`;

/** Crawls one page, including updatedb. */
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
  it('states how often new pages of its host are fetched, within bounds', async () => {
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

  it('does not change how often known pages are fetched', async () => {
    const crawl = await testCrawl(fakeWeb({ [SITEMAP]: sitemap(entry('/known', 'daily')), 'http://a.com/known': 'x' }));
    await using _ = crawl;
    await jobs.inject(crawl, { seeds: ['http://a.com/known'] });
    const batch = await start(crawl, SITEMAP);
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
    const { fetchInterval } = await rowOf(crawl, 'http://a.com/known', 'fetchInterval');
    expect(fetchInterval).toBe(crawl.settings.db.fetchIntervalDefault);
  });

  it('has its own limit on links', async () => {
    const page = sitemap(...Array.from({ length: 5 }, (_, i) => entry(`/${i}`, '')));
    const one = await crawled(page, { 'db.maxOutlinksPerPage': 2, 'db.maxOutlinksPerSitemap': 4 });
    expect(one.counters).toEqual({ parsed: 1, links: 4, links_over_limit: 1 });
    await one.crawl.close();
  });

  it('is left out of a search index', async () => {
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

describe('is counted, but not as an error', () => {
  it('is counted, not an error', async () => {
    const { crawl, counters } = await crawled({ html: '<svg/>', contentType: 'application/xml' });
    await using _ = crawl;
    expect(counters).toEqual({ failed_unsupported_type: 1 });
  });
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the modification time in a sitemap', () => {
  const PAGE = 'http://a.com/page';
  const stating = (url: string, at: number): FakePage =>
    sitemap(`<url><loc>${url}</loc><lastmod>${new Date(at).toISOString()}</lastmod></url>`);

  /** Fetches a page at START, and reads a sitemap `passed` milliseconds later. */
  async function readAfter(passed: number, page: FakePage, settings = {}): Promise<TestCrawl> {
    const crawl = await testCrawl(fakeWeb({ [PAGE]: 'x', [SITEMAP]: page }), { settings });
    const batch = await start(crawl, PAGE);
    await jobs.fetch(crawl, { batch, parse: true });
    await jobs.updatedb(crawl, { batch });
    crawl.setTime(START + passed);
    const second = await start(crawl, SITEMAP);
    await jobs.fetch(crawl, { batch: second, parse: true });
    return crawl;
  }
  const dueAfter = async (crawl: OpenContext) => {
    const { counters } = await jobs.updatedb(crawl, { batch: 'all' });
    const { dueAt, fetchInterval } = await rowOf(crawl, PAGE, 'dueAt', 'fetchInterval');
    // The planned interval stays as it was.
    expect(fetchInterval).toBe(2_592_000);
    return { due: dueAt! - START, sooner: counters.sooner };
  };

  it('makes a page due that was fetched before it', async () => {
    await using crawl = await readAfter(2 * DAY, stating(PAGE, START + DAY));
    expect(await dueAfter(crawl)).toEqual({ due: 2 * DAY, sooner: 1 });
    // The frontier has the new time too.
    expect(await jobs.generate(crawl, {})).toMatchObject({ counters: { generated: 1 } });
    expect((await rowOf(crawl, PAGE, 'marks')).marks?.generate).toBeDefined();
  });

  it('never makes a page due within an hour of its fetch', async () => {
    await using crawl = await readAfter(60_000, stating(PAGE, START + 30_000));
    expect(await dueAfter(crawl)).toEqual({ due: HOUR, sooner: 1 });
  });

  it.each([
    ['before the fetch', START - DAY],
    ['at the very time of the fetch', START],
    ['in the future', START + 3 * DAY],
  ])('is ignored if it is %s', async (_, at) => {
    await using crawl = await readAfter(2 * DAY, stating(PAGE, at));
    expect(await dueAfter(crawl)).toEqual({ due: 30 * DAY, sooner: undefined });
  });

  it('changes nothing for a page that is due earlier', async () => {
    await using crawl = await readAfter(2 * DAY, stating(PAGE, START + DAY), { 'db.fetchIntervalDefault': 2_592_000 });
    await jobs.updatedb(crawl, { batch: 'all' });
    crawl.setTime(START + 40 * DAY);
    await round(crawl);
    const { dueAt } = await rowOf(crawl, PAGE, 'dueAt');
    expect(dueAt).toBe(START + 70 * DAY);
  });

  it('is ignored if it is from another host', async () => {
    const crawl = await testCrawl(fakeWeb({ [PAGE]: 'x', 'http://b.com/sitemap.xml': stating(PAGE, START + DAY) }));
    await using _ = crawl;
    await jobs.inject(crawl, { seeds: [PAGE] });
    await round(crawl);
    crawl.setTime(START + 2 * DAY);
    await jobs.inject(crawl, { seeds: ['http://b.com/sitemap.xml'] });
    const { updated } = await round(crawl);
    expect(updated.counters).toMatchObject({ linked: 1 });
    expect(updated.counters.sooner).toBeUndefined();
    expect((await rowOf(crawl, PAGE, 'dueAt')).dueAt).toBe(START + 30 * DAY);
  });

  it('leaves a page alone that another batch holds', async () => {
    await using crawl = await readAfter(2 * DAY, stating(PAGE, START + DAY), { 'generate.lockExpirySeconds': 1e7 });
    // The clock was ahead for a while: the page is in a batch before it is due.
    crawl.setTime(START + 31 * DAY);
    const held = await select(crawl);
    crawl.setTime(START + 2 * DAY);
    const before = await rowOf(crawl, PAGE, 'dueAt', 'marks');
    expect(before.marks?.generate).toBe(held);
    const { counters } = await jobs.updatedb(crawl, { batch: (await rowOf(crawl, SITEMAP, 'marks')).marks!.fetch! });
    expect(counters).toMatchObject({ linked: 1 });
    expect(await rowOf(crawl, PAGE, 'dueAt', 'marks')).toEqual(before);
    // After the batch releases it without a fetch, the page keeps its due time.
    await jobs.updatedb(crawl, { batch: held });
    expect((await rowOf(crawl, PAGE, 'dueAt')).dueAt).toBe(START + 30 * DAY);
  });

  it('leaves a page alone whose last fetch failed', async () => {
    const web = fakeWeb({ [PAGE]: { status: 503 }, [SITEMAP]: stating(PAGE, START + HOUR) });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: [PAGE] });
    await round(crawl);
    crawl.setTime(START + 2 * HOUR);
    await jobs.inject(crawl, { seeds: [SITEMAP] });
    await round(crawl);
    expect((await rowOf(crawl, PAGE, 'dueAt')).dueAt).toBe(START + DAY);
  });
});

describe('the priority in a sitemap', () => {
  const weighted = (url: string, priority: string) => `<url><loc>${url}</loc><priority>${priority}</priority></url>`;

  it('orders new pages of its host that have the same score', async () => {
    const { crawl } = await crawled(
      sitemap(...['0.1', '1.0', '0.5'].map((priority) => weighted(`http://a.com/${priority}`, priority))),
    );
    await using _ = crawl;
    const batch = await select(crawl, 1);
    expect((await rowOf(crawl, 'http://a.com/1.0', 'marks')).marks?.generate).toBe(batch);
    await jobs.updatedb(crawl, { batch });
  });

  it('raises no page above one of another host, and is not passed on', async () => {
    const { crawl } = await crawled(
      sitemap(
        weighted('http://a.com/top', '1.0'),
        weighted('http://b.com/', '1.0'),
        ...Array.from({ length: 100 }, (_, i) => weighted(`http://a.com/${i}`, '1.0')),
      ),
    );
    await using _ = crawl;
    const top = await rowOf(crawl, 'http://a.com/top', 'score', 'cash');
    const other = await rowOf(crawl, 'http://b.com/', 'score', 'cash');
    expect(top.cash).toBe(other.cash);
    expect(top.score! - other.score!).toBeGreaterThan(0);
    expect(top.score! - other.score!).toBeLessThan(1e-8);
  });

  it('does not change a known page', async () => {
    const crawl = await testCrawl(fakeWeb({ [SITEMAP]: sitemap(weighted('http://a.com/known', '1.0')) }), {
      settings: { 'db.scoreLinkInternal': 0 },
    });
    await using _ = crawl;
    await jobs.inject(crawl, { seeds: ['http://a.com/known', SITEMAP] });
    await round(crawl);
    expect((await rowOf(crawl, 'http://a.com/known', 'score')).score).toBe(1);
  });
});

describe('hints of a parser that have the wrong type', () => {
  it('are dropped if they are not numbers', async () => {
    const hints = { lastModified: NaN, changeInterval: '1 day', priority: Infinity } as unknown as { priority: number };
    const parser: Plugin = {
      name: 'odd',
      parser: {
        contentTypes: ['text/html'],
        parse: () => ({
          kind: 'success',
          title: '',
          text: '',
          outlinks: [{ url: 'http://a.com/x', anchor: '', ...hints }],
          robots: { noindex: false, nofollow: false, noarchive: false },
          metadata: {},
        }),
      },
    };
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'x' }), { plugins: [parser] });
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    await round(crawl);
    expect(await rowOf(crawl, 'http://a.com/', 'outlinks')).toEqual({
      outlinks: [{ url: 'http://a.com/x', anchor: '' }],
    });
    expect(await rowOf(crawl, 'http://a.com/x', 'score', 'fetchInterval')).toEqual({
      score: 1,
      fetchInterval: 2_592_000,
    });
  });
});

describe('sitemaps that a robots.txt names', () => {
  const HOME = 'http://a.com/';
  const ROBOTS = 'http://a.com/robots.txt';
  const naming = (...lines: string[]): Record<string, FakePage | string> => ({
    [HOME]: links('/a'),
    [ROBOTS]: { html: lines.map((line) => `Sitemap: ${line}\n`).join(''), contentType: 'text/plain' },
  });
  const added = (counters: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(counters).filter(([name]) => name.startsWith('sitemaps')));

  async function fetched(web: Record<string, FakePage | string>, settings = {}, plugins: Plugin[] = []) {
    const crawl = await testCrawl(fakeWeb(web), { settings, plugins });
    const batch = await start(crawl, HOME);
    const { counters } = await jobs.fetch(crawl, { batch, parse: true });
    return { crawl, batch, counters: added(counters) };
  }

  it('become rows, are fetched, and their links are followed', async () => {
    const web = fakeWeb({ ...naming(SITEMAP), [SITEMAP]: sitemap(entry('/only-here', '')) });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: [HOME] });
    expect(web.requests).toContain('http://a.com/only-here');
    expect(await rowOf(crawl, SITEMAP, 'status', 'distance', 'fetchInterval')).toEqual({
      status: 'fetched',
      distance: 1,
      fetchInterval: 86_400,
    });
    expect(await rowOf(crawl, 'http://a.com/only-here', 'distance')).toEqual({ distance: 2 });
  });

  it('are counted one by one if they are rejected', async () => {
    const { crawl, counters } = await fetched(
      naming(
        SITEMAP,
        SITEMAP,
        '/relative.xml',
        HOME,
        'ftp://a.com/x',
        'http://user:pass@a.com/x',
        'javascript:alert(1)',
        'http://[broken',
        `http://a.com/${'x'.repeat(5000)}`,
        'http://b.com/sitemap.xml',
        'http://a.com/no.xml',
      ),
      { 'db.ignoreExternalLinks': true },
      [{ name: 'no', filterUrl: (url) => !url.includes('no.xml') }],
    );
    await using _ = crawl;
    expect(counters).toEqual({
      sitemaps_added: 2,
      sitemaps_known: 1,
      sitemaps_invalid: 4,
      sitemaps_too_long: 1,
      sitemaps_external: 1,
      sitemaps_rejected_no: 1,
    });
    expect(await rowOf(crawl, 'http://a.com/relative.xml', 'status')).toEqual({ status: 'unfetched' });
    // The page that named itself a sitemap is in the batch, so its row stays as it was.
    expect(await rowOf(crawl, HOME, 'distance', 'fetchInterval')).toEqual({ distance: 0, fetchInterval: 2_592_000 });
  });

  it('may be on another host if links may', async () => {
    const { crawl, counters } = await fetched(naming('http://b.com/a.xml'));
    await using _ = crawl;
    expect(counters).toEqual({ sitemaps_added: 1 });
  });

  it('are limited to a hundred', async () => {
    const { crawl, counters } = await fetched(naming(...Array.from({ length: 20_000 }, (_, i) => `/s${i}`)));
    await using _ = crawl;
    expect(counters).toEqual({ sitemaps_added: 100, sitemaps_over_limit: 19_900 });
  });

  it.each([
    ['db.sitemapsFromRobots', {}],
    ['db.updateAdditionsAllowed', { sitemaps_not_added: 1 }],
  ])('are not added if %s says so', async (setting, expected) => {
    const { crawl, counters } = await fetched(naming(SITEMAP), { [setting]: false });
    await using _ = crawl;
    expect(counters).toEqual(expected);
    expect(await crawl.tables.pages.get(rowKeyOf(SITEMAP), ['status'])).toBeUndefined();
  });

  it('are reported once for all pages of a host, and again when robots.txt is a day old', async () => {
    const web = { ...naming(SITEMAP), 'http://a.com/a': links('/b'), 'http://a.com/b': 'x' };
    const { crawl, batch } = await fetched(web);
    await using _ = crawl;
    await jobs.updatedb(crawl, { batch });
    const second = await round(crawl);
    expect(added(second.fetched.counters)).toEqual({});
    crawl.setTime(START + 2 * DAY);
    const third = await round(crawl);
    expect(added(third.fetched.counters)).toEqual({ sitemaps_known: 1 });
  });

  it('end in the same rows wherever a run was killed', async () => {
    const web = naming(SITEMAP, '/second.xml');
    const outcome = async (store: MemoryStore) => {
      await using crawl = await testCrawl(fakeWeb(web), { store });
      await jobs.inject(crawl, { seeds: [HOME] });
      await jobs.fetch(crawl, { batch: 'all' });
      await jobs.updatedb(crawl, { batch: 'all' });
      if ((await jobs.generate(crawl, {})).batchId !== undefined) {
        await jobs.fetch(crawl, { batch: 'all', parse: true });
        await jobs.updatedb(crawl, { batch: 'all' });
      }
      const counters = (await jobs.repair(crawl)).counters;
      expect(Object.keys(counters).filter((name) => name.startsWith('missing'))).toEqual([]);
      const rows = [];
      for (const url of [SITEMAP, 'http://a.com/second.xml']) rows.push(await rowOf(crawl, url, 'distance', 'score'));
      return rows;
    };
    const expected = [
      { distance: 1, score: 0 },
      { distance: 1, score: 0 },
    ];
    expect(await outcome(new MemoryStore())).toEqual(expected);
    for (let failAt = 1; ; failAt++) {
      const store = new MemoryStore();
      const failing = new FailingStore(store, failAt);
      const first = (async () => {
        const crawl = await testCrawl(fakeWeb(web), { store: failing });
        const batch = await start(crawl, HOME);
        await jobs.fetch(crawl, { batch, parse: true });
      })();
      if ((await first.catch((error: unknown) => error)) === undefined) break;
      await expect(first, `write ${failAt}`).rejects.toThrow(PlannedFailure);
      expect(await outcome(store), `write ${failAt}`).toEqual(expected);
    }
  });

  it('are added while other pages of the host wait for the same robots.txt', async () => {
    const web = { ...naming(SITEMAP), 'http://a.com/a': 'x', 'http://a.com/b': 'y' };
    const crawl = await testCrawl(fakeWeb(web), {
      settings: { 'fetcher.threadsPerQueue': 3, 'fetcher.serverMinDelay': 0 },
    });
    await using _ = crawl;
    const batch = await start(crawl, HOME, 'http://a.com/a', 'http://a.com/b');
    const { counters } = await jobs.fetch(crawl, { batch });
    expect(added(counters)).toEqual({ sitemaps_added: 1 });
  });
});
