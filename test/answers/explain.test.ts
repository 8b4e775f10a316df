import { describe, expect, it } from 'vitest';
import {
  openTables,
  explain,
  jobs,
  rowKeyOf,
  type OpenContext,
  type ExplainOptions,
  type Explanation,
  type PageChange,
} from '../../packages/webcrawl/internal.js';
import { FIELD_COLUMNS, hostKeyOf, type Column } from '../../webtable/index.js';
import { fakeWeb, links } from '../support/web/fake-web.js';
import { dumpStore } from '../support/stores/copy-store.js';
import { round, start } from '../support/job-steps.js';
import { changeRows } from '../support/stores/put-rows.js';
import { ReadOnlyStore } from '../support/stores/read-only-store.js';
import { START, testCrawl } from '../support/test-crawl.js';

const URL_A = 'http://a.example.com/';
const DAY = 86_400_000;

/** Every explanation of these tests that sends no request uses a store that throws on a write. */
async function explained(crawl: OpenContext, url = URL_A, options: ExplainOptions = {}): Promise<Explanation> {
  if (options.robots) return explain(crawl, url, options);
  const tables = await openTables(new ReadOnlyStore(crawl.tables.store));
  return explain({ ...crawl, tables }, url, options);
}

const nextOf = async (crawl: OpenContext, url = URL_A) => (await explained(crawl, url)).next;

async function change(crawl: OpenContext, set: NonNullable<PageChange['set']>, marks: PageChange['marks'] = {}) {
  const key = rowKeyOf(URL_A);
  await changeRows(crawl, [{ key, set, marks }]);
}

/** The settings of an open crawl with some changes. */
function withSettings(
  crawl: OpenContext,
  section: 'generate' | 'db' | 'fetcher' | 'partition',
  values: object,
): OpenContext {
  return { ...crawl, settings: { ...crawl.settings, [section]: { ...crawl.settings[section], ...values } } };
}

describe('a URL that is not in the table', () => {
  it('is invalid', async () => {
    await using crawl = await testCrawl(undefined);
    const found = await explained(crawl, 'foo\u001b');
    expect(found).toMatchObject({ given: 'foo\u001b', accepted: false, rejectedBy: 'url', steps: [] });
    for (const absent of ['url', 'key', 'host', 'queue', 'robots', 'backoff', 'page'])
      expect(found).not.toHaveProperty(absent);
    expect(found.next.kind).toBe('rejected');
    expect(found.next.text).toContain('rejected by url (');
    expect(found.next.text).not.toContain('\u001b');
  });

  it('is rejected by a filter, and still has its key', async () => {
    await using crawl = await testCrawl(undefined, { plugins: [{ name: 'no', filterUrl: () => 'the \u001b rule' }] });
    const found = await explained(crawl);
    expect(found).toMatchObject({ url: URL_A, key: 'com.example.a:http/', rejectedBy: 'no', rule: 'the \u001b rule' });
    expect(found.next).toEqual({
      kind: 'rejected',
      text: 'Not in the table, and not accepted: rejected by no (the \\u001b rule).',
    });
  });

  it('would be accepted, as a seed or as a link', async () => {
    const seedsOnly = { name: 'seeds-only', filterUrl: (_: string, scope: string) => scope !== 'outlink' };
    await using crawl = await testCrawl(undefined);
    const takes = 'Not in the table. It would be accepted as a seed';
    const expected: [OpenContext, string][] = [
      [crawl, `${takes}, or when a page links to it.`],
      [
        withSettings(crawl, 'db', { updateAdditionsAllowed: false }),
        `${takes} only; db.updateAdditionsAllowed is off.`,
      ],
      [
        withSettings(crawl, 'db', { ignoreExternalLinks: true }),
        `${takes}, or when a page of the same host links to it.`,
      ],
      [
        { ...crawl, plugins: [...crawl.plugins, seedsOnly] },
        `${takes} only; as a link it is rejected by seeds-only (rejected).`,
      ],
    ];
    for (const [given, text] of expected) expect(await nextOf(given)).toEqual({ kind: 'not_in_table', text });
  });
});

