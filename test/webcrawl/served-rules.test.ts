import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jobs, openCrawl, rowKeyOf, rules, serve, type Crawl } from '../../packages/webcrawl/index.js';
import { changeRows } from '../support/stores/put-rows.js';

let folder: string;
const ends: (() => unknown)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-served-rules-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await rm(folder, { recursive: true });
});

async function open(yields = false): Promise<Crawl> {
  const crawl = await openCrawl({ table: join(folder, 'table'), yields, settings: { 'propose.minUseful': 2 } });
  ends.push(() => crawl.close());
  return crawl;
}

/** What the server says of rules, and a button that is pressed there. */
async function served(crawl: Crawl) {
  const server = await serve(crawl, { port: 0 });
  ends.push(() => server.close());
  const press = async (path: string, fields: Record<string, string>, page = 'rules') => {
    const shown = await fetch(server.url + page);
    const token = /name="token" value="([^"]+)"/.exec(await shown.text())![1]!;
    const cookie = shown.headers.get('set-cookie')!.split(';')[0]!;
    const answer = await fetch(server.url + path, {
      method: 'POST',
      body: new URLSearchParams({ token, ...fields }),
      headers: { cookie, origin: new URL(server.url).origin },
      redirect: 'manual',
    });
    return { status: answer.status, text: await answer.text() };
  };
  const json = async (path: string) => (await fetch(server.url + path)).json() as Promise<Record<string, unknown>>;
  return { press, json, url: server.url };
}

describe.each([
  ['the process that has the table open', false],
  ['a process that reaches the table through another', true],
])('rules served by %s', (_, isRemote) => {
  test('are shown with their counts, changed by a button, and asked about again where seeds would be cut', async () => {
    const owner = await open();
    await jobs.inject(owner, { seeds: ['http://a.example/', 'http://a.example/tag/1', 'http://b.example/'] });
    await rules.add(owner, { kind: 'useful', pattern: { prefix: '/tag/' }, note: 'because' });
    await rules.add(owner, { kind: 'reject', pattern: { prefix: '/tag/' }, state: 'disabled' });
    await rules.apply(owner);
    const crawl = isRemote ? await open(true) : owner;
    expect(crawl.holder !== undefined).toBe(isRemote);
    const { press, json } = await served(crawl);

    expect(await json('api/rules')).toMatchObject({
      total: 2,
      rules: [
        { id: 'r1', counts: { fit: 1 }, history: [{ fit: 1 }] },
        { id: 'r2', state: 'disabled' },
      ],
    });
    expect(await json('api/rules/report')).toMatchObject({ all: { rows: 3, useful: 1 }, hasUseful: true });

    const asked = await press('rules/change', { id: 'r2', state: 'active' });
    expect(asked.status).toBe(409);
    expect(asked.text).toContain('Reject /tag/ on all hosts would cut 1 seeds (http://a.example/tag/1)');
    expect((await owner.rules.current()).active).toHaveLength(1);
    expect((await press('rules/change', { id: 'r2', state: 'active', yes: 'yes' })).status).toBe(303);
    await expect.poll(async () => (await owner.rules.current()).active.length, { timeout: 60_000 }).toBe(2);
    expect((await jobs.generate(owner)).counters).toMatchObject({ generated: 2, rejected_rules: 1 });
    expect((await press('rules/change', { id: 'r2', state: 'disabled' })).status).toBe(303);
    expect(await json('api/rules')).toMatchObject({ rules: [{ id: 'r1' }, { id: 'r2', state: 'disabled' }] });
  });

  test('are proposed, applied by a button once, and the same is not proposed again', async () => {
    const owner = await open();
    await jobs.inject(owner, { seeds: ['http://a.example/'] });
    await rules.add(owner, { kind: 'useful', pattern: { prefix: '/news/' } });
    const urls = [
      ...Array.from({ length: 3 }, (_, i) => `http://a.example/news/${i}`),
      ...Array.from({ length: 40 }, (_, i) => `http://a.example/forum/${i}`),
    ];
    const set = { status: 'fetched', fetchedAt: 1, dueAt: 1, score: 1 } as const;
    const links = [...urls, 'http://a.example/'].map((url) => ({ url, anchor: '' }));
    const home = { key: rowKeyOf('http://a.example/'), set: { ...set, outlinks: links } };
    await changeRows(owner, [home, ...urls.map((url) => ({ key: rowKeyOf(url), set }))], 1);
    const crawl = isRemote ? await open(true) : owner;
    const { press, json, url } = await served(crawl);
    const proposed = await rules.propose(crawl);
    expect(proposed.proposals, JSON.stringify(proposed.counters)).toHaveLength(1);
    const { id, proposals } = await json('api/proposals');
    expect(proposals).toMatchObject([{ number: 1, rule: { pattern: { prefix: '/forum/' } }, rows: 40 }]);
    const apply = () => press('rules/apply', { list: id as string, number: '1' }, 'rules/proposals');
    expect((await apply()).status).toBe(303);
    expect(await (await fetch(`${url}rules/proposals`)).text()).toContain('rule r2</a> now');
    expect(await json('api/rules')).toMatchObject({
      total: 2,
      rules: [{ id: 'r2', origin: 'generated' }, { id: 'r1' }],
    });
    expect(await json('api/proposals')).toMatchObject({ id, proposals: [] });
    await expect.poll(async () => (await owner.rules.current()).active.length, { timeout: 60_000 }).toBe(2);
    await press('rules/apply', { list: id as string, number: '1' });
    expect(await (await fetch(`${url}rules/proposals`)).text()).toContain('rule r2 says the same; no rule was added');
  });
});

test('a report is made for all who ask at the same time at once, and prefixes and proposals are those of the table', async () => {
  const crawl = await open();
  await jobs.inject(crawl, { seeds: Array.from({ length: 30 }, (_, i) => `http://a.example/tag/${i}`) });
  const { json, url } = await served(crawl);
  expect(await json('api/prefixes')).toEqual({ statistics: null, prefixes: [], more: false });
  expect(await json('api/proposals')).toEqual({ id: '', proposals: [] });
  const reports = await Promise.all(Array.from({ length: 20 }, () => json('api/rules/report')));
  expect(new Set(reports.map((report) => JSON.stringify(report))).size).toBe(1);
  expect((await fetch(`${url}api/prefixes?domain=a%20b`)).status).toBe(400);
});
