import { describe, expect, test } from 'vitest';
import {
  MemoryStore,
  jobs,
  prefixStatistics,
  rowKeyOf,
  rules,
  type Crawl,
  type PageChange,
  type PrefixNode,
  type PrefixSelection,
  type Store,
} from '../../../packages/webcrawl/index.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { damage } from '../../support/stores/damage.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { PassOnStore } from '../../support/stores/pass-on-store.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

type Fields = NonNullable<PageChange['set']>;

const FETCHED: Fields = { status: 'fetched', bodyBytes: 100, fetchMs: 10 };

async function put(crawl: Crawl, urls: readonly string[], set: Fields = FETCHED): Promise<void> {
  await crawl.tables.pages.write(urls.map((url) => ({ key: rowKeyOf(url), set })));
}

const numbered = (start: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${start}${i}`);

async function read(crawl: Crawl, selection: PrefixSelection = {}): Promise<PrefixNode[]> {
  const nodes: PrefixNode[] = [];
  for await (const node of prefixStatistics.read(crawl, selection)) nodes.push(node);
  return nodes;
}

/** `https://a.example/list? ?page 12` of each node. */
async function lines(crawl: Crawl, selection?: PrefixSelection): Promise<string[]> {
  return (await read(crawl, selection)).map(
    ({ origin, prefix, parameter, rows }) =>
      `${origin}${prefix}${parameter === undefined ? '' : ` ${parameter}`} ${rows}`,
  );
}

/** The keys of all that statistics have left in a store. */
async function stored(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.scan('rule', { columns: ['r'] })) if (key.startsWith('s|n|')) keys.push(key);
  return keys;
}

async function newsWeb(store: Store = new MemoryStore()): Promise<TestCrawl> {
  const crawl = await testCrawl(undefined, { store });
  await put(crawl, numbered('https://www.news.example/2026/a', 12));
  await put(crawl, numbered('https://www.news.example/list?page=', 15), { status: 'unfetched' });
  await put(crawl, numbered('https://news.example/tag/', 11), { status: 'gone' });
  await put(crawl, numbered('http://other.example/x/', 10), {
    ...FETCHED,
    fit: true,
    duplicateOf: 'http://o.example/',
  });
  await put(crawl, ['http://other.example/x/failing'], { status: 'unfetched', retries: 2 });
  return crawl;
}

const NEWS = [
  'https://www.news.example/ 27',
  'https://www.news.example/2026/ 12',
  'https://www.news.example/list? 15',
  'https://www.news.example/list? page 15',
  'https://news.example/ 11',
  'https://news.example/tag/ 11',
];
const OTHER = ['http://other.example/ 11', 'http://other.example/x/ 11'];