describe('a row that no batch holds', () => {
  it('is due, waits, or is checked again', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [URL_A] });
    expect(await nextOf(crawl)).toEqual({
      kind: 'due',
      at: START,
      text: 'Due since 2023-11-14T22:13:20.000Z: the next generate selects it, unless topN pages with a better score are due.',
    });
    const capped = await nextOf(withSettings(crawl, 'generate', { maxCount: 3 }));
    expect(capped.text).toContain('unless topN pages, or 3 of its host, with a better score are due.');

    const at = START + DAY;
    const day = '2023-11-15T22:13:20.000Z';
    const waits: [NonNullable<PageChange['set']>, string][] = [
      [{ status: 'unfetched' }, `Not fetched yet. First fetch: ${day}.`],
      [{ status: 'unfetched', retries: 1 }, `Failed once. Next attempt: ${day}.`],
      [
        { retries: 2, protocolStatus: { code: 'dns_failed' } },
        `Failed 2 times in a row (dns_failed). Next attempt: ${day}.`,
      ],
      [{ status: 'fetched', retries: 0 }, `Fetched. Next fetch: ${day}.`],
      [{ status: 'redir_temp' }, `Redirected. Next fetch: ${day}.`],
      [{ status: 'gone', protocolStatus: { code: 'not_found', http: 404 } }, `Gone (404). Next fetch: ${day}.`],
      [{ status: 'gone', protocolStatus: { code: 'http_error', http: 500 } }, `Failed (500). Next fetch: ${day}.`],
    ];
    for (const [set, text] of waits) {
      await change(crawl, { ...set, dueAt: at });
      expect(await nextOf(crawl)).toEqual({ kind: 'waiting', at, text });
    }
    crawl.setTime(at);
    expect((await nextOf(crawl)).kind).toBe('due');
  });

  it('may have a time beyond the range of dates', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [URL_A] });
    await change(crawl, { dueAt: 9e15 });
    expect((await nextOf(crawl)).text).toContain('Due at 9000000000000000, later than the longest interval allows');
  });

  it('is kept back by a setting or a rule, and generate agrees', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [URL_A] });
    await change(crawl, { distance: 4, score: 0.5 });
    const rule = { name: 'new-rule', filterUrl: () => 'stricter' };
    const blocks: [OpenContext, string][] = [
      [
        withSettings(crawl, 'generate', { restrictStatus: ['gone', 'fetched'] }),
        'its status is unfetched, and generate.restrictStatus is gone, fetched',
      ],
      [withSettings(crawl, 'generate', { maxDistance: 3 }), 'it is 4 links from a seed, and generate.maxDistance is 3'],
      [withSettings(crawl, 'generate', { minScore: 1 }), 'its score is 0.5, and generate.minScore is 1'],
      [withSettings(crawl, 'generate', { maxCount: 0 }), 'generate.maxCount is 0'],
      [{ ...crawl, plugins: [...crawl.plugins, rule] }, 'it is now rejected by new-rule (stricter)'],
    ];
    for (const [given, why] of blocks) {
      expect(await nextOf(given)).toEqual({ kind: 'blocked', text: `generate does not select it: ${why}.` });
      expect((await jobs.generate(given)).batchId).toBeUndefined();
    }
    expect((await nextOf(crawl)).kind).toBe('due');
  });

  it('is damaged in fields that generate needs, or in others', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [URL_A] });
    const put = (column: Column, text: string) =>
      crawl.tables.store.write('webpage', [{ key: rowKeyOf(URL_A), put: new Map([[column, Buffer.from(text)]]) }]);
    await put(FIELD_COLUMNS.fetchInterval, '{');
    const found = await explained(crawl);
    expect(found.page?.damaged).toEqual(['fetchInterval']);
    expect(found.next.kind).toBe('due');
    await put(FIELD_COLUMNS.score, 'x');
    expect((await nextOf(crawl)).kind).toBe('damaged');
    expect((await jobs.generate(crawl)).counters).toEqual({ damaged: 1 });
  });

  it('has no entry in the frontier until repair makes one', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [URL_A] });
    const entries = [];
    for await (const { key } of crawl.tables.store.scan('frontier', { columns: ['f'] }))
      entries.push({ key, clear: true });
    await crawl.tables.store.write('frontier', entries);
    expect((await nextOf(crawl)).kind).toBe('not_indexed');
    await jobs.repair(crawl);
    expect((await nextOf(crawl)).kind).toBe('due');
  });
});

