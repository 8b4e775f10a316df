import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  jobs,
  openContext,
  prefixStatistics,
  rowKeyOf,
  rules,
  serve,
  type OpenContext,
} from '../../packages/webcrawl/internal.js';
import { changeRows } from '../support/stores/put-rows.js';
import { freshFolder } from '../support/files/temp-folder.js';

const folder = freshFolder();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(yields = false): Promise<OpenContext> {
  const crawl = await openContext({ table: join(folder, 'table'), yields, settings: { 'propose.minRelevant': 2 } });
  ends.push(() => crawl.close());
  return crawl;
}

/** The server's pages and data about rules, and a function that presses a button there. */
async function served(crawl: OpenContext) {
  const server = await serve(crawl, { port: 0 });
  ends.push(() => server.close());
  let own: { readonly token: string; readonly cookie: string } | undefined;
  const press = async (path: string, fields: Record<string, string>, page = 'rules') => {
    if (!own) {
      const first = await fetch(server.url + page);
      const token = /name="token" value="([^"]+)"/.exec(await first.text())![1]!;
      own = { token, cookie: first.headers.get('set-cookie')!.split(';')[0]! };
    }
    const { token, cookie } = own;
    const answer = await fetch(server.url + path, {
      method: 'POST',
      body: new URLSearchParams({ token, ...fields }),
      headers: { cookie, origin: new URL(server.url).origin },
      redirect: 'manual',
    });
    return { status: answer.status, text: await answer.text() };
  };
  const json = async (path: string) => (await fetch(server.url + path)).json() as Promise<Record<string, unknown>>;
  /** A page as the user who pressed the button sees it. */
  const shown = async (path: string) => (await fetch(server.url + path, { headers: { cookie: own!.cookie } })).text();
  return { press, json, shown, url: server.url, close: () => server.close() };
}

describe.each([
  ['the process that has the table open', false],
  ['a process that reaches the table through another', true],
])('rules served by %s', (_, isRemote) => {
  test('are shown with their counts, changed by a button, and need a confirmation if seeds would be rejected', async () => {
    const owner = await open();
    await jobs.inject(owner, { seeds: ['http://a.example/', 'http://a.example/tag/1', 'http://b.example/'] });
    await rules.add(owner, { kind: 'relevant', pattern: { prefix: '/tag/' }, note: 'because' });
    await rules.add(owner, { kind: 'reject', pattern: { prefix: '/tag/' }, state: 'disabled' });
    await rules.apply(owner);
    await rules.count(owner);
    const crawl = isRemote ? await open(true) : owner;
    expect(crawl.owner !== undefined).toBe(isRemote);
    const { press, json } = await served(crawl);

    expect(await json('api/rules')).toMatchObject({
      total: 2,
      rules: [
        { id: 'r1', counts: { relevant: 1 }, history: [{ relevant: 1 }] },
        { id: 'r2', state: 'disabled' },
      ],
    });
    expect(await json('api/rules/report')).toMatchObject({ all: { rows: 3, relevant: 1 }, hasRelevant: true });

    const asked = await press('rules/change', { id: 'r2', state: 'active' });
    expect(asked.status).toBe(409);
    expect(asked.text).toContain(
      'To enable it would reject 1 seed (<bdi dir="ltr">http://a.example/tag/1</bdi>), and 1 of 3 pages in all',
    );
    expect((await owner.rules.current()).active).toHaveLength(1);
    expect((await press('rules/change', { id: 'r2', state: 'active', yes: 'yes' })).status).toBe(303);
    await expect.poll(async () => (await owner.rules.current()).active.length, { timeout: 60_000 }).toBe(2);
    expect((await jobs.generate(owner)).counters).toMatchObject({ generated: 2, rejected_rules: 1 });
    expect((await press('rules/change', { id: 'r2', state: 'disabled' })).status).toBe(303);
    expect(await json('api/rules')).toMatchObject({ rules: [{ id: 'r1' }, { id: 'r2', state: 'disabled' }] });
  });

  test('are proposed, applied by a button once, and not proposed again', async () => {
    const owner = await open();
    await jobs.inject(owner, { seeds: ['http://a.example/'] });
    await rules.add(owner, { kind: 'relevant', pattern: { prefix: '/news/' } });
    const urls = [
      ...Array.from({ length: 3 }, (_, i) => `http://a.example/news/${i}`),
      ...Array.from({ length: 40 }, (_, i) => `http://a.example/forum/${i}`),
    ];
    const set = { status: 'fetched', parseStatus: { code: 'success' }, fetchedAt: 1, dueAt: 1, score: 1 } as const;
    const links = [...urls, 'http://a.example/'].map((url) => ({ url, anchor: '' }));
    const home = { key: rowKeyOf('http://a.example/'), set: { ...set, outlinks: links } };
    await changeRows(owner, [home, ...urls.map((url) => ({ key: rowKeyOf(url), set }))], 1);
    const crawl = isRemote ? await open(true) : owner;
    const { press, json, shown, url } = await served(crawl);
    const proposed = await rules.propose(crawl);
    expect(proposed.proposals, JSON.stringify(proposed.counters)).toHaveLength(1);
    const { id, proposals } = await json('api/proposals');
    expect(proposals).toMatchObject([{ number: 1, rule: { pattern: { prefix: '/forum/' } }, rows: 40 }]);
    const apply = () => press('rules/apply', { list: id as string, number: '1' }, 'rules/proposals');
    expect((await apply()).status).toBe(303);
    expect(await shown('rules/proposals')).toContain('rule r2</a> now');
    expect(await (await fetch(`${url}rules/proposals`)).text()).not.toContain('rule r2</a>');
    expect(await json('api/rules')).toMatchObject({
      total: 2,
      rules: [{ id: 'r2', origin: 'generated' }, { id: 'r1' }],
    });
    expect(await json('api/proposals')).toMatchObject({ id, proposals: [] });
    await expect.poll(async () => (await owner.rules.current()).active.length, { timeout: 60_000 }).toBe(2);
    await press('rules/apply', { list: id as string, number: '1' });
    expect(await shown('rules/proposals')).toContain('rule r2 has the same content; no rule was added');
  });
});

