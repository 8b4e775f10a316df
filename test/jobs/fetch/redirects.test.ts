import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, type Store } from '../../../packages/webcrawl/internal.js';
import { fakeWeb, links, type FakePage } from '../../support/web/fake-web.js';
import { round, rowOf, select, start } from '../../support/job-steps.js';
import { START, allRows, testCrawl } from '../../support/test-crawl.js';

describe('fetch and redirects', () => {
  it('add the target to the batch as a row of its own', async () => {
    const web = fakeWeb({ 'http://a.com/': { location: '/b', status: 302 }, 'http://a.com/b': 'b' });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/');
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 2,
      moved: 1,
      success: 1,
      redirects_followed: 1,
    });
    expect(await allRows(crawl)).toMatchObject([
      { status: 'redir_temp', redirectTarget: 'http://a.com/b' },
      {
        status: 'fetched',
        dueAt: START,
        fetchInterval: 2_592_000,
        retries: 0,
        score: 0,
        cash: 0,
        cashInFlight: 0,
        distance: 0,
        redirectDepth: 1,
        marks: { generate: batch, fetch: batch },
      },
    ]);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 2 });
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ already_fetched: 2 });
  });

  it('follow a redirect to a host whose queue was read to its end, and to a host that was not in the batch', async () => {
    const web = fakeWeb({
      'http://a.com/': 'a',
      'http://a.com/late': 'late',
      'http://b.com/': { location: 'http://a.com/late' },
      'http://b.com/2': { location: 'http://c.com/' },
      'http://c.com/': 'c',
    });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/', 'http://b.com/', 'http://b.com/2');
    // b.com answers only after a.com is done.
    web.onRequest = async (url) => {
      while (url === 'http://b.com/' && (await rowOf(crawl, 'http://a.com/', 'fetchedAt')).fetchedAt === undefined) {
        await new Promise(setImmediate);
      }
    };
    const report = await jobs.fetch(crawl, { batch });
    expect(report.counters).toEqual({ fetched: 5, success: 3, moved: 2, redirects_followed: 2 });
    expect([...web.requests].sort()).toEqual([...new Set(web.requests)].sort());
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ already_fetched: 5 });
    expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({ fetched: 3, redirected: 2 });
  });

  it('fetch a target once if it joins its host while the pages of that host are still being read', async () => {
    // There are far more pages than are read ahead; the target has the last key.
    const pages = Array.from({ length: 160 }, (_, i) => `http://big.com/${String(i).padStart(3, '0')}`);
    const target = 'http://big.com/target';
    const web = fakeWeb({
      ...Object.fromEntries([...pages, target].map((url) => [url, 'x'])),
      'http://b.com/': { location: target },
    });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://b.com/', ...pages);
    // big.com gives its first answer after the redirect has been followed.
    web.onRequest = async (url) => {
      const hasJoined = async (): Promise<boolean> =>
        (await rowOf(crawl, 'http://b.com/', 'redirectTarget')).redirectTarget !== undefined;
      while (url === pages[0] && !(await hasJoined())) await new Promise(setImmediate);
    };
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 162,
      success: 161,
      moved: 1,
      redirects_followed: 1,
    });
    expect([...web.requests].sort()).toEqual(['http://b.com/', ...pages, target].sort());
  });

  it('fetch a target once, however many pages redirect to it at the same time', async () => {
    const pages: Record<string, FakePage> = { 'http://a.com/target': { html: 'x' } };
    for (let i = 0; i < 10; i++) pages[`http://h${i}.com/`] = { location: 'http://a.com/target' };
    const web = fakeWeb(pages);
    await using crawl = await testCrawl(web);
    const hosts = Array.from({ length: 10 }, (_, i) => `http://h${i}.com/`);
    const batch = await start(crawl, ...hosts);
    // All ten requests wait for each other before they answer.
    let waiting = 0;
    let open = (): void => {};
    const all = new Promise<void>((resolve) => (open = resolve));
    web.onRequest = async (url) => {
      if (url === 'http://a.com/target') return;
      if (++waiting === 10) open();
      await all;
    };
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 11,
      moved: 10,
      success: 1,
      redirects_followed: 1,
      redirect_known: 9,
    });
    expect(web.requests.filter((url) => url === 'http://a.com/target')).toHaveLength(1);
    await jobs.updatedb(crawl, { batch });
    // All redirects pass on all their score.
    expect(await rowOf(crawl, 'http://a.com/target', 'score', 'cash', 'inlinkCount')).toEqual({
      score: 10,
      cash: 10,
      inlinkCount: 10,
    });
  });

  it('leave a target alone if another batch holds it or it is not due', async () => {
    const web = fakeWeb({
      'http://a.com/held': 'x',
      'http://a.com/fresh': 'x',
      'http://b.com/1': { location: 'http://a.com/held' },
      'http://b.com/2': { location: 'http://a.com/fresh' },
    });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/fresh'] });
    const first = await start(crawl, 'http://a.com/held');
    const second = await start(crawl, 'http://b.com/1', 'http://b.com/2');
    const before = await rowOf(crawl, 'http://a.com/held', 'status', 'marks');
    expect((await jobs.fetch(crawl, { batch: second })).counters).toEqual({ fetched: 2, moved: 2, redirect_known: 2 });
    expect(await rowOf(crawl, 'http://a.com/held', 'status', 'marks')).toEqual(before);
    expect(before.marks).toEqual({ inject: 'y', generate: first });
    expect(web.requests).toEqual(['http://a.com/fresh', 'http://b.com/1', 'http://b.com/2']);
  });

  it('fetch a known and due target, which then has the score and cash of the redirect', async () => {
    const web = fakeWeb({ 'http://a.com/': { location: '/b' }, 'http://a.com/b': links('/c') });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: ['http://a.com/\tscore=2', 'http://a.com/b\tscore=1'] });
    const batch = await select(crawl, 1);
    expect((await jobs.fetch(crawl, { batch, parse: true })).counters).toMatchObject({ redirects_followed: 1 });
    expect(await rowOf(crawl, 'http://a.com/b', 'cashInFlight', 'distance', 'metadata')).toEqual({
      cashInFlight: 1,
      distance: 0,
    });
    await jobs.updatedb(crawl, { batch });
    expect(await rowOf(crawl, 'http://a.com/c', 'score', 'distance')).toEqual({ score: 1, distance: 1 });
    expect(await rowOf(crawl, 'http://a.com/b', 'score', 'cash')).toEqual({ score: 3, cash: 2 });
  });

  it('follow no redirect that is not allowed, and let updatedb add the target', async () => {
    const web = fakeWeb({ 'http://a.com/': { location: '/b' }, 'http://a.com/b': 'b' });
    await using crawl = await testCrawl(web, { settings: { 'fetcher.maxRedirects': 0 } });
    const batch = await start(crawl, 'http://a.com/');
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 1, moved: 1 });
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ redirected: 1, links: 1, added: 1 });
    expect(await rowOf(crawl, 'http://a.com/b', 'redirectDepth', 'distance', 'score', 'cash')).toEqual({
      redirectDepth: 1,
      distance: 0,
      score: 1,
      cash: 1,
    });
    expect(await rowOf(crawl, 'http://a.com/', 'cash')).toEqual({ cash: 0 });
  });

  it('end a chain over several rounds if none are followed within the batch', async () => {
    const web = fakeWeb({});
    for (let i = 0; i < 40; i++) web.set(`http://a.com/${i}`, { location: `/${i + 1}` });
    await using crawl = await testCrawl(web, { settings: { 'fetcher.maxRedirects': 0 } });
    await jobs.crawl(crawl, { seeds: ['http://a.com/0'] });
    expect(web.requests).toHaveLength(21);
    expect(await rowOf(crawl, 'http://a.com/20', 'status', 'protocolStatus', 'redirectTarget')).toEqual({
      status: 'gone',
      protocolStatus: { code: 'redirect_exceeded', http: 301 },
    });
  });

  it('lead out of the host only from seeds, if links must not leave it', async () => {
    const web = fakeWeb({
      'http://a.com/': { location: 'http://www.a.com/' },
      'http://www.a.com/': links('/out', '/sub'),
      'http://www.a.com/out': { location: 'http://b.com/' },
      'http://www.a.com/sub': { location: 'http://sub.a.com/' },
      'http://sub.a.com/': 'x',
    });
    await using crawl = await testCrawl(web, {
      settings: { 'db.ignoreExternalLinks': true, 'db.ignoreExternalLinksMode': 'domain' },
    });
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    await round(crawl);
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ redirects_followed: 1, redirect_external: 1 });
    expect(await rowOf(crawl, 'http://www.a.com/out', 'status', 'redirectTarget')).toEqual({ status: 'redir_perm' });
    expect(web.requests).not.toContain('http://b.com/');
  });

  it('keep all pages of a host in one queue, even if its address changes', async () => {
    const web = fakeWeb({ 'http://a.com/1': { location: '/3' }, 'http://a.com/2': 'x', 'http://a.com/3': 'x' });
    // Each process resolves names for itself.
    const at = (address: string, store: Store) =>
      testCrawl(web, { store, settings: { 'partition.urlMode': 'ip' }, lookup: () => Promise.resolve([address]) });
    const store = new MemoryStore();
    const batch = await start(await at('10.0.0.1', store), 'http://a.com/1', 'http://a.com/2');
    await using crawl = await at('10.0.0.2', store);
    let inFlight = 0;
    let mostInFlight = 0;
    web.onRequest = async () => {
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      // Gives another queue time to begin.
      for (let i = 0; i < 50; i++) await new Promise(setImmediate);
      inFlight -= 1;
    };
    await jobs.fetch(crawl, { batch });
    expect(web.requests).toEqual(['http://a.com/1', 'http://a.com/2', 'http://a.com/3']);
    expect(mostInFlight).toBe(1);
  });
});
