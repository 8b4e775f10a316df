import { describe, expect, it, vi } from 'vitest';
import {
  MemoryStore,
  jobs,
  rowKeyOf,
  type FetchOutcome,
  type FetchRequest,
  type Plugin,
  type Store,
} from '../../packages/webcrawl/index.js';
import { fakeWeb, links, type FakePage } from '../support/web/fake-web.js';
import { damage } from '../support/stores/damage.js';
import { round, rowOf, select, start } from '../support/job-steps.js';
import { ABSENT, content } from '../support/web/outcomes.js';
import { START, allRows, testCrawl } from '../support/test-crawl.js';

const DAY = 86_400_000;
const MONTH = 31 * DAY;

/** A protocol plugin that remembers what it was asked and answers by `answer`. */
function protocol(answer: (request: FetchRequest) => FetchOutcome | Promise<FetchOutcome>) {
  const requests: FetchRequest[] = [];
  const plugin: Plugin = {
    name: 'stub',
    protocol: {
      schemes: ['http'],
      async fetch(request) {
        if (request.url.endsWith('/robots.txt')) return ABSENT;
        requests.push(request);
        return answer(request);
      },
    },
  };
  return { plugin, requests };
}

describe('fetch', () => {
  it('counts the answers that only the lenient reader took', async () => {
    const { plugin } = protocol(({ url }) => content('x', url.endsWith('/odd') ? { lenient: true } : {}));
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://a.com/odd', 'http://b.com/odd'] });
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ fetched: 3, lenient: 2 });
  });

  it('leaves pages due that the proxy stood in the way of, and a crawl does not try them for ever', async () => {
    let isDead = true;
    const { plugin, requests } = protocol(({ url }) =>
      isDead && !url.endsWith('/ok') ? { kind: 'retry', code: 'proxy', message: 'refused' } : content('x'),
    );
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    await start(crawl, 'http://a.com/', 'http://a.com/ok', 'http://b.com/');
    const report = await jobs.crawl(crawl, { seeds: [] });
    expect(report.counters).toMatchObject({ fetched: 1, success: 1 });
    expect(report.counters.proxy).toBeGreaterThanOrEqual(2);
    for (const url of ['http://a.com/', 'http://b.com/']) {
      expect(await crawl.page(url, ['retries', 'dueAt', 'marks'])).toMatchObject({
        status: 'unfetched',
        retries: 0,
        dueAt: START,
        marks: { inject: 'y' },
      });
    }
    const asked = requests.length;
    expect(asked).toBeLessThan(10);
    isDead = false;
    expect((await jobs.crawl(crawl, { seeds: [] })).counters).toMatchObject({ fetched: 2, success: 2 });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
  });

  it('stores what came with the mark, and leaves the rest of the row alone', async () => {
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      etag: '"1"',
      'last-modified': 'Wed, 01 Jan 2020 00:00:00 GMT',
    };
    await using crawl = await testCrawl(fakeWeb({ 'http://a.com/': { html: 'hello', headers } }));
    const batch = await start(crawl, 'http://a.com/\tk=v');
    const [before] = await allRows(crawl);
    crawl.setTime(START + 5000);
    const report = await jobs.fetch(crawl, { batch });
    expect(report).toEqual({ job: 'fetch', batchId: batch, seconds: 0, counters: { fetched: 1, success: 1 } });
    expect(await allRows(crawl)).toEqual([
      {
        ...before,
        status: 'fetched',
        fetchedAt: START + 5000,
        contentType: 'text/html',
        bodyBytes: 5,
        headers,
        content: 'hello',
        protocolStatus: { code: 'success', http: 200, lastModified: Date.UTC(2020, 0, 1), etag: '"1"' },
        marks: { inject: 'y', generate: batch, fetch: batch },
      },
    ]);
  });

  it('stores how long the last request took, and how long the last body was whether it is kept or not', async () => {
    const answers: FetchOutcome[] = [
      content('hello', { millis: 20 }),
      { kind: 'retry', code: 'http_error', http: 500, millis: 7 },
      { kind: 'retry', code: 'dns' },
    ];
    const { plugin } = protocol(() => answers.shift()!);
    await using crawl = await testCrawl(undefined, { plugins: [plugin], settings: { 'fetcher.storeContent': false } });
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    for (const [day, expected] of [
      [0, { bodyBytes: 5, fetchMs: 20 }],
      [40, { bodyBytes: 5, fetchMs: 7 }],
      [80, { bodyBytes: 5 }],
    ] as const) {
      crawl.setTime(START + day * DAY);
      await round(crawl);
      expect(await rowOf(crawl, 'http://a.com/', 'bodyBytes', 'fetchMs')).toEqual(expected);
    }
  });

  it('counts every page once by outcome', async () => {
    const web = fakeWeb({
      'http://a.com/ok': 'x',
      'http://a.com/ok2': 'x',
      'http://a.com/fails': { status: 500 },
      'http://a.com/moved': { location: '/ok' },
      'http://a.com/nowhere': { status: 302 },
      'http://a.com/itself': { location: '#part' },
      'http://a.com/image': { location: '/picture.png' },
      'http://a.com/bad': { location: 'ftp://a.com/' },
    });
    await using crawl = await testCrawl(web);
    const names = ['ok', 'ok2', 'fails', 'moved', 'nowhere', 'itself', 'image', 'bad', 'missing'];
    const batch = await start(crawl, ...names.map((name) => `http://a.com/${name}`));
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 9,
      success: 2,
      exception: 1,
      not_found: 1,
      moved: 5,
      redirect_known: 1,
      redirect_invalid: 1,
      redirect_to_itself: 1,
      'redirect_rejected_urlfilter-regex': 1,
      redirect_rejected_url: 1,
    });
    const rows = await allRows(crawl);
    const found = Object.fromEntries(rows.map((row) => [String(row.url).slice('http://a.com/'.length), row]));
    expect(Object.fromEntries(names.map((name) => [name, [found[name]!.status, found[name]!.redirectTarget]]))).toEqual(
      {
        ok: ['fetched', undefined],
        ok2: ['fetched', undefined],
        fails: ['retry', undefined],
        moved: ['redir_perm', 'http://a.com/ok'],
        nowhere: ['redir_temp', undefined],
        itself: ['redir_perm', undefined],
        image: ['redir_perm', undefined],
        bad: ['redir_perm', undefined],
        missing: ['gone', undefined],
      },
    );
    for (const row of rows) expect(row.marks).toEqual({ inject: 'y', generate: batch, fetch: batch });
  });

  it('fetches all of a batch again, or with resume only what is left', async () => {
    const web = fakeWeb({ 'http://a.com/1': 'x', 'http://a.com/2': 'x', 'http://b.com/': 'x' });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2', 'http://b.com/');
    const controller = new AbortController();
    web.onRequest = () => controller.abort();
    const cut = await jobs.fetch(crawl, { batch, threads: 1, signal: controller.signal });
    expect(cut).toMatchObject({ interrupted: true, counters: { fetched: 1, success: 1 } });
    web.onRequest = () => {};
    expect((await jobs.fetch(crawl, { batch, resume: true })).counters).toEqual({
      fetched: 2,
      success: 2,
      already_fetched: 1,
    });
    expect([...web.requests].sort()).toEqual(['http://a.com/1', 'http://a.com/2', 'http://b.com/']);
    expect((await jobs.fetch(crawl, { batch, resume: true })).counters).toEqual({ already_fetched: 3 });
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 3, success: 3 });
    expect(web.requests).toHaveLength(6);
  });

  it('starts nothing under a signal that is aborted', async () => {
    const web = fakeWeb({ 'http://a.com/': 'x' });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/');
    const before = await allRows(crawl);
    const report = await jobs.fetch(crawl, { batch, signal: AbortSignal.abort() });
    expect(report).toMatchObject({ interrupted: true, counters: {} });
    expect(await allRows(crawl)).toEqual(before);
    expect(web.requests).toEqual([]);
  });

  it('fetches every open batch, oldest first, and adds up what it counts', async () => {
    const web = fakeWeb({ 'http://a.com/': 'x', 'http://b.com/': { status: 500 } });
    await using crawl = await testCrawl(web);
    await start(crawl, 'http://a.com/');
    crawl.setTime(START + 1000);
    await start(crawl, 'http://b.com/');
    const report = await jobs.fetch(crawl, { batch: 'all', parse: true });
    expect(report.counters).toEqual({ batches: 2, fetched: 2, success: 1, exception: 1, parsed: 1 });
    expect(web.requests).toEqual(['http://a.com/', 'http://b.com/']);
    await jobs.updatedb(crawl, { batch: 'all' });
    expect((await jobs.fetch(crawl, { batch: 'all' })).counters).toEqual({});
  });

  it('parses in the same change when told to', async () => {
    const web = fakeWeb({
      'http://a.com/': links('/x'),
      'http://a.com/gif': { html: 'GIF89a', contentType: 'image/gif' },
    });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/', 'http://a.com/gif');
    expect((await jobs.fetch(crawl, { batch, parse: true })).counters).toEqual({
      fetched: 2,
      success: 2,
      parsed: 1,
      links: 1,
      failed_unsupported_type: 1,
    });
    expect(await rowOf(crawl, 'http://a.com/', 'title', 'outlinks', 'marks')).toEqual({
      title: 't',
      outlinks: [{ url: 'http://a.com/x', anchor: 'to /x' }],
      marks: { inject: 'y', generate: batch, fetch: batch, parse: batch },
    });
    expect(await rowOf(crawl, 'http://a.com/gif', 'parseStatus', 'marks', 'newSignature')).toEqual({
      parseStatus: { code: 'unsupported_type', message: 'image/gif' },
      marks: { inject: 'y', generate: batch, fetch: batch },
    });
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ already_parsed: 1, failed_unsupported_type: 1 });
  });

  it('keeps no bodies when told so, also none of an earlier fetch', async () => {
    const web = fakeWeb({ 'http://a.com/': 'first' });
    const store = new MemoryStore();
    const before = await testCrawl(web, { store });
    await start(before, 'http://a.com/');
    await jobs.fetch(before, { batch: 'all' });
    await jobs.updatedb(before, { batch: 'all' });

    web.set('http://a.com/', { html: 'second' });
    await using crawl = await testCrawl(web, { store, settings: { 'fetcher.storeContent': false } });
    crawl.setTime(START + MONTH);
    const batch = await select(crawl);
    await jobs.fetch(crawl, { batch });
    expect(await rowOf(crawl, 'http://a.com/', 'content', 'contentType')).toEqual({ contentType: 'text/html' });
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ failed_missing_content: 1 });
    expect((await jobs.fetch(crawl, { batch, parse: true })).counters).toMatchObject({ parsed: 1 });
    expect(await rowOf(crawl, 'http://a.com/', 'content', 'text')).toEqual({ text: 'second' });
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ fetched: 1 });
  });

  it('refuses a batch that updatedb has begun on, until and after its end', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/x') });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/');
    await jobs.fetch(crawl, { batch, parse: true });
    for (const state of ['updating'] as const) {
      await crawl.tables.store.write('batch', [
        { key: `h|${batch}`, put: new Map([['b:h', Buffer.from(JSON.stringify({ state, size: 1 }))]]) },
      ]);
      for (const job of [jobs.fetch, jobs.parse]) {
        await expect(job(crawl, { batch })).rejects.toMatchObject({ code: 'BATCH_CLOSING', exitCode: 68 });
        expect((await job(crawl, { batch: 'all' })).counters).toEqual({ batch_closing: 1 });
      }
    }
    await jobs.updatedb(crawl, { batch });
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ batch_closed: 1 });
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ batch_closed: 1 });
    expect(web.requests).toHaveLength(1);
  });

  it('never works on a batch at the same time as updatedb', async () => {
    const web = fakeWeb({ 'http://a.com/1': links('/x'), 'http://a.com/2': links('/x'), 'http://a.com/3': 'x' });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2', 'http://a.com/3');
    let updated: Promise<unknown> | undefined;
    web.onRequest = () => void (updated ??= jobs.updatedb(crawl, { batch }));
    const [first, second] = await Promise.allSettled([
      jobs.fetch(crawl, { batch, parse: true, threads: 1 }),
      jobs.fetch(crawl, { batch, parse: true, threads: 1 }),
    ]);
    await updated;
    expect(first).toMatchObject({ status: 'fulfilled', value: { counters: { fetched: 3, parsed: 3 } } });
    // The second waited for the first, and so came to the batch after updatedb.
    expect(second).toMatchObject({ status: 'fulfilled', value: { counters: { batch_closed: 1 } } });
    for (const row of await allRows(crawl)) expect(row.marks ?? {}).not.toHaveProperty('fetch');
    expect(await rowOf(crawl, 'http://a.com/x', 'inlinkCount')).toEqual({ inlinkCount: 2 });
    expect((await crawl.tables.batches.get(batch)).state).toBe('closed');
  });

  it('passes over what the index names and the batch does not hold, and counts what is damaged', async () => {
    const web = fakeWeb({ 'http://a.com/': 'x', 'http://a.com/damaged': 'x', 'http://a.com/free': 'x' });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/', 'http://a.com/damaged');
    await jobs.inject(crawl, { seeds: ['http://a.com/free'] });
    await crawl.tables.batches.enter(batch, [
      { rowKey: rowKeyOf('http://a.com/free'), queue: 'a.com' },
      { rowKey: rowKeyOf('http://none.com/'), queue: 'none.com' },
    ]);
    await damage(crawl, 'http://a.com/damaged', 'distance');
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 1, success: 1, damaged: 1 });
    expect(web.requests).toEqual(['http://a.com/']);
  });

  it('ends at its time limit and leaves the rest for later', async () => {
    const web = fakeWeb({ 'http://a.com/1': 'x', 'http://a.com/2': 'x', 'http://a.com/3': 'x' });
    await using crawl = await testCrawl(web, { settings: { 'fetcher.timelimitMins': 1 } });
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2', 'http://a.com/3');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      web.onRequest = () => void vi.advanceTimersByTime(60_000);
      expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 1, success: 1, time_limit: 1 });
    } finally {
      vi.useRealTimers();
    }
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ fetched: 1, not_fetched: 2, not_parsed: 1 });
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 2 });
  });

  it('has one time limit for all the batches of a job', async () => {
    const web = fakeWeb({ 'http://a.com/1': 'x', 'http://b.com/1': 'x', 'http://c.com/1': 'x' });
    await using crawl = await testCrawl(web, { settings: { 'fetcher.timelimitMins': 1 } });
    await jobs.inject(crawl, { seeds: ['http://a.com/1', 'http://b.com/1', 'http://c.com/1'] });
    for (let i = 0; i < 3; i++) await jobs.generate(crawl, { topN: 1 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      // The time is over while the first page is being fetched.
      web.onRequest = () => void vi.advanceTimersByTime(60_000);
      const { counters } = await jobs.fetch(crawl, { batch: 'all' });
      expect(counters).toEqual({ batches: 3, fetched: 1, success: 1, time_limit: 3 });
    } finally {
      vi.useRealTimers();
    }
    expect(web.requests).toHaveLength(1);
  });

  it('waits for no host when its time is over', async () => {
    const { plugin } = protocol(() => ({ kind: 'retry', code: 'throttled', http: 503, retryAfter: 50 }));
    await using crawl = await testCrawl(undefined, {
      settings: { 'fetcher.timelimitMins': 0.002 },
      plugins: [plugin],
    });
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2');
    expect((await jobs.fetch(crawl, { batch })).counters).toMatchObject({ tried_again: 1, time_limit: 1 });
  });

  it('takes any time limit that the settings take', async () => {
    // The first is no whole number of milliseconds.
    for (const minutes of [0.0123456789, 35_000]) {
      const web = fakeWeb({ 'http://a.com/1': 'x', 'http://a.com/2': 'x' });
      await using crawl = await testCrawl(web, { settings: { 'fetcher.timelimitMins': minutes } });
      const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2');
      web.onRequest = () => new Promise((resolve) => setTimeout(resolve, 10));
      expect((await jobs.fetch(crawl, { batch })).counters, `${minutes}`).toEqual({ fetched: 2, success: 2 });
    }
  });

  it('takes a protocol that throws for one that failed, and goes on', async () => {
    const { plugin } = protocol(({ url }) => {
      if (url.endsWith('/bad')) throw new Error('out of order');
      return content('x');
    });
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    const batch = await start(crawl, 'http://a.com/bad', 'http://a.com/good');
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 2,
      success: 1,
      [`plugin_error_${plugin.name}`]: 1,
    });
    expect(await rowOf(crawl, 'http://a.com/bad', 'status', 'protocolStatus')).toEqual({
      status: 'retry',
      protocolStatus: { code: `plugin_error_${plugin.name}`, message: 'out of order' },
    });
  });

  it('takes the last protocol in the list for a scheme, and gives up on a scheme that none takes', async () => {
    const web = fakeWeb({ 'http://a.com/': 'x', 'https://a.com/': 'x' });
    const { plugin, requests } = protocol(() => content('y'));
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/', 'https://a.com/');
    const plugins = [...crawl.plugins, plugin];
    expect((await jobs.fetch({ ...crawl, plugins }, { batch })).counters).toEqual({ fetched: 2, success: 2 });
    expect(requests.map(({ url }) => url)).toEqual(['http://a.com/']);
    expect(web.requests).toEqual(['https://a.com/']);

    const without = plugins.filter((each) => !each.protocol?.schemes.includes('https'));
    const report = await jobs.fetch({ ...crawl, plugins: without }, { batch });
    expect(report.counters).toEqual({ fetched: 2, success: 1, no_protocol: 1 });
    expect(await rowOf(crawl, 'https://a.com/', 'status')).toEqual({ status: 'gone' });
  });

  it('ends the run when the store fails, and a later one goes on', async () => {
    const web = fakeWeb({ 'http://a.com/1': 'x', 'http://a.com/2': 'x' });
    const store = new MemoryStore();
    await using crawl = await testCrawl(web, { store });
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2');
    const write = store.write.bind(store);
    store.write = (table, changes) =>
      table === 'webpage' ? Promise.reject(new Error('no space')) : write(table, changes);
    await expect(jobs.fetch(crawl, { batch })).rejects.toThrow('no space');
    store.write = write;
    expect((await jobs.fetch(crawl, { batch, resume: true })).counters).toEqual({ fetched: 2, success: 2 });
  });
});