describe('a row that a batch holds', () => {
  it('waits for one job after the other', async () => {
    await using crawl = await testCrawl(fakeWeb({ [URL_A]: links('/b') }));
    const batch = await start(crawl, URL_A);
    const lock = '; its lock expires at 2023-11-21T22:13:20.000Z.';
    expect(await nextOf(crawl)).toEqual({
      kind: 'held_fetch',
      text: `In batch ${batch}, which waits for fetch${lock}`,
    });
    await jobs.fetch(crawl, { batch });
    expect(await nextOf(crawl)).toEqual({
      kind: 'held_parse',
      text: `In batch ${batch}: fetched, and waits for parse${lock}`,
    });
    await jobs.parse(crawl, { batch });
    expect(await nextOf(crawl)).toEqual({
      kind: 'held_updatedb',
      text: `In batch ${batch}: done, and waits for updatedb${lock}`,
    });
    const found = await explained(crawl);
    expect(found.page?.marks).toEqual([
      { mark: 'inject', value: 'y' },
      { mark: 'generate', value: batch, batchState: 'open' },
      { mark: 'fetch', value: batch, batchState: 'open' },
      { mark: 'parse', value: batch, batchState: 'open' },
    ]);
    for (const state of ['updating'] as const) {
      await crawl.tables.batches.change(batch, () => ({ state, size: 1 }));
      expect(await nextOf(crawl)).toMatchObject({ kind: 'held_updatedb' });
    }
    await jobs.updatedb(crawl, { batch });
    expect((await nextOf(crawl)).kind).toBe('waiting');
  });

  it.each([
    ['redirects', { location: 'http://a.example.com/x', status: 302 }],
    ['is gone', { status: 404 }],
    ['failed', { status: 503 }],
    ['has no parser', { html: 'GIF89a', contentType: 'image/gif' }],
  ])('waits for updatedb when it %s', async (_, page) => {
    await using crawl = await testCrawl(fakeWeb({ [URL_A]: page }));
    const batch = await start(crawl, URL_A);
    await jobs.fetch(crawl, { batch, parse: true });
    expect((await nextOf(crawl)).kind).toBe('held_updatedb');
  });

  it('is released if its generate was killed', async () => {
    await using crawl = await testCrawl(undefined);
    const batch = await start(crawl, URL_A);
    await crawl.tables.batches.change(batch, () => ({ state: 'generating', size: 0 }));
    expect((await nextOf(crawl)).kind).toBe('held_generate');
  });

  it('is locked by a batch that is closed or unknown, at any time, until repair makes a header', async () => {
    await using crawl = await testCrawl(undefined);
    const batch = await start(crawl, URL_A);
    await crawl.tables.batches.change(batch, () => ({ state: 'closed', size: 1 }));
    const locked = (why: string) => ({ kind: 'locked', text: `Held by batch ${why}: run \`webcrawl repair\`.` });
    expect(await nextOf(crawl)).toEqual(locked(`${batch}, which is closed`));
    const unknown = `${START / 1000}-77`;
    await change(crawl, {}, { generate: unknown });
    expect(await nextOf(crawl)).toEqual(locked(`${unknown}, which is not known`));
    const expired = START + 604_800_000;
    crawl.setTime(expired);
    expect(await nextOf(crawl)).toEqual(locked(`${unknown}, which is not known`));
    expect((await jobs.generate(crawl)).counters).toEqual({});

    expect((await jobs.repair(crawl)).counters).toMatchObject({ missing_header: 1, missing_batch: 1 });
    crawl.setTime(expired - 1);
    expect((await nextOf(crawl)).kind).toBe('held_fetch');
    crawl.setTime(expired);
    const next = await nextOf(crawl);
    expect(next.kind).toBe('due');
    expect(next.text).toContain(`Batch ${unknown} held it too long, and generate releases it.`);
    expect((await jobs.generate(crawl)).counters).toEqual({ expired: 1, generated: 1 });
  });
});

