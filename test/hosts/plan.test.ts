import { describe, expect, it } from 'vitest';
import {
  MemoryStore,
  jobs,
  plan,
  rowKeyOf,
  type CrawlPlan,
  type OpenContext,
  type Plugin,
  type PlanOptions,
} from '../../packages/webcrawl/internal.js';
import { hostKeyOf, type RowChange } from '../../webtable/index.js';
import { changeRows } from '../support/stores/put-rows.js';
import { fakeWeb, links, randomWeb, type FakeWeb } from '../support/web/fake-web.js';
import { round, select, selectedUrls, start } from '../support/job-steps.js';
import { START, testCrawl } from '../support/test-crawl.js';

const ALL = { top: 10_000 };
const DAY = 86_400_000;

/** A store that counts its writes. */
class CountingStore extends MemoryStore {
  writes = 0;
  override write(...given: Parameters<MemoryStore['write']>): Promise<void> {
    this.writes += 1;
    return super.write(...given);
  }
}

/** The plan, which must write nothing. */
async function planOf(crawl: OpenContext, options: PlanOptions = {}): Promise<CrawlPlan> {
  const { store } = crawl.tables as unknown as { store: CountingStore };
  const before = store.writes;
  const found = await plan(crawl, { ...ALL, ...options });
  expect(store.writes).toBe(before);
  return found;
}

/** Page requests and robots.txt requests by host. */
function countRequests(web: FakeWeb): { pages: Record<string, number>; robots: Record<string, number>; clear(): void } {
  const counts = {
    pages: {} as Record<string, number>,
    robots: {} as Record<string, number>,
    clear(): void {
      counts.pages = {};
      counts.robots = {};
    },
  };
  const { fetch } = web.protocol!;
  web.protocol!.fetch = (request) => {
    const { host, pathname } = new URL(request.url);
    const of = pathname === '/robots.txt' ? counts.robots : counts.pages;
    of[host] = (of[host] ?? 0) + 1;
    return fetch(request);
  };
  return counts;
}

const byQueue = (found: CrawlPlan, of: 'pages' | 'robots'): Record<string, number> =>
  Object.fromEntries(found.queues.filter((each) => each[of] > 0).map((each) => [each.queue, each[of]]));

