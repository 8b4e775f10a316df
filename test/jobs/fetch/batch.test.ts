import { hash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import {
  MemoryStore,
  jobs,
  rowKeyOf,
  type PageOutcome,
  type FetchOutcome,
} from '../../../packages/webcrawl/internal.js';
import { createRowContent } from '../../../webtable/content/row-content.js';
import { fakeWeb, links } from '../../support/web/fake-web.js';
import { damage } from '../../support/stores/damage.js';
import { round, rowOf, select, start } from '../../support/job-steps.js';
import { content } from '../../support/web/outcomes.js';
import { START, allRows, testCrawl } from '../../support/test-crawl.js';
import { DAY, MONTH, protocol } from '../../support/web/stub-protocol.js';

describe('fetch', () => {
  it('counts the answers that only the lenient client could read', async () => {
    const { plugin } = protocol(({ url }) => content('x', url.endsWith('/odd') ? { lenient: true } : {}));
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    await jobs.inject(crawl, { seeds: ['http://a.com/', 'http://a.com/odd', 'http://b.com/odd'] });
    const { fetched } = await round(crawl);
    expect(fetched.counters).toMatchObject({ fetched: 3, lenient: 2 });
  });

  it('reports each page with its outcome after the outcome is stored', async () => {
    const web = fakeWeb({
      'http://a.com/': links('/old', '/private', '/none'),
      'http://a.com/old': { location: '/new' },
      'http://a.com/new': {},
      'http://a.com/robots.txt': { html: 'User-agent: *\nDisallow: /private', contentType: 'text/plain' },
    });
    await using crawl = await testCrawl(web);
    const noted: PageOutcome[] = [];
    const stored: Promise<unknown>[] = [];
    await jobs.crawl(crawl, {
      seeds: ['http://a.com/'],
      onFetched(page) {
        noted.push(page);
        stored.push(crawl.page(page.url, ['protocolStatus']).then((row) => row?.protocolStatus?.code));
      },
    });
    const byUrl = new Map(noted.map(({ url, ...page }) => [url.replace('http://a.com', ''), page]));
    expect(noted.length).toBe(byUrl.size);
    expect(byUrl.get('/')).toMatchObject({ time: START, status: 'fetched', code: 'success', http: 200, from: 'seed' });
    expect(byUrl.get('/')?.bytes).toBeGreaterThan(0);
    expect(byUrl.get('/old')).toMatchObject({ code: 'moved', from: 'link' });
    expect(byUrl.get('/new')).toMatchObject({ code: 'success', from: 'redirect' });
    expect(byUrl.get('/none')).toMatchObject({ status: 'gone', code: 'not_found', http: 404, from: 'link' });
    expect(byUrl.get('/private')).toMatchObject({ code: 'robots_denied', from: 'link' });
    expect(await Promise.all(stored)).toEqual(noted.map(({ code }) => code));
  });

  it('leaves pages due if the proxy failed, and a crawl does not retry them for ever', async () => {
    let isDead = true;
    const { plugin, requests } = protocol(({ url }) =>
      isDead && !url.endsWith('/ok') ? { kind: 'retry', code: 'proxy_failed', message: 'refused' } : content('x'),
    );
    await using crawl = await testCrawl(undefined, { plugins: [plugin] });
    await start(crawl, 'http://a.com/', 'http://a.com/ok', 'http://b.com/');
    const report = await jobs.crawl(crawl, { seeds: [] });
    expect(report.counters).toMatchObject({ fetched: 1, success: 1 });
    expect(report.counters.proxy_failed).toBeGreaterThanOrEqual(2);
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

  it('stores the answer and the mark, and changes nothing else in the row', async () => {
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

  it('stores the duration of the last request, and the length of the last body even if the body is not stored', async () => {
    const answers: FetchOutcome[] = [
      content('hello', { millis: 20 }),
      { kind: 'retry', code: 'http_error', http: 500, millis: 7 },
      { kind: 'retry', code: 'dns_failed' },
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

  it('counts every page once, by outcome', async () => {
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

  it('skips pages that its batch has fetched already', async () => {
    const web = fakeWeb({ 'http://a.com/1': 'x', 'http://a.com/2': 'x', 'http://b.com/': 'x' });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2', 'http://b.com/');
    const controller = new AbortController();
    web.onRequest = () => controller.abort();
    const cut = await jobs.fetch(crawl, { batch, threads: 1, signal: controller.signal });
    expect(cut).toMatchObject({ interrupted: true, counters: { fetched: 1, success: 1 } });
    web.onRequest = () => {};
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({
      fetched: 2,
      success: 2,
      already_fetched: 1,
    });
    expect([...web.requests].sort()).toEqual(['http://a.com/1', 'http://a.com/2', 'http://b.com/']);
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ already_fetched: 3 });
    expect(web.requests).toHaveLength(3);
  });

  it('starts nothing if the signal is already aborted', async () => {
    const web = fakeWeb({ 'http://a.com/': 'x' });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/');
    const before = await allRows(crawl);
    const report = await jobs.fetch(crawl, { batch, signal: AbortSignal.abort() });
    expect(report).toMatchObject({ interrupted: true, counters: {} });
    expect(await allRows(crawl)).toEqual(before);
    expect(web.requests).toEqual([]);
  });

  it('fetches every open batch, oldest first, and adds up the counters', async () => {
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

  it('parses in the same change if asked to', async () => {
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

  it('stores no bodies if the setting says so, and drops those of earlier fetches', async () => {
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
    expect((await jobs.fetch(crawl, { batch, parse: true })).counters).toMatchObject({ parsed: 1 });
    expect(await rowOf(crawl, 'http://a.com/', 'content', 'contentType', 'text')).toEqual({
      contentType: 'text/html',
      text: 'second',
    });
    expect((await jobs.parse(crawl, { batch, force: true })).counters).toEqual({ failed_missing_content: 1 });
  });

  it('refuses a batch that updatedb has begun or ended', async () => {
    const web = fakeWeb({ 'http://a.com/': links('/x') });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/');
    await jobs.fetch(crawl, { batch, parse: true });
    for (const state of ['updating'] as const) {
      await crawl.tables.store.write('batch', [
        { key: `d|${batch}`, put: new Map([['b:h', Buffer.from(JSON.stringify({ state, size: 1 }))]]) },
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
    // The second job waited for the first, so it came to the batch after updatedb.
    expect(second).toMatchObject({ status: 'fulfilled', value: { counters: { batch_closed: 1 } } });
    for (const row of await allRows(crawl)) expect(row.marks ?? {}).not.toHaveProperty('fetch');
    expect(await rowOf(crawl, 'http://a.com/x', 'inlinkCount')).toEqual({ inlinkCount: 2 });
    expect((await crawl.tables.batches.get(batch)).state).toBe('closed');
  });

  it('skips index entries whose row is not in the batch, and counts damaged rows', async () => {
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

  it('has one time limit for all batches of a job', async () => {
    const web = fakeWeb({ 'http://a.com/1': 'x', 'http://b.com/1': 'x', 'http://c.com/1': 'x' });
    await using crawl = await testCrawl(web, { settings: { 'fetcher.timelimitMins': 1 } });
    await jobs.inject(crawl, { seeds: ['http://a.com/1', 'http://b.com/1', 'http://c.com/1'] });
    for (let i = 0; i < 3; i++) await jobs.generate(crawl, { topN: 1 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      // The time limit passes while the first page is being fetched.
      web.onRequest = () => void vi.advanceTimersByTime(60_000);
      const { counters } = await jobs.fetch(crawl, { batch: 'all' });
      expect(counters).toEqual({ batches: 3, fetched: 1, success: 1, time_limit: 3 });
    } finally {
      vi.useRealTimers();
    }
    expect(web.requests).toHaveLength(1);
  });

  it('does not wait for a host after its time limit', async () => {
    const { plugin } = protocol(() => ({ kind: 'retry', code: 'throttled', http: 503, retryAfter: 50 }));
    await using crawl = await testCrawl(undefined, {
      settings: { 'fetcher.timelimitMins': 0.002 },
      plugins: [plugin],
    });
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2');
    expect((await jobs.fetch(crawl, { batch })).counters).toMatchObject({ tried_again: 1, time_limit: 1 });
  });

  it('accepts any time limit that the settings accept', async () => {
    // The first value is not a whole number of milliseconds.
    for (const minutes of [0.0123456789, 35_000]) {
      const web = fakeWeb({ 'http://a.com/1': 'x', 'http://a.com/2': 'x' });
      await using crawl = await testCrawl(web, { settings: { 'fetcher.timelimitMins': minutes } });
      const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2');
      web.onRequest = () => new Promise((resolve) => setTimeout(resolve, 10));
      expect((await jobs.fetch(crawl, { batch })).counters, `${minutes}`).toEqual({ fetched: 2, success: 2 });
    }
  });

  it('counts a page whose protocol throws as failed, and goes on', async () => {
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

  it('uses the last protocol in the list that has the scheme, and gives up the page if none has it', async () => {
    const web = fakeWeb({ 'http://a.com/': 'x', 'https://a.com/': 'x' });
    const { plugin, requests } = protocol(() => content('y'));
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, 'http://a.com/', 'https://a.com/');
    const plugins = [...crawl.plugins, plugin];
    expect((await jobs.fetch({ ...crawl, plugins }, { batch })).counters).toEqual({ fetched: 2, success: 2 });
    expect(requests.map(({ url }) => url)).toEqual(['http://a.com/']);
    expect(web.requests).toEqual(['https://a.com/']);

    const without = plugins.filter((each) => !each.protocol?.schemes.includes('https'));
    const next = await start(crawl, 'http://a.com/2', 'https://a.com/2');
    const report = await jobs.fetch({ ...crawl, plugins: without }, { batch: next });
    expect(report.counters).toEqual({ fetched: 2, success: 1, unsupported_scheme: 1 });
    expect(await rowOf(crawl, 'https://a.com/2', 'status')).toEqual({ status: 'gone' });
  });

  it('ends with an error when the store fails, and the next run continues', async () => {
    const web = fakeWeb({ 'http://a.com/1': 'x', 'http://a.com/2': 'x' });
    const store = new MemoryStore();
    await using crawl = await testCrawl(web, { store });
    const batch = await start(crawl, 'http://a.com/1', 'http://a.com/2');
    const write = store.write.bind(store);
    store.write = (table, changes) =>
      table === 'webpage' ? Promise.reject(new Error('no space')) : write(table, changes);
    await expect(jobs.fetch(crawl, { batch })).rejects.toThrow('no space');
    store.write = write;
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 2, success: 2 });
  });
});

describe('the SHA-1 of a body', () => {
  it('is computed by the parse, for the signature and for the record', async () => {
    const store = new MemoryStore();
    const rowContent = createRowContent(store);
    const append = vi.spyOn(rowContent, 'append');
    const web = fakeWeb({ 'http://a.com/': 'hello' });
    await using crawl = await testCrawl(web, { store: Object.assign(store, { content: rowContent }) });
    const batch = await start(crawl, 'http://a.com/');
    await jobs.fetch(crawl, { batch, parse: true });
    const sha1 = hash('sha1', 'hello');
    expect(append.mock.calls.flat(2)).toContainEqual(expect.objectContaining({ kind: 'response', sha1 }));
    expect(await rowOf(crawl, 'http://a.com/', 'newSignature')).toEqual({ newSignature: sha1 });
  });
});
