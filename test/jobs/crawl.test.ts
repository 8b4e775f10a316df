import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { jobs, type OpenContext, type Report } from '../../packages/webcrawl/internal.js';
import { readScope } from '../../packages/jobs/scope/stored-scope.js';
import { fakeWeb, links, randomWeb, type FakeWeb } from '../support/web/fake-web.js';
import { START, allRows, testCrawl } from '../support/test-crawl.js';
import { runs } from '../support/runs.js';

const statuses = async (crawl: OpenContext): Promise<Record<string, string | undefined>> => {
  const found: Record<string, string | undefined> = {};
  for await (const page of crawl.pages({ fields: ['status'] })) found[page.url] = page.status;
  return found;
};

/** Runs the jobs one by one, as the separate commands do. */
async function crawlByHand(crawl: OpenContext, seeds: readonly string[], parseInFetch: boolean): Promise<Report[]> {
  const reports = [await jobs.inject(crawl, { seeds })];
  for (;;) {
    const { batchId } = await jobs.generate(crawl);
    if (batchId === undefined) return reports;
    reports.push(await jobs.fetch(crawl, { batch: batchId, parse: parseInFetch }));
    if (!parseInFetch) reports.push(await jobs.parse(crawl, { batch: batchId }));
    reports.push(await jobs.updatedb(crawl, { batch: 'all' }));
  }
}