describe('the plan of the next rounds', () => {
  it.each([1, 2, 3])('has the requests of the next round, in random webs: %i', async (seed) => {
    const { pages, seeds } = randomWeb(seed, 120, 6);
    for (const host of [0, 1]) {
      const robots = 'User-agent: *\nDisallow: /p1';
      pages[`http://h${host}.example.com/robots.txt`] = { html: robots, contentType: 'text/plain' };
    }
    const web = fakeWeb(pages);
    const requests = countRequests(web);
    const filter: Plugin = {
      name: 'no-sevens',
      version: '1',
      filterUrl: (url, scope) => scope !== 'generate' || !url.endsWith('7') || 'it ends with 7',
    };
    await using crawl = await testCrawl(web, {
      store: new CountingStore(),
      plugins: [filter],
      settings: { 'generate.maxCount': 4, 'fetcher.maxRedirects': 0, 'db.fetchIntervalDefault': 3600 },
    });
    await jobs.inject(crawl, { seeds });
    let asked = 0;
    for (let at = 0; at < 14; at++) {
      // By then pages of earlier rounds are due again, and some of them are in no queue yet.
      if (at >= 10) crawl.setTime(START + (at - 8) * DAY);
      const found = await planOf(crawl, { topN: 11 });
      requests.clear();
      const { batchId } = await jobs.generate(crawl, { topN: 11 });
      if (batchId === undefined) {
        expect(found.rounds).toEqual([]);
        continue;
      }
      expect(await selectedUrls(crawl, batchId)).toHaveLength(found.rounds[0]!.pages);
      await jobs.fetch(crawl, { batch: batchId, parse: true });
      await jobs.updatedb(crawl, { batch: batchId });
      const robots = byQueue(found, 'robots');
      expect(robots).toEqual(requests.robots);
      for (const [host, pages] of Object.entries(byQueue(found, 'pages'))) {
        // A robots.txt that is requested in this round may deny some of them.
        const mayDeny = robots[host] !== undefined && ['h0.example.com', 'h1.example.com'].includes(host);
        if (mayDeny) expect(requests.pages[host] ?? 0).toBeLessThanOrEqual(pages);
        else expect(requests.pages[host]).toBe(pages);
        delete requests.pages[host];
      }
      expect(requests.pages).toEqual({});
      asked += found.rounds[0]!.requests;
    }
    expect(asked).toBeGreaterThan(60);
  });

  it('selects the same as generate, round by round', async () => {
    const urls = Array.from({ length: 60 }, (_, i) => `http://h${i % 7}.example.com/${i}`);
    await using crawl = await testCrawl(undefined, {
      store: new CountingStore(),
      settings: { 'generate.maxCount': 2 },
    });
    await jobs.inject(crawl, { seeds: urls.map((url, i) => `${url}\tnutch.score=${(i * 17) % 10}`) });
    const found = await planOf(crawl, { rounds: 4, topN: 9 });
    const rounds: number[] = [];
    const hosts: Record<string, number> = {};
    for (let at = 0; at < 4; at++) {
      const selected = await selectedUrls(crawl, await select(crawl, 9));
      rounds.push(selected.length);
      for (const url of selected) hosts[new URL(url).host] = (hosts[new URL(url).host] ?? 0) + 1;
    }
    expect(found.rounds.map(({ round, pages }) => [round, pages])).toEqual(rounds.map((pages, i) => [i + 1, pages]));
    expect(byQueue(found, 'pages')).toEqual(hosts);
    expect(found.left).toBe(60 - rounds.reduce((sum, n) => sum + n));
    expect(found.queueCount).toBe(Object.keys(hosts).length);
    // Pages that are in batches now come before all others.
    const later = await planOf(crawl, { topN: 9 });
    expect(later.rounds[0]).toMatchObject({ round: 0, pages: rounds.reduce((sum, n) => sum + n) });
  });

  it('states how long it takes: the slowest queue decides', async () => {
    const robots = { html: 'User-agent: *\nCrawl-delay: 0.2', contentType: 'text/plain' };
    const web = fakeWeb({
      'http://slow.example/robots.txt': robots,
      'http://slow.example/': links(...Array.from({ length: 100 }, (_, i) => `/${i}`)),
      'http://quick.example/': links(...Array.from({ length: 50 }, (_, i) => `/${i}`)),
    });
    await using crawl = await testCrawl(web, {
      store: new CountingStore(),
      settings: { 'fetcher.delayFactor': 0, 'fetcher.serverDelay': 0.1 },
    });
    await round(crawl, 'http://slow.example/', 'http://quick.example/');
    const key = (url: string): string => rowKeyOf(url);
    const slow = Array.from({ length: 100 }, (_, i) => ({
      key: key(`http://slow.example/${i}`),
      set: { fetchMs: 1000 },
    }));
    await changeRows(crawl, slow);
    const found = await planOf(crawl);
    const [first, second] = found.queues;
    expect(first).toMatchObject({
      queue: 'slow.example',
      pages: 100,
      robots: 0,
      meanMs: 1000,
      delay: { seconds: 0.2, by: 'Crawl-delay' },
    });
    expect(first!.seconds).toBeCloseTo(100 * 1 + 99 * 0.2);
    // Without a known response time, the mean of the others counts.
    expect(second).toMatchObject({ pages: 50, meanMs: 1000, delay: { seconds: 0.1, by: 'fetcher.serverDelay' } });
    expect(found.rounds).toMatchObject([{ round: 1, slowest: 'slow.example', queues: 2, requests: 150 }]);
    expect(found.seconds).toBeCloseTo(first!.seconds);
    // With one request at a time, not one queue but all of them decide.
    await using narrow = await testCrawl(undefined, {
      store: crawl.tables.store,
      settings: { 'fetcher.threadsFetch': 1, 'fetcher.serverDelay': 0, 'fetcher.delayFactor': 0 },
    });
    const alone = await planOf(narrow);
    expect(alone.rounds[0]).not.toHaveProperty('slowest');
    expect(alone.seconds).toBeCloseTo(150);
  });

  it('counts excluded pages and pages that are not requested, by reason', async () => {
    const web = fakeWeb({
      'http://a.example/robots.txt': { html: 'User-agent: *\nDisallow: /x', contentType: 'text/plain' },
      'http://a.example/': links('/x1', '/x2', '/y', 'http://down.example/1', 'http://down.example/2', '/deep'),
      'http://a.example/deep': links('/deeper'),
    });
    await using crawl = await testCrawl(web, { store: new CountingStore(), settings: { 'generate.maxDistance': 1 } });
    await round(crawl, 'http://a.example/');
    const { backoff } = crawl.tables.hosts;
    const record = { failures: 1, since: START, until: START + 10 * DAY, code: 'throttled', http: 429 };
    await backoff.put(new Map([[hostKeyOf('down.example'), record]]));
    const found = await planOf(crawl);
    expect(found.excluded).toEqual({ host_backoff: 2 });
    expect(found.rounds).toMatchObject([{ pages: 4, requests: 2, notRequested: { robots_denied: 2 } }]);
    await round(crawl);
    // First no generate has refused it, then one has.
    expect((await planOf(crawl)).excluded).toMatchObject({ distance: 1 });
    await jobs.generate(crawl);
    expect((await planOf(crawl)).excluded).toMatchObject({ distance: 1 });
    // After a change of the limit, pages that were refused by the old one are selected again.
    await using wider = await testCrawl(web, {
      store: crawl.tables.store,
      settings: { 'generate.maxDistance': 5 },
    });
    const next = await planOf(wider);
    expect(next.excluded).toEqual({ host_backoff: 2 });
    expect(next.rounds).toMatchObject([{ pages: 1 }]);
  });

  it('waits for a host with a short back-off, and not for one that cannot be reached', async () => {
    await using crawl = await testCrawl(fakeWeb({}), { store: new CountingStore() });
    await jobs.inject(crawl, { seeds: ['http://soon.example/', 'http://dead.example/', 'http://dead.example/2'] });
    const { backoff } = crawl.tables.hosts;
    const record = { since: START, code: 'connect_failed' };
    await backoff.put(new Map([[hostKeyOf('soon.example'), { ...record, failures: 1, until: START + 20_000 }]]));
    await backoff.put(new Map([[hostKeyOf('dead.example'), { ...record, failures: 9, until: START + DAY }]]));
    const found = await planOf(crawl);
    expect(found.rounds).toMatchObject([
      { pages: 3, requests: 2, robots: 1, notRequested: { connect_failed: 2 }, seconds: 20 },
    ]);
    expect(found.queues).toMatchObject([{ queue: 'soon.example', seconds: 20 }]);
  });

  it('includes the rows of a batch that was abandoned, and of one that updatedb has begun', async () => {
    await using crawl = await testCrawl(fakeWeb({}), { store: new CountingStore() });
    const batch = await start(crawl, 'http://a.example/', 'http://b.example/');
    expect((await planOf(crawl)).rounds).toMatchObject([{ round: 0, pages: 2 }]);
    await crawl.tables.batches.change(batch, (header) => header && { ...header, state: 'updating' });
    expect((await planOf(crawl)).rounds).toMatchObject([{ round: 1, pages: 2 }]);
    await crawl.tables.batches.change(batch, (header) => header && { ...header, state: 'generating' });
    expect((await planOf(crawl)).rounds).toMatchObject([{ round: 1, pages: 2 }]);
    expect(await selectedUrls(crawl, await select(crawl))).toEqual(['http://a.example/', 'http://b.example/']);
  });

  it('counts a row with two entries once', async () => {
    await using crawl = await testCrawl(undefined, { store: new CountingStore() });
    await jobs.inject(crawl, { seeds: ['http://a.example/'] });
    await changeRows(crawl, [{ key: rowKeyOf('http://a.example/'), set: { dueAt: START + 1000 } }]);
    const { store } = crawl.tables as unknown as { store: CountingStore };
    const timed: RowChange[] = [];
    for await (const { key, cells } of store.scan('frontier', { columns: ['f'], ranges: [{ start: '' }] })) {
      if (key.endsWith('|example.a:http/')) timed.push({ key, put: cells as NonNullable<RowChange['put']> });
    }
    expect(timed).toHaveLength(1);
    crawl.setTime(START + 2000);
    await crawl.tables.frontier.promote(START + 2000, START + 2000);
    // As after a kill before the old entry was removed.
    await store.write('frontier', timed);
    expect((await planOf(crawl)).rounds).toMatchObject([{ pages: 1 }]);
  });

  it('states when the next page is due if none is now', async () => {
    await using crawl = await testCrawl(undefined, { store: new CountingStore() });
    await jobs.inject(crawl, { seeds: ['http://a.example/'] });
    await changeRows(crawl, [{ key: rowKeyOf('http://a.example/'), set: { dueAt: START + 5000 } }]);
    expect(await planOf(crawl)).toEqual({
      now: START,
      rounds: [],
      seconds: 0,
      queues: [],
      queueCount: 0,
      excluded: {},
      left: 0,
      nextDueAt: START + 5000,
    });
  });

  it('rejects invalid options', async () => {
    await using crawl = await testCrawl(undefined, { store: new CountingStore() });
    for (const options of [{ rounds: 0 }, { rounds: 1001 }, { topN: 0.5 }, { top: 10_001 }]) {
      await expect(plan(crawl, options)).rejects.toMatchObject({ code: 'USAGE' });
    }
  });
});