test('a report is made once for all simultaneous requests, and prefixes and proposals are those of the table', async () => {
  const crawl = await open();
  await jobs.inject(crawl, { seeds: Array.from({ length: 30 }, (_, i) => `http://a.example/tag/${i}`) });
  const { json, url } = await served(crawl);
  expect(await json('api/prefixes')).toEqual({ statistics: null, prefixes: [], more: false });
  expect(await json('api/proposals')).toEqual({ id: '', proposals: [] });
  const reports = await Promise.all(Array.from({ length: 20 }, () => json('api/rules/report')));
  expect(new Set(reports.map((report) => JSON.stringify(report))).size).toBe(1);
  expect((await fetch(`${url}api/prefixes?domain=a%20b`)).status).toBe(400);
});

test('applying a proposal is aborted when the server is closed, and waited for', async () => {
  const crawl = await open();
  await jobs.inject(crawl, { seeds: ['http://a.example/'] });
  await rules.add(crawl, { kind: 'relevant', pattern: { prefix: '/news/' } });
  const rule = { kind: 'reject', scope: 'host:a.example', pattern: { prefix: '/forum/' } } as const;
  const proposal = { number: 1, rule, reason: 'facet', evidence: {}, rows: 1, fetched: 1, domain: 'a.example' };
  await crawl.tables.proposals.put({ id: 'l', createdAt: 1, rulesVersion: '', proposals: [proposal] });
  const { press, close } = await served(crawl);
  const { pages } = crawl.tables;
  const scan = pages.scan.bind(pages);
  const events: string[] = [];
  let [isRead, release] = [(): void => {}, (): void => {}];
  const reading = new Promise<void>((resolve) => (isRead = resolve));
  const closing = new Promise<void>((resolve) => (release = resolve));
  // The graph is read until the server is closed.
  Object.assign(pages, {
    async *scan(...given: Parameters<typeof scan>) {
      // The status may be read as well.
      if (given[0]?.fields?.includes('sitemap')) {
        isRead();
        await closing;
      }
      yield* scan(...given);
      events.push('read');
    },
  });
  const pressed = press('rules/apply', { list: 'l', number: '1' }, 'rules/proposals').catch(() => undefined);
  await reading;
  const closed = close().then(() => events.push('closed'));
  release();
  await closed;
  expect(events.at(-1)).toBe('closed');
  expect((await crawl.tables.rules.read()).rules.map(({ id }) => id)).toEqual(['r1']);
  await pressed;
});

test('a proposal that cannot be read is left out and counted, and hides no other', async () => {
  const crawl = await open();
  const rule = { kind: 'reject', scope: 'host:a.example', pattern: { prefix: '/forum/' } } as const;
  const proposal = { number: 1, rule, reason: 'facet', evidence: {}, rows: 1, fetched: 1, domain: 'a.example' };
  const damaged = [
    { ...proposal, number: 2, rule: { ...rule, pattern: { regex: 5 } } },
    { ...proposal, number: 3, rule: { ...rule, kind: 'none' } },
    { ...proposal, number: 4, rule: { ...rule, pattern: { regex: '(' } } },
    { ...proposal, number: 5, evidence: null },
    { ...proposal, number: '6' },
    null,
  ] as unknown as (typeof proposal)[];
  const list = { id: 'l', createdAt: 1, rulesVersion: '', proposals: [...damaged, proposal] };
  await crawl.tables.proposals.put(list);
  expect(await rules.proposals(crawl)).toEqual({ ...list, proposals: [proposal], damaged: 6 });
  const { json, url } = await served(crawl);
  expect(await json('api/proposals')).toMatchObject({ proposals: [{ number: 1 }], damaged: 6 });
  const page = await (await fetch(`${url}rules/proposals`)).text();
  expect(page.replace(/\s+/g, ' ')).toContain('6 proposals cannot be read');
  await crawl.tables.proposals.put({ ...list, createdAt: 1e16 });
  expect(await rules.proposals(crawl)).toBeUndefined();
  expect((await fetch(`${url}rules/proposals`)).status).toBe(200);
});

test('no request reads more prefixes than the limit, whatever it leaves out', async () => {
  const crawl = await open();
  const { prefixes } = crawl.tables;
  await jobs.inject(crawl, { seeds: Array.from({ length: 30 }, (_, i) => `http://a.example/tag/${i}`) });
  await prefixStatistics.make(crawl, { min: 1 });
  let read = 0;
  const figures = { rows: 1, statuses: {}, relevant: 0, duplicates: 0, errors: 0, bytes: 0, fetchMs: 0 };
  const { pass } = (await prefixes.read('*'))!;
  async function* endless() {
    for (;;) {
      read += 1;
      yield await Promise.resolve({ key: 'example.a:http/', figures });
    }
  }
  Object.assign(prefixes, { read: () => Promise.resolve({ pass, prefixes: endless }) });
  const { json, url } = await served(crawl);
  expect(await json('api/prefixes?min=999')).toMatchObject({ prefixes: [], more: true });
  expect(read).toBeLessThanOrEqual(50_001);
  expect(await (await fetch(`${url}rules/prefixes?min=999`)).text()).toContain('there may be more');
});