describe('a host in back-off', () => {
  const until = '2023-11-14T22:30:00.000Z';
  const put = (crawl: OpenContext, given: object) => {
    const record = { failures: 4, since: START - 5000, until: Date.parse(until), code: 'unavailable', http: 503 };
    return crawl.tables.hosts.backoff.put(new Map([[hostKeyOf('a.example.com'), { ...record, ...given }]]));
  };
  const why = `Its host is in back-off until ${until}: it failed 4 times in a row, with HTTP 503.`;

  it('is stated for the row, and so is what generate does next', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [URL_A] });
    expect(await explained(crawl)).not.toHaveProperty('backoff');
    await put(crawl, {});
    const found = await explained(crawl);
    expect(found.backoff).toMatchObject({ failures: 4, since: START - 5000, http: 503 });
    expect(found.next).toEqual({
      kind: 'waiting',
      at: Date.parse(until),
      text: `Due since 2023-11-14T22:13:20.000Z, but generate skips it for now. ${why}`,
    });
    expect((await jobs.generate(crawl)).counters).toEqual({ host_backoff: 1 });

    // A fetch would wait that long.
    crawl.setTime(Date.parse(until) - 60_000);
    const soon = await nextOf(crawl);
    expect(soon.kind).toBe('due');
    expect(soon.text).toMatch(/: the next generate selects it.* Its host is in back-off until .*: it failed/);
    const { batchId } = await jobs.generate(crawl);
    expect((await nextOf(crawl)).text).toContain(`which waits for fetch; its lock expires at`);
    expect((await nextOf(crawl)).text).toContain(why);
    expect(batchId).toBeDefined();
    crawl.setTime(Date.parse(until));
    expect((await nextOf(crawl)).text).not.toContain('back-off');
    expect((await explained(crawl)).backoff?.failures).toBe(4);
  });

  it('matters to a page that is due later only if it lasts longer than that', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [URL_A] });
    await put(crawl, { http: undefined, code: 'evil\u001b', failures: 1 });
    await change(crawl, { dueAt: START + 1000 });
    const text = (await nextOf(crawl)).text;
    expect(text).toBe(
      `Not fetched yet. First fetch: 2023-11-14T22:13:21.000Z. Its host is in back-off until ${until}: it failed once, with evil\\u001b.`,
    );
    await change(crawl, { dueAt: START + DAY });
    expect((await nextOf(crawl)).text).toBe('Not fetched yet. First fetch: 2023-11-15T22:13:20.000Z.');
  });
});

describe('robots.txt', () => {
  const page = 'http://a.example.com/private/x';
  const web = (crawlDelay = '') =>
    fakeWeb({
      'http://a.example.com/robots.txt': `User-agent: *\nDisallow: /private\nAllow: /\n${crawlDelay}`,
      [URL_A]: links('/private/x'),
    });

  it('is not requested unless asked for, and a requested file is not stored', async () => {
    let asked = 0;
    const counting = web('Crawl-delay: 9');
    const protocol = {
      ...counting.protocol!,
      fetch: (request: { url: string }) => (asked++, counting.protocol!.fetch(request)),
    };
    await using crawl = await testCrawl(undefined, { plugins: [{ ...counting, protocol }] });
    expect((await explained(crawl, page)).robots).toEqual({ source: 'none', verdict: 'unknown' });
    expect(asked).toBe(0);
    const fetched = await explained(crawl, page, { robots: true });
    expect(fetched.robots).toEqual({
      source: 'fetched',
      verdict: 'denied',
      line: { number: 2, text: 'Disallow: /private' },
      crawlDelay: 9,
      fetchedAt: START,
      status: 200,
    });
    expect(fetched.queue).toMatchObject({ delay: 9 });
    expect(asked).toBe(1);
    expect((await explained(crawl, page)).robots?.source).toBe('none');
  });

  it('the stored record is used, and marked if it is too old', async () => {
    await using crawl = await testCrawl(web());
    await jobs.inject(crawl, { seeds: [URL_A, page] });
    await round(crawl);
    await change(crawl, { dueAt: START });
    expect((await explained(crawl)).robots).toMatchObject({ source: 'stored', verdict: 'allowed', fetchedAt: START });
    crawl.setTime(START + DAY - 1);
    expect((await explained(crawl)).robots).not.toHaveProperty('expired');
    crawl.setTime(START + DAY);
    expect((await explained(crawl)).robots).toMatchObject({ expired: true });
    const { next, page: row } = await explained(crawl, page);
    expect(row).toMatchObject({ status: 'gone', protocolStatus: { code: 'robots_denied' } });
    expect(next.text).toBe(
      'Not fetched: robots.txt disallows it (line 2: Disallow: /private). Checked again on 2023-12-29.',
    );
  });

  it('a Crawl-delay beyond the limit, and an unavailable file', async () => {
    const failing = fakeWeb({ 'http://a.example.com/robots.txt': { status: 503 } });
    await using crawl = await testCrawl(web('Crawl-delay: 9'));
    await jobs.inject(crawl, { seeds: [URL_A] });
    const strict = withSettings(crawl, 'fetcher', { maxCrawlDelay: 5 });
    const slow = await explained(strict, URL_A, { robots: true });
    expect(slow.robots?.delayTooLong).toBe(true);
    expect(slow.next.text).toContain('beyond fetcher.maxCrawlDelay');
    const broken = await explained({ ...crawl, plugins: [...crawl.plugins, failing] }, URL_A, { robots: true });
    expect(broken.robots).toMatchObject({ source: 'fetched', verdict: 'unavailable' });
    expect(broken.next.text).toContain('robots.txt is not available now');
  });

  it('a 4xx allows all', async () => {
    await using crawl = await testCrawl(fakeWeb({}));
    const { robots } = await explained(crawl, page, { robots: true });
    expect(robots).toEqual({ source: 'fetched', verdict: 'allowed', fetchedAt: START, status: 404 });
  });
});