describe('fetch under robots.txt', () => {
  const fetchOne = async (robots: FakePage | string, settings: Record<string, unknown> = {}) => {
    const web = fakeWeb({ 'http://a.com/robots.txt': robots, 'http://a.com/x': 'x' });
    await using crawl = await testCrawl(web, { settings });
    const batch = await start(crawl, 'http://a.com/x');
    const { counters } = await jobs.fetch(crawl, { batch });
    return { counters, requests: web.requests, ...(await rowOf(crawl, 'http://a.com/x', 'status', 'protocolStatus')) };
  };

  it('leaves a page alone that is disallowed, and says by which line', async () => {
    expect(await fetchOne('User-agent: *\nAllow: /y\nDisallow: /x')).toEqual({
      counters: { fetched: 1, robots_denied: 1 },
      requests: [],
      status: 'gone',
      protocolStatus: { code: 'robots_denied', message: 'line 3: Disallow: /x' },
    });
  });

  it('leaves the page as it was when robots.txt is not available', async () => {
    for (const robots of [{ status: 503 }, { status: 500 }]) {
      expect(await fetchOne(robots)).toEqual({
        counters: { host_backoff: 1, backed_off: 3 },
        requests: [],
        status: 'unfetched',
      });
    }
  });

  it('is free where there is none', async () => {
    for (const robots of [{ status: 404 }, { status: 403 }, { status: 301 }, { location: '/robots.txt' }, '']) {
      expect(await fetchOne(robots)).toMatchObject({ counters: { fetched: 1, success: 1 }, status: 'fetched' });
    }
  });

  it('gives up on a page whose crawl delay is too long, unless any is honoured', async () => {
    const robots = 'User-agent: *\nCrawl-delay: 0.4';
    expect(await fetchOne(robots, { 'fetcher.maxCrawlDelay': 0.3 })).toEqual({
      counters: { fetched: 1, crawl_delay_too_long: 1 },
      requests: [],
      status: 'gone',
      protocolStatus: { code: 'crawl_delay_too_long', message: 'Crawl-delay: 0.4' },
    });
    for (const maxCrawlDelay of [0.4, -1]) {
      expect(await fetchOne(robots, { 'fetcher.maxCrawlDelay': maxCrawlDelay })).toMatchObject({ status: 'fetched' });
    }
  });

  it('takes a protocol that throws on robots.txt for a server that does not answer', async () => {
    const plugin: Plugin = {
      name: 'broken',
      protocol: {
        schemes: ['http'],
        fetch: () => {
          throw new Error('out of order');
        },
      },
    };
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    const batch = await start(crawl, 'http://a.com/');
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      host_backoff: 1,
      backed_off: 3,
      plugin_error_broken: 3,
    });
    expect(await rowOf(crawl, 'http://a.com/', 'status', 'protocolStatus')).toEqual({ status: 'unfetched' });
  });

  it('asks each origin once for a day, over runs', async () => {
    const asked: string[] = [];
    const plugin: Plugin = {
      name: 'stub',
      protocol: {
        schemes: ['http', 'https'],
        async fetch({ url }) {
          if (!url.endsWith('/robots.txt')) return content('x');
          asked.push(url);
          return content('User-agent: *\nDisallow: /private', { contentType: 'text/plain' });
        },
      },
    };
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    const batch = await start(crawl, 'http://a.com/', 'http://a.com/private', 'https://a.com/', 'http://a.com:81/');
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 4, success: 3, robots_denied: 1 });
    await jobs.fetch(crawl, { batch });
    const files = ['http://a.com/robots.txt', 'http://a.com:81/robots.txt', 'https://a.com/robots.txt'];
    expect([...asked].sort()).toEqual(files);
    crawl.setTime(START + DAY);
    await jobs.fetch(crawl, { batch });
    expect([...asked].sort()).toEqual([...files, ...files].sort());
  });
});