describe('crawl', () => {
  it('follows links on the hosts of the seeds until none is left', async () => {
    const web = fakeWeb({
      'http://a.com/': links('/x', 'http://b.com/', 'http://sub.a.com/'),
      'http://a.com/x': links('/', '/missing'),
      'http://b.com/': 'other',
    });
    await using crawl = await testCrawl(web);
    const report = await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(report).toMatchObject({
      job: 'crawl',
      counters: { rounds: 3, fetched: 3, success: 2, not_found: 1, added: 2 },
    });
    expect(await statuses(crawl)).toEqual({
      'http://a.com/': 'fetched',
      'http://a.com/x': 'fetched',
      'http://a.com/missing': 'gone',
    });
    expect(web.requests).toEqual(['http://a.com/', 'http://a.com/x', 'http://a.com/missing']);
  });

  it('ends if all seeds are rejected, and fetches nothing else that is due', async () => {
    const web = fakeWeb({ 'http://a.com/': '', 'http://b.com/': '' });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    for (const seeds of [['http://b.com/x.jpg'], ['http://b.com/ score=2', '# a comment', 'ftp://b.com/']]) {
      const { counters } = await jobs.crawl(crawl, { seeds, stay: 'any' });
      expect(counters).not.toHaveProperty('rounds');
      expect(await readScope(crawl.tables)).toBeUndefined();
    }
    expect(web.requests).toEqual([]);
    // The crawl runs if one seed is accepted, or if none is given.
    await jobs.crawl(crawl, { seeds: ['http://b.com/x.jpg', 'http://b.com/'] });
    expect(web.requests.sort()).toEqual(['http://a.com/', 'http://b.com/']);
    crawl.setTime(START + 40 * 86_400_000);
    await jobs.crawl(crawl, { seeds: ['# a comment', ''] });
    expect(web.requests).toHaveLength(4);
  });

  it('reports an example of each failure, of pages that need scripts, and of redirects to a log-in', async () => {
    const login = { html: '<form action=/in><input name=p class="x" type="password"></form>' };
    const web = fakeWeb({
      'http://a.com/': links('/lost', '/lost2', '/pic', '/app', '/plain', '/members/1', '/members/2', '/old'),
      'http://a.com/pic': { html: 'GIF89a', contentType: 'image/gif' },
      'http://a.com/app': { html: '<title>App</title><div id=root>Loading</div><script src=/app.js></script>' },
      'http://a.com/plain': { html: '<title>t</title><p>Short.</p>' },
      'http://a.com/members/1': { location: '/login?next=1' },
      'http://a.com/members/2': { location: '/login?next=2' },
      'http://a.com/old': { location: '/plain' },
      'http://a.com/login?next=1': login,
      'http://a.com/login?next=2': login,
    });
    await using crawl = await testCrawl(web);
    const report = await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(report.counters).toMatchObject({ not_found: 2, needs_scripts: 1, failed_unsupported_type: 1 });
    expect(report.examples).toEqual({
      not_found: expect.stringMatching(/^http:\/\/a.com\/lost2?$/) as string,
      needs_scripts: 'http://a.com/app',
      failed_unsupported_type: 'http://a.com/pic',
    });
    expect(report.loginForms).toEqual([
      { url: expect.stringMatching(/^http:\/\/a.com\/login\?next=[12]$/) as string, pages: 2 },
    ]);
  });

  it('keeps the session while a cookie is set, and counts the links that log out', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/x', '/logout'), 'http://a.com/x': links('/users/sign_out?a=1') });
    const settings = { http: { cookies: { 'http://a.com': 'session=1' } } };
    await using crawl = await testCrawl(web, { settings });
    const { counters } = await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(web.requests).toEqual(['http://a.com/', 'http://a.com/x']);
    expect(counters).toMatchObject({ 'links_rejected_urlfilter-logout': 2 });
  });

  it('follows a feed to new and changed items only', async () => {
    const feed = (...items: readonly (readonly [path: string, date: number])[]) => ({
      contentType: 'application/rss+xml',
      html: `<rss><channel><link>http://a.com/</link>${items
        .map(([path, date]) => `<item><link>${path}</link><pubDate>${new Date(date).toUTCString()}</pubDate></item>`)
        .join('')}</channel></rss>`,
    });
    const web = fakeWeb({
      'http://a.com/feed.xml': feed(['/1', 0], ['/2', 0]),
      'http://a.com/': links('/more'),
      'http://a.com/1': links('/more'),
      'http://a.com/2': '',
      'http://a.com/3': '',
      'http://a.com/more': '',
    });
    await using crawl = await testCrawl(web);
    const follow = async (hours: number): Promise<string[]> => {
      web.requests.length = 0;
      crawl.setTime(START + hours * 3_600_000);
      await jobs.crawl(crawl, { seeds: ['http://a.com/feed.xml\tfetchInterval=600'], depth: 1 });
      return web.requests.map((url) => url.slice('http://a.com'.length)).sort();
    };
    expect(await follow(0)).toEqual(['/', '/1', '/2', '/feed.xml']);
    expect(await follow(0.1)).toEqual([]);
    web.set('http://a.com/feed.xml', feed(['/3', 0], ['/1', START + 3_600_000], ['/2', 0]));
    expect(await follow(2)).toEqual(['/1', '/3', '/feed.xml']);
    expect(await follow(3)).toEqual(['/feed.xml']);
  });

  it('stays within the domain, or goes anywhere, if the option says so', async () => {
    const pages = {
      'http://www.a.com/': links('http://sub.a.com/', 'http://b.com/'),
      'http://sub.a.com/': links('http://c.com/'),
      'http://b.com/': '',
      'http://c.com/': '',
    };
    for (const [stay, count] of [
      ['host', 1],
      ['domain', 2],
      ['any', 4],
    ] as const) {
      const web = fakeWeb(pages);
      await using crawl = await testCrawl(web);
      await jobs.crawl(crawl, { seeds: ['http://www.a.com/'], stay });
      expect(web.requests).toHaveLength(count);
    }
  });

  it('follows redirects of seeds to other hosts, and redirects of other pages only within the host', async () => {
    const web = fakeWeb({
      'http://a.com/': { location: 'https://www.a.com/' },
      'https://www.a.com/': links('/x'),
      'https://www.a.com/x': { location: 'http://elsewhere.com/' },
      'http://elsewhere.com/': '',
    });
    await using crawl = await testCrawl(web);
    const report = await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(await statuses(crawl)).toEqual({
      'http://a.com/': 'redir_perm',
      'https://www.a.com/': 'fetched',
      'https://www.a.com/x': 'redir_perm',
    });
    expect(report.counters).toMatchObject({ redirects_followed: 1, redirect_external: 1 });
  });

  it('obeys the limits on rounds, depth, pages per round and pages in total', async () => {
    const chain: Record<string, string> = {};
    for (let i = 0; i < 10; i++) chain[`http://a.com/${i}`] = links(`/${i + 1}`, `/${i}/side`);
    const run = async (options: object): Promise<string[]> => {
      const web = fakeWeb(chain);
      await using crawl = await testCrawl(web);
      await jobs.crawl(crawl, { seeds: ['http://a.com/0'], ...options });
      return web.requests;
    };
    expect(await run({ rounds: 2 })).toEqual(['http://a.com/0', 'http://a.com/0/side', 'http://a.com/1']);
    expect(await run({ depth: 0 })).toEqual(['http://a.com/0']);
    expect(await run({ depth: 1 })).toHaveLength(3);
    expect(await run({ maxPages: 4 })).toHaveLength(4);
    expect(await run({ topN: 1, rounds: 3 })).toHaveLength(3);
  });

  it('ends at its time limit, given by option or setting, and leaves the rest due', async () => {
    for (const [settings, options] of [
      [{}, { maxSeconds: 0.2 }],
      [{ 'fetcher.timelimitMins': 0.2 / 60 }, {}],
    ] as const) {
      let n = 0;
      const web = fakeWeb({ 'http://a.com/': links('/0') });
      // Every page links to a new one, so without a limit the crawl would not end.
      web.onRequest = async () => {
        web.set(`http://a.com/${n}`, { html: links(`/${++n}`) });
        await setImmediate();
      };
      await using crawl = await testCrawl(web, { settings });
      const report = await jobs.crawl(crawl, { seeds: ['http://a.com/'], ...options });
      expect(report.counters.time_limit).toBe(1);
      expect(report).not.toHaveProperty('interrupted');
      expect(web.requests).toHaveLength(report.counters.fetched ?? 0);
      // No batch stays open, and the next crawl continues.
      expect(await crawl.tables.batches.list()).toEqual([]);
      const known = web.requests.length;
      await jobs.crawl(crawl, { seeds: ['http://a.com/'], maxPages: 2, maxSeconds: 600 });
      expect(web.requests.slice(known)).toHaveLength(2);
    }
  });

  it('rejects a time limit that is no positive number', async () => {
    await using crawl = await testCrawl(undefined);
    for (const maxSeconds of [0, -1, NaN, 3e6]) {
      await expect(jobs.crawl(crawl, { seeds: [], maxSeconds })).rejects.toMatchObject({ code: 'USAGE' });
    }
  });

  it('gives the same rows as the jobs one by one, whether fetch parses or parse does', async () => {
    for (let seed = 1; seed <= runs(1, 6); seed++) {
      const { pages, seeds } = randomWeb(seed, 120, 4);
      const runs: [FakeWeb, Awaited<ReturnType<typeof allRows>>][] = [];
      for (const run of [
        // Rounds do not overlap here: if they did, timing would decide which links are added first.
        (crawl: OpenContext) => jobs.crawl(crawl, { seeds, stay: 'any', rounds: 1000 }),
        (crawl: OpenContext) => crawlByHand(crawl, seeds, true),
        (crawl: OpenContext) => crawlByHand(crawl, seeds, false),
        (crawl: OpenContext) => jobs.crawl(crawl, { seeds, stay: 'any' }),
      ]) {
        const web = fakeWeb(pages);
        await using crawl = await testCrawl(web);
        await run(crawl);
        runs.push([web, await allRows(crawl)]);
        expect(new Set(web.requests).size, 'nothing is fetched twice').toBe(web.requests.length);
        expect((await jobs.repair(crawl)).counters).toEqual({ rows: runs[0]![1].length });
      }
      const withoutBatchIds = (rows: unknown): unknown =>
        JSON.parse(JSON.stringify(rows).replace(/"\d{10}-\d+"/g, '"batch"'));
      expect(withoutBatchIds(runs[1]![1])).toEqual(withoutBatchIds(runs[0]![1]));
      expect(withoutBatchIds(runs[2]![1])).toEqual(withoutBatchIds(runs[0]![1]));
      // Scores are passed on with the links, so they depend on the order of the rounds.
      const pagesOf = (rows: readonly Record<string, unknown>[]): unknown =>
        rows.map(({ url, status, protocolStatus, text, outlinks }) => ({
          url,
          status,
          protocolStatus,
          text,
          outlinks,
        }));
      expect(pagesOf(runs[3]![1])).toEqual(pagesOf(runs[0]![1]));
    }
  });

  it('fetches pages again when they are due, with conditional requests', async () => {
    const web = fakeWeb({
      'http://a.com/': { html: links('/x'), headers: { etag: '"1"' } },
      'http://a.com/x': 'x',
    });
    await using crawl = await testCrawl(web);
    await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    crawl.setTime(START + 31 * 86_400_000);
    web.set('http://a.com/x', { html: 'changed' });
    const report = await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    expect(report.counters).toMatchObject({ fetched: 2, notmodified: 1, success: 1, known: 1 });
    const [root, x] = await allRows(crawl);
    expect(root).toMatchObject({ status: 'notmodified', title: 't', retries: 0, marks: { inject: 'y' } });
    expect(x).toMatchObject({ status: 'fetched', text: 'changed', dueAt: START + 61 * 86_400_000 });
    expect(x!.signature).not.toBe(x!.prevSignature);
  });

  it('gives up a page that fails too often', async () => {
    const web = fakeWeb({ 'http://a.com/': { status: 500 } });
    await using crawl = await testCrawl(web);
    for (let day = 0; day < 5; day++) {
      crawl.setTime(START + day * 86_400_000);
      await jobs.crawl(crawl, { seeds: ['http://a.com/'] });
    }
    expect(web.requests).toHaveLength(3);
    expect(await allRows(crawl)).toMatchObject([{ status: 'gone', retries: 3, dueAt: START + (2 + 45) * 86_400_000 }]);
  });

  it('ends chains and loops of redirects', async () => {
    const web = fakeWeb({ 'http://a.com/loop': { location: '/pool' }, 'http://a.com/pool': { location: '/loop' } });
    for (let i = 0; i < 30; i++) web.set(`http://a.com/${i}`, { location: `/${i + 1}`, status: 302 });
    await using crawl = await testCrawl(web, { settings: { 'fetcher.maxRedirects': 3 } });
    await jobs.crawl(crawl, { seeds: ['http://a.com/0', 'http://a.com/loop'] });
    expect(web.requests.sort()).toEqual(['0', '1', '2', '3', 'loop', 'pool'].map((page) => `http://a.com/${page}`));
    expect(await statuses(crawl)).toEqual({
      'http://a.com/0': 'redir_temp',
      'http://a.com/1': 'redir_temp',
      'http://a.com/2': 'redir_temp',
      'http://a.com/3': 'gone',
      'http://a.com/loop': 'redir_perm',
      'http://a.com/pool': 'redir_perm',
    });
  });

  it('stops on an abort, and the next crawl continues there', async () => {
    const { pages, seeds } = randomWeb(5, 150, 3);
    const undisturbed = fakeWeb(pages);
    await using whole = await testCrawl(undisturbed);
    await jobs.crawl(whole, { seeds, stay: 'any' });

    const web = fakeWeb(pages);
    await using crawl = await testCrawl(web);
    let stops = 0;
    for (;;) {
      const controller = new AbortController();
      const before = web.requests.length;
      web.onRequest = () => void (web.requests.length > before + 20 && controller.abort());
      const report = await jobs.crawl(crawl, {
        seeds,
        stay: 'any',
        threads: 2,
        signal: controller.signal,
      });
      if (!report.interrupted) break;
      stops += 1;
      crawl.setTime(START + stops * 1000);
      expect(stops).toBeLessThan(100);
    }
    expect(stops).toBeGreaterThan(3);
    expect(await statuses(crawl)).toEqual(await statuses(whole));
    expect(new Set(web.requests).size).toBe(web.requests.length);
    expect([...web.requests].sort()).toEqual([...undisturbed.requests].sort());
  });
});