describe('the data', () => {
  it('of the queue: by host, domain and IP', async () => {
    let lookups = 0;
    const lookup = () => Promise.resolve([`10.0.0.${++lookups}`]);
    await using crawl = await testCrawl(undefined, { lookup });
    const queueIn = async (urlMode: string, options: ExplainOptions = {}) =>
      (await explained(withSettings(crawl, 'partition', { urlMode }), URL_A, options)).queue;
    expect(await queueIn('host')).toMatchObject({ mode: 'host', name: 'a.example.com', delay: 0 });
    expect(await queueIn('domain')).toMatchObject({ mode: 'domain', name: 'example.com' });
    expect(await queueIn('ip')).not.toHaveProperty('name');
    expect(lookups).toBe(0);
    const offline = { ...crawl, plugins: [fakeWeb({})] };
    const byIp = withSettings(offline, 'partition', { urlMode: 'ip' });
    expect((await explained(byIp, URL_A, { robots: true })).queue).toMatchObject({ name: '10.0.0.1' });
    expect(crawl.tables.slots.all).toContain((await queueIn('host'))?.slot);
    const threaded = withSettings(crawl, 'fetcher', { threadsPerQueue: 2, serverMinDelay: 3 });
    expect((await explained(threaded)).queue?.delay).toBe(3);
  });

  it('of the page: where it was found, the best ten inlinks, and whether it is a seed', async () => {
    const sources = Array.from({ length: 12 }, (_, i) => `http://s${i}.example.com/`);
    await using crawl = await testCrawl(fakeWeb(Object.fromEntries(sources.map((url) => [url, links(URL_A)]))));
    await jobs.inject(crawl, { seeds: sources.map((url, i) => `${url}\tscore=${i + 1}`) });
    await round(crawl);
    const { page } = await explained(crawl);
    expect(page).toMatchObject({ isSeed: false, distance: 1, inlinkCount: 12, status: 'unfetched' });
    expect(page?.inlinks).toHaveLength(10);
    expect(page?.inlinks[0]).toMatchObject({ url: 'http://s11.example.com/', anchor: `to ${URL_A}` });
    expect((await explained(crawl, sources[0])).page).toMatchObject({ isSeed: true, distance: 0, inlinks: [] });
  });

  it('of the inlinks: their exact number, however often the page with the link was fetched', async () => {
    const web = fakeWeb({ 'http://s.com/': links('/x'), 'http://s.com/x': 'x' });
    await using crawl = await testCrawl(web);
    await jobs.inject(crawl, { seeds: ['http://s.com/'] });
    for (let month = 0; month < 7; month++) {
      crawl.setTime(START + month * 31 * DAY);
      await round(crawl);
    }
    const { page } = await explained(crawl, 'http://s.com/x');
    expect(page?.inlinkCount).toBe(1);
    expect(page?.inlinks).toHaveLength(1);
    expect(await crawl.page('http://s.com/x', ['inlinkCount'])).toMatchObject({ inlinkCount: 1 });
  });

  it('of a URL given in another form', async () => {
    await using crawl = await testCrawl(undefined);
    await jobs.inject(crawl, { seeds: [URL_A] });
    const found = await explained(crawl, ' HTTP://A.Example.com:80/x/../#top');
    expect(found).toMatchObject({ url: URL_A, accepted: true, host: 'a.example.com', domain: 'example.com' });
    expect(found.page?.status).toBe('unfetched');
    expect(found.steps[0]).toMatchObject({ name: 'url', after: URL_A });
  });

  it('are read without a change of the table, even if robots.txt is requested, but for the time of the request', async () => {
    await using crawl = await testCrawl(fakeWeb({ [URL_A]: links('/b') }));
    await jobs.inject(crawl, { seeds: [URL_A] });
    await round(crawl);
    const dump = async () => {
      const { meta = [], ...tables } = await dumpStore(crawl.tables.store);
      return { ...tables, meta: meta.filter(({ key }) => !key.startsWith('lease-')) };
    };
    const before = await dump();
    for (const url of [URL_A, `${URL_A}b`, `${URL_A}c`, 'x']) await explain(crawl, url, { robots: true });
    expect(await dump()).toEqual(before);
  });
});