describe('statistics by prefix', () => {
  test('count the rows of the hot family, and are read in the order of the table', async () => {
    await using crawl = await newsWeb();
    await rules.add(crawl, { kind: 'useful', pattern: { regex: 'x' } });
    crawl.setTime(START + 1000);
    expect(await prefixStatistics.latest(crawl)).toBeUndefined();
    expect(await read(crawl)).toEqual([]);
    const { counters } = await prefixStatistics.make(crawl);
    expect(counters).toEqual({ rows: 49, hosts: 3, prefixes: 8 });
    expect(await lines(crawl)).toEqual([...NEWS, ...OTHER]);
    expect((await read(crawl)).at(-1)).toEqual({
      host: 'other.example',
      origin: 'http://other.example',
      domain: 'other.example',
      prefix: '/x/',
      rows: 11,
      statuses: { fetched: 10, unfetched: 1 },
      fit: 10,
      duplicates: 10,
      errors: 1,
      bytes: 1000,
      fetchMs: 100,
    });
    expect(await prefixStatistics.latest(crawl)).toEqual({
      generation: START + 1000,
      madeAt: START + 1000,
      rulesVersion: await crawl.tables.rules.version(),
      min: 10,
      depth: 16,
      total: expect.objectContaining({ rows: 49, errors: 12, bytes: 2200 }) as unknown,
      origins: 3,
      parametersOverLimit: 0,
    });
  });

  test('are of one domain where one is named, and the newest that has it is read', async () => {
    await using crawl = await newsWeb();
    expect((await prefixStatistics.make(crawl, { domain: 'News.example' })).counters).toEqual({
      rows: 38,
      hosts: 2,
      prefixes: 6,
    });
    expect(await lines(crawl)).toEqual([]);
    expect(await lines(crawl, { domain: 'news.example' })).toEqual(NEWS);
    expect(await prefixStatistics.latest(crawl, { domain: 'news.example' })).toMatchObject({ domain: 'news.example' });

    crawl.setTime(START + 1000);
    await put(crawl, ['https://news.example/tag/new']);
    await prefixStatistics.make(crawl);
    const now = [...NEWS.slice(0, 4), 'https://news.example/ 12', 'https://news.example/tag/ 12'];
    expect(await lines(crawl)).toEqual([...now, ...OTHER]);
    expect(await lines(crawl, { domain: 'news.example' })).toEqual(now);
    expect(await lines(crawl, { domain: 'www.news.example' })).toEqual(now.slice(0, 4));
    expect(await prefixStatistics.latest(crawl, { domain: 'news.example' })).not.toHaveProperty('domain');
    // What was kept of the domain is of no use any more.
    expect((await stored(crawl.tables.store)).every((key) => key.startsWith('s|n|*|'))).toBe(true);

    crawl.setTime(START + 2000);
    await prefixStatistics.make(crawl, { domain: 'other.example', depth: 0 });
    expect(await lines(crawl, { domain: 'other.example' })).toEqual(OTHER.slice(0, 1));
    expect(await lines(crawl)).toEqual([...now, ...OTHER]);
  });

  test('are read with a coarser least size and depth', async () => {
    await using crawl = await newsWeb();
    await prefixStatistics.make(crawl, { min: 2 });
    expect(await lines(crawl, { min: 12 })).toEqual(NEWS.slice(0, 4));
    expect(await lines(crawl, { depth: 0 })).toEqual([NEWS[0], NEWS[4], OTHER[0]]);
    expect(await lines(crawl, { depth: 1 })).toEqual([...NEWS, ...OTHER]);
  });

  test.each([
    [{ min: 0 }, 'USAGE'],
    [{ min: 1.5 }, 'USAGE'],
    [{ depth: -1 }, 'USAGE'],
    [{ domain: 'a/b' }, 'BAD_URL'],
  ])('of %j there are none: %s', async (selection, code) => {
    await using crawl = await testCrawl(undefined);
    await expect(prefixStatistics.make(crawl, selection)).rejects.toMatchObject({ code });
    await expect(read(crawl, selection)).rejects.toMatchObject({ code });
  });

  test('of an empty table are there, and hold nothing', async () => {
    await using crawl = await testCrawl(undefined);
    expect((await prefixStatistics.make(crawl)).counters).toEqual({});
    expect(await prefixStatistics.latest(crawl)).toMatchObject({ total: { rows: 0, statuses: {} }, origins: 0 });
    expect(await read(crawl)).toEqual([]);
  });

  test('a row that cannot be read counts as far as it can', async () => {
    await using crawl = await testCrawl(undefined);
    await put(crawl, ['http://a.example/1', 'http://a.example/2']);
    await damage(crawl, 'http://a.example/1', 'status');
    expect((await prefixStatistics.make(crawl, { min: 1 })).counters).toMatchObject({ rows: 2, damaged: 1 });
    expect(await read(crawl)).toMatchObject([{ rows: 2, statuses: { fetched: 1 }, bytes: 200 }]);
  });

  test('a run that dies at any write leaves those before, and the next one no remains', async () => {
    const before = new MemoryStore();
    await using first = await newsWeb(before);
    await prefixStatistics.make(first, { min: 1 });
    const old = await lines(first);
    await put(first, numbered('https://www.news.example/2027/a', 700));
    const counting = new FailingStore(await copyStore(before));
    await using counted = await testCrawl(undefined, { store: counting });
    await prefixStatistics.make(counted, { min: 2 });
    const made = await lines(counted);
    const left = await stored(counting);
    expect(made).not.toEqual(old);

    for (let failAt = 1; failAt <= counting.writes; failAt++) {
      const store = await copyStore(before);
      await using dying = await testCrawl(undefined, { store: new FailingStore(store, failAt) });
      await expect(prefixStatistics.make(dying, { min: 2 })).rejects.toThrow(PlannedFailure);
      await using after = await testCrawl(undefined, { store });
      // Old or new, and never a part of either.
      expect([old, made]).toContainEqual(await lines(after));
      await prefixStatistics.make(after, { min: 2 });
      expect(await lines(after)).toEqual(made);
      expect(await stored(store)).toHaveLength(left.length);
    }
  });

  test('one that is stopped changes nothing, and leaves nothing', async () => {
    const store = new MemoryStore();
    await using crawl = await newsWeb(store);
    await prefixStatistics.make(crawl);
    const [old, keys] = [await read(crawl), await stored(store)];
    // So many that some prefixes are stored before the rest is read.
    await put(
      crawl,
      Array.from({ length: 1200 }, (_, host) => `http://h${host}.example/x/`),
    );
    const stop = new AbortController();
    class Stopping extends PassOnStore {
      override async write(...[table, changes]: Parameters<Store['write']>): Promise<void> {
        await super.write(table, changes);
        if (changes.some(({ key }) => key.startsWith('s|n|'))) stop.abort();
      }
    }
    await using stopping = await testCrawl(undefined, { store: new Stopping(store) });
    const report = await prefixStatistics.make(stopping, { min: 1, signal: stop.signal });
    expect(report).toMatchObject({ interrupted: true, counters: { prefixes: expect.any(Number) as number } });
    expect(await read(crawl)).toEqual(old);
    expect(await stored(store)).toEqual(keys);
  });

  test.each([['in this process'], ['in another']])(
    'of two runs at once the one that began last stays, %s',
    async (where) => {
      for (let seed = 0; seed < 8; seed++) {
        const random = randomNumbers(seed);
        const store = where === 'in another' ? new VersionedStore(random) : new MemoryStore();
        await using crawl = await newsWeb(store);
        await using other = await testCrawl(undefined, { store });
        const runs = await Promise.all([
          prefixStatistics.make(crawl, { min: 12 }),
          prefixStatistics.make(other, { min: 10, domain: 'news.example' }),
          prefixStatistics.make(other, { min: 11 }),
        ]);
        const latest = await crawl.tables.prefixes.latest('*');
        expect([11, 12]).toContain(latest?.min);
        const overtaken = runs.filter(({ counters }) => counters['overtaken']);
        expect(overtaken.length).toBeLessThanOrEqual(1);
        const expected = [...NEWS, ...OTHER].filter((line) => Number(line.split(' ').at(-1)) >= latest!.min);
        expect(await lines(crawl)).toEqual(expected);
        const generations = (await stored(store)).map((key) => key.split('|').slice(0, 4).join('|'));
        expect(new Set(generations.filter((key) => key.startsWith('s|n|*|'))).size).toBe(1);
      }
    },
  );

  test('who reads while others are made gets each prefix once, and all of them', async () => {
    const store = new MemoryStore();
    await using crawl = await testCrawl(undefined, { store });
    await put(
      crawl,
      numbered('http://a.example/?p=', 2500).map((url) => `${url}&n${url.split('=')[1]}`),
    );
    await prefixStatistics.make(crawl, { min: 1 });
    const all = await lines(crawl);
    expect(all).toHaveLength(2503);
    const found: string[] = [];
    for await (const { prefix, parameter = '' } of prefixStatistics.read(crawl)) {
      found.push(`${prefix} ${parameter}`);
      if (found.length % 700 === 1) await prefixStatistics.make(crawl, { min: 1 });
    }
    expect(new Set(found).size).toBe(found.length);
    expect(found).toHaveLength(all.length);
  });

  test('what a kill has left of the first pass over a domain goes with the next one over others', async () => {
    const DAY = 86_400_000;
    for (const next of [
      { later: 1, domain: undefined },
      { later: DAY + 1, domain: 'other.example' },
    ]) {
      const whole = new MemoryStore();
      await using crawl = await newsWeb(whole);
      const dying = await testCrawl(undefined, { store: new FailingStore(whole, 3) });
      await expect(prefixStatistics.make(dying, { domain: 'news.example', min: 1 })).rejects.toThrow(PlannedFailure);
      expect((await stored(whole)).length).toBeGreaterThan(0);
      crawl.setTime(START + next.later);
      await prefixStatistics.make(crawl, next.domain === undefined ? {} : { domain: next.domain });
      const keys = await stored(whole);
      expect(keys.filter((key) => key.includes('example.news'))).toHaveLength(next.domain === undefined ? 6 : 0);
      expect(keys.every((key) => key.startsWith(next.domain === undefined ? 's|n|*|' : 's|n|example.other'))).toBe(
        true,
      );
    }
  });

  test('a pass over a domain that is still at work when a later one over all has ended is removed', async () => {
    const store = new MemoryStore();
    await using crawl = await newsWeb(store);
    const { prefixes } = crawl.tables;
    const generation = await prefixes.begin('example.news', START - 5);
    await prefixStatistics.make(crawl);
    const figures = { rows: 1, statuses: {}, fit: 0, duplicates: 0, errors: 0, bytes: 0, fetchMs: 0 };
    await prefixes.put('example.news', generation, [{ key: 'example.news:https/', figures }]);
    const pass = { generation, madeAt: START - 5, rulesVersion: '', min: 1, depth: 16, total: figures };
    const isKept = await prefixes.end('example.news', { ...pass, origins: 1, parametersOverLimit: 0 });
    expect(isKept).toBe(false);
    expect((await stored(store)).every((key) => key.startsWith('s|n|*|'))).toBe(true);
    expect(await lines(crawl, { domain: 'news.example' })).toEqual(NEWS);
  });

  test('what is left under a lost header does not come back', async () => {
    const store = new MemoryStore();
    await using crawl = await newsWeb(store);
    await prefixStatistics.make(crawl, { min: 1 });
    await store.write('rule', [{ key: 's|h|*', put: new Map([['r:p', Buffer.from('{')]]) }]);
    expect(await prefixStatistics.latest(crawl)).toBeUndefined();
    expect(await lines(crawl)).toEqual([]);
    await prefixStatistics.make(crawl);
    expect(await lines(crawl)).toEqual([...NEWS, ...OTHER]);
    expect(await stored(store)).toHaveLength(8);
  });

  test('rules, their counts and the statistics do not touch each other', async () => {
    await using crawl = await newsWeb();
    await rules.add(crawl, { kind: 'reject', scope: 'host:news.example', pattern: { prefix: '/tag/' } });
    await prefixStatistics.make(crawl);
    const before = await rules.list(crawl);
    await jobs.repair(crawl);
    expect((await rules.list(crawl)).rules.map(({ id }) => id)).toEqual(before.rules.map(({ id }) => id));
    await rules.remove(crawl, 'r1');
    expect(await lines(crawl)).toEqual([...NEWS, ...OTHER]);
  });
});