describe('fetch and redirects', () => {
  it('has the target join the batch as a row of its own', async () => {
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
    expect((await jobs.fetch(crawl, { batch, resume: true })).counters).toEqual({ already_fetched: 2 });
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 2,
      moved: 1,
      success: 1,
      redirect_known: 1,
    });
  });

  it('reaches a host whose queue was read to its end, and one that was not in the batch', async () => {
    const web = fakeWeb({
      'http://a.com/': 'a',
      'http://a.com/late': 'late',
      'http://b.com/': { location: 'http://a.com/late' },
      'http://b.com/2': { location: 'http://c.com/' },
      'http://c.com/': 'c',
    });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/', 'http://b.com/', 'http://b.com/2');
    // b.com answers only when a.com is through.
    web.onRequest = async (url) => {
      while (url === 'http://b.com/' && (await rowOf(crawl, 'http://a.com/', 'fetchedAt')).fetchedAt === undefined) {
        await new Promise(setImmediate);
      }
    };
    const report = await jobs.fetch(crawl, { batch });
    expect(report.counters).toEqual({ fetched: 5, success: 3, moved: 2, redirects_followed: 2 });
    expect([...web.requests].sort()).toEqual([...new Set(web.requests)].sort());
    expect((await jobs.fetch(crawl, { batch, resume: true })).counters).toEqual({ already_fetched: 5 });
    expect((await jobs.updatedb(crawl, { batch })).counters).toMatchObject({ fetched: 3, redirected: 2 });
  });

  it('takes one target once that joins its host while the pages of that are still being read', async () => {
    // Far more pages than are read ahead; the target is the last of all by its key.
    const pages = Array.from({ length: 160 }, (_, i) => `http://big.com/${String(i).padStart(3, '0')}`);
    const target = 'http://big.com/target';
    const web = fakeWeb({
      ...Object.fromEntries([...pages, target].map((url) => [url, 'x'])),
      'http://b.com/': { location: target },
    });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://b.com/', ...pages);
    // big.com answers for the first time when the redirect has been followed.
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

  it('takes one target once, however many pages redirect to it at the same time', async () => {
    const pages: Record<string, FakePage> = { 'http://a.com/target': { html: 'x' } };
    for (let i = 0; i < 10; i++) pages[`http://h${i}.com/`] = { location: 'http://a.com/target' };
    const web = fakeWeb(pages);
    await using crawl = await testCrawl(web);
    const hosts = Array.from({ length: 10 }, (_, i) => `http://h${i}.com/`);
    const batch = await start(crawl, ...hosts);
    // All ten wait for each other before they answer.
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
    // All hand on all they have.
    expect(await rowOf(crawl, 'http://a.com/target', 'score', 'cash', 'inlinkCount')).toEqual({
      score: 10,
      cash: 10,
      inlinkCount: 10,
    });
  });

  it('leaves a target to the batch that holds it, and one that is not due', async () => {
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

  it('takes a target that is known and due with what it has to hand on', async () => {
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

  it('follows none where it may not, and lets updatedb find the target', async () => {
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

  it('ends a chain over rounds where none are followed within the batch', async () => {
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

  it('leads out of the host only from seeds, where links may not either', async () => {
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

  it('keeps all pages of a host in one queue, whatever address the host has by now', async () => {
    const web = fakeWeb({ 'http://a.com/1': { location: '/3' }, 'http://a.com/2': 'x', 'http://a.com/3': 'x' });
    // Each process looks names up for itself.
    const at = (address: string, store: Store) =>
      testCrawl(web, { store, settings: { 'partition.urlMode': 'ip' }, lookup: () => Promise.resolve([address]) });
    const store = new MemoryStore();
    const batch = await start(await at('10.0.0.1', store), 'http://a.com/1', 'http://a.com/2');
    await using crawl = await at('10.0.0.2', store);
    let inFlight = 0;
    let mostInFlight = 0;
    web.onRequest = async () => {
      mostInFlight = Math.max(mostInFlight, ++inFlight);
      // Time enough for another queue to begin.
      for (let i = 0; i < 50; i++) await new Promise(setImmediate);
      inFlight -= 1;
    };
    await jobs.fetch(crawl, { batch });
    expect(web.requests).toEqual(['http://a.com/1', 'http://a.com/2', 'http://a.com/3']);
    expect(mostInFlight).toBe(1);
    await jobs.fetch(crawl, { batch });
    expect(web.requests).toHaveLength(6);
  });
});

describe('fetching a page again', () => {
  it.each([
    ['ended early', 9, undefined],
    ['was cut at our limit', 10, '"1"'],
  ])('asks by the tag of a copy that %s: %i bytes of 10', async (_, length, tag) => {
    const headers = { etag: '"1"', 'last-modified': 'Wed, 01 Jan 2020 00:00:00 GMT' };
    const { plugin, requests } = protocol(() => content('x'.repeat(length), { headers, truncated: true }));
    await using crawl = await testCrawl(undefined, { plugins: [plugin], settings: { 'http.contentLimit': 10 } });
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    for (let month = 0; month < 2; month++) {
      crawl.setTime(START + month * MONTH);
      await round(crawl);
    }
    expect(requests.map(({ ifNoneMatch }) => ifNoneMatch)).toEqual([undefined, tag]);
    expect(requests.map(({ ifModifiedSince }) => ifModifiedSince !== undefined)).toEqual([false, tag !== undefined]);
  });

  it('asks by the date and tag of the copy that was parsed, and keeps both over a 304 that repeats neither', async () => {
    const first = { etag: '"1"', 'last-modified': 'Wed, 01 Jan 2020 00:00:00 GMT' };
    const { plugin, requests } = protocol((request) =>
      request.ifNoneMatch === '"1"'
        ? { kind: 'notmodified', code: 'notmodified', http: 304 }
        : content('x', { headers: first }),
    );
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    for (let month = 0; month < 3; month++) {
      crawl.setTime(START + month * MONTH);
      await round(crawl);
    }
    const url = 'http://a.com/';
    const always = { url, allowPrivate: true, signal: expect.any(AbortSignal) as AbortSignal };
    const asked = { ...always, ifModifiedSince: Date.UTC(2020, 0, 1), ifNoneMatch: '"1"' };
    expect(requests).toEqual([always, asked, asked]);
    expect(await rowOf(crawl, url, 'status', 'protocolStatus', 'text', 'headers', 'retries')).toEqual({
      status: 'notmodified',
      protocolStatus: { code: 'notmodified', http: 304, lastModified: Date.UTC(2020, 0, 1), etag: '"1"' },
      text: 'x',
      headers: first,
      retries: 0,
    });
  });

  it('takes a tag that a 304 brings', async () => {
    const { plugin, requests } = protocol((request) =>
      request.ifNoneMatch === undefined
        ? content('x', { headers: { etag: '"1"' } })
        : { kind: 'notmodified', code: 'notmodified', http: 304, headers: { etag: '"2"' } },
    );
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    for (let month = 0; month < 3; month++) {
      crawl.setTime(START + month * MONTH);
      await round(crawl);
    }
    expect(requests.map((request) => request.ifNoneMatch)).toEqual([undefined, '"1"', '"2"']);
  });

  it('asks for a whole copy while the one it has was never parsed', async () => {
    const web = fakeWeb({ 'http://a.com/': { html: links('/1'), headers: { etag: '"1"' } } });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    await round(crawl);
    // The second copy is fetched but not parsed.
    web.set('http://a.com/', { html: links('/2'), headers: { etag: '"2"' } });
    web.set('http://a.com/1', { html: '' });
    crawl.setTime(START + MONTH);
    const batch = await select(crawl);
    await jobs.fetch(crawl, { batch });
    await jobs.updatedb(crawl, { batch });
    crawl.setTime(START + 2 * MONTH);
    const { fetched } = await round(crawl);
    expect(fetched.counters).not.toHaveProperty('notmodified');
    expect(await rowOf(crawl, 'http://a.com/2', 'status')).toEqual({ status: 'unfetched' });
  });

  it('asks for a whole copy when it fetches a batch again, so that new links are not lost', async () => {
    for (const parse of [true, false]) {
      const web = fakeWeb({ 'http://a.com/': { html: links('/1'), headers: { etag: '"1"' } } });
      await using crawl = await testCrawl(web);
      await jobs.inject(crawl, { seeds: ['http://a.com/'] });
      await round(crawl);
      web.set('http://a.com/', { html: links('/2'), headers: { etag: '"2"' } });
      crawl.setTime(START + MONTH);
      const batch = await select(crawl);
      await jobs.fetch(crawl, { batch, parse });
      await jobs.fetch(crawl, { batch, parse });
      await jobs.parse(crawl, { batch });
      await jobs.updatedb(crawl, { batch });
      expect(await rowOf(crawl, 'http://a.com/', 'status'), `parse: ${parse}`).toEqual({ status: 'fetched' });
      expect(await rowOf(crawl, 'http://a.com/2', 'status'), `parse: ${parse}`).toEqual({ status: 'unfetched' });
    }
  });

  it('asks for a whole copy when the body was lost', async () => {
    const web = fakeWeb({ 'http://a.com/': { html: 'x', headers: { etag: '"1"' } } });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    await round(crawl);
    crawl.setTime(START + MONTH);
    web.set('http://a.com/', { html: 'new', headers: { etag: '"2"' } });
    const batch = await select(crawl);
    await jobs.fetch(crawl, { batch });
    await crawl.tables.pages.write([{ key: rowKeyOf('http://a.com/'), unset: ['contentAt'] }]);
    expect((await jobs.parse(crawl, { batch })).counters).toEqual({ failed_missing_content: 1 });
    expect((await jobs.updatedb(crawl, { batch })).counters).toEqual({ retry: 1 });
    crawl.setTime(START + MONTH + DAY);
    const { fetched } = await round(crawl);
    expect(fetched.counters).toEqual({ fetched: 1, success: 1, parsed: 1 });
    expect(await rowOf(crawl, 'http://a.com/', 'text', 'retries')).toEqual({ text: 'new', retries: 0 });
  });

  it('clears what the fetch before left in the batch, whatever comes after whatever', async () => {
    const outcomes: Record<string, FakePage> = {
      content: { html: `<html lang="de">${links('/x')}` },
      refresh: { html: '<meta http-equiv="refresh" content="0; url=/target">' },
      redirect: { location: '/target' },
      gone: { status: 404 },
      retry: { status: 503 },
      image: { html: 'GIF89a', contentType: 'image/gif' },
    };
    const fields = [
      'status',
      'redirectTarget',
      'newSignature',
      'parseStatus',
      'protocolStatus',
      'marks',
      'cashInFlight',
    ] as const;
    for (const first of Object.keys(outcomes)) {
      for (const second of Object.keys(outcomes)) {
        const after = async (...pages: FakePage[]) => {
          const web = fakeWeb({ 'http://a.com/target': 'x' });
          await using crawl = await testCrawl(web);
          const batch = await start(crawl, 'http://a.com/');
          for (const page of pages) {
            web.set('http://a.com/', page);
            await jobs.fetch(crawl, { batch, parse: true });
          }
          return rowOf(crawl, 'http://a.com/', ...fields);
        };
        const title = `${second} after ${first}`;
        const found = await after(outcomes[first]!, outcomes[second]!);
        const alone = await after(outcomes[second]!);
        // A page that cannot be fetched for a time is as it was parsed.
        const { parseStatus } = second === 'retry' ? await after(outcomes[first]!) : alone;
        expect(found, title).toEqual({ ...alone, ...(parseStatus && { parseStatus }) });
      }
    }
  });

  it('forgets the language of a page that states none any more, whoever parses', async () => {
    for (const parse of [true, false]) {
      const web = fakeWeb({ 'http://a.com/': '<html lang="de">eins' });
      await using crawl = await testCrawl(web);
      await jobs.inject(crawl, { seeds: ['http://a.com/'] });
      await round(crawl);
      expect(await rowOf(crawl, 'http://a.com/', 'language')).toEqual({ language: 'de' });
      web.set('http://a.com/', { html: '<html>two' });
      crawl.setTime(START + MONTH);
      const batch = await select(crawl);
      await jobs.fetch(crawl, { batch, parse });
      await jobs.parse(crawl, { batch });
      expect(await rowOf(crawl, 'http://a.com/', 'language', 'text'), `parse: ${parse}`).toEqual({ text: 'two' });
    }
  });
});
