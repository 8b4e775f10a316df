import { describe, expect, test } from 'vitest';
import {
  MemoryStore,
  jobs,
  prefixStatistics,
  rowKeyOf,
  rules,
  type OpenContext,
  type PageChange,
  type PrefixNode,
  type PrefixSelection,
  type Store,
} from '../../../packages/webcrawl/internal.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { damage } from '../../support/stores/damage.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { START, testCrawl, type TestCrawl } from '../../support/test-crawl.js';

type Fields = NonNullable<PageChange['set']>;

const FETCHED: Fields = { status: 'fetched', bodyBytes: 100, fetchMs: 10 };

async function put(crawl: OpenContext, urls: readonly string[], set: Fields = FETCHED): Promise<void> {
  await crawl.tables.pages.write(urls.map((url) => ({ key: rowKeyOf(url), set })));
}

const numbered = (start: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${start}${i}`);

async function read(crawl: OpenContext, selection: PrefixSelection = {}): Promise<PrefixNode[]> {
  const nodes: PrefixNode[] = [];
  for await (const node of prefixStatistics.read(crawl, selection)) nodes.push(node);
  return nodes;
}

/** `https://a.example/list? ?page 12` for each node. */
async function lines(crawl: OpenContext, selection?: PrefixSelection): Promise<string[]> {
  return (await read(crawl, selection)).map(
    ({ origin, prefix, parameter, rows }) =>
      `${origin}${prefix}${parameter === undefined ? '' : ` ${parameter}`} ${rows}`,
  );
}

/** The scopes for which a store has statistics. */
async function scopes(store: Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.scan('rule', { columns: ['r'] })) if (key.startsWith('s|')) keys.push(key.slice(2));
  return keys;
}

async function newsWeb(store: Store = new MemoryStore()): Promise<TestCrawl> {
  const crawl = await testCrawl(undefined, { store });
  await put(crawl, numbered('https://www.news.example/2026/a', 12));
  await put(crawl, numbered('https://www.news.example/list?page=', 15), { status: 'unfetched' });
  await put(crawl, numbered('https://news.example/tag/', 11), { status: 'gone' });
  await put(crawl, numbered('http://other.example/x/', 10), {
    ...FETCHED,
    relevant: true,
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
    await rules.add(crawl, { kind: 'relevant', pattern: { regex: 'x' } });
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
      relevant: 10,
      duplicates: 10,
      errors: 1,
      bytes: 1000,
      fetchMs: 100,
    });
    expect(await prefixStatistics.latest(crawl)).toEqual({
      madeAt: START + 1000,
      rulesVersion: await crawl.tables.rules.version(),
      min: 10,
      depth: 16,
      total: expect.objectContaining({ rows: 49, errors: 12, bytes: 2200 }) as unknown,
      origins: 3,
      parametersOverLimit: 0,
    });
  });

  test('are of one domain if one is named; the newest that include it are read', async () => {
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
    // The older statistics of the domain are removed.
    expect(await scopes(crawl.tables.store)).toEqual(['*']);

    crawl.setTime(START + 2000);
    await prefixStatistics.make(crawl, { domain: 'other.example', depth: 0 });
    expect(await lines(crawl, { domain: 'other.example' })).toEqual(OTHER.slice(0, 1));
    expect(await lines(crawl)).toEqual([...now, ...OTHER]);
  });

  test('can be read with a larger minimum size and a smaller depth', async () => {
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
  ])('of %j do not exist: %s', async (selection, code) => {
    await using crawl = await testCrawl(undefined);
    await expect(prefixStatistics.make(crawl, selection)).rejects.toMatchObject({ code });
    await expect(read(crawl, selection)).rejects.toMatchObject({ code });
  });

  test('of an empty table exist and are empty', async () => {
    await using crawl = await testCrawl(undefined);
    expect((await prefixStatistics.make(crawl)).counters).toEqual({});
    expect(await prefixStatistics.latest(crawl)).toMatchObject({ total: { rows: 0, statuses: {} }, origins: 0 });
    expect(await read(crawl)).toEqual([]);
  });

  test('count what can be read of a damaged row', async () => {
    await using crawl = await testCrawl(undefined);
    await put(crawl, ['http://a.example/1', 'http://a.example/2']);
    await damage(crawl, 'http://a.example/1', 'status');
    expect((await prefixStatistics.make(crawl, { min: 1 })).counters).toMatchObject({ rows: 2, damaged: 1 });
    expect(await read(crawl)).toMatchObject([{ rows: 2, statuses: { fetched: 1 }, bytes: 200 }]);
  });

  test('after a kill at any write are the old ones or the new ones', async () => {
    const before = new MemoryStore();
    await using first = await newsWeb(before);
    await prefixStatistics.make(first, { domain: 'news.example' });
    first.setTime(START + 1);
    await prefixStatistics.make(first, { min: 12 });
    const old = await lines(first);
    for (let failAt = 1; ; failAt++) {
      const store = await copyStore(before);
      await using dying = await testCrawl(undefined, { store: new FailingStore(store, failAt) });
      dying.setTime(START + 2);
      const isDead = await prefixStatistics.make(dying).then(
        () => false,
        (error: unknown) => error instanceof PlannedFailure,
      );
      expect([old, [...NEWS, ...OTHER]]).toContainEqual(await lines(dying));
      if (!isDead) return expect(failAt).toBeGreaterThan(1);
    }
  });

  test('stay the same if a run is stopped', async () => {
    const store = new MemoryStore();
    await using crawl = await newsWeb(store);
    await prefixStatistics.make(crawl);
    const old = await read(crawl);
    await put(crawl, numbered('http://h.example/x/', 1200));
    await using stopping = await testCrawl(undefined, { store });
    const stop = AbortSignal.abort();
    expect(await prefixStatistics.make(stopping, { min: 1, signal: stop })).toMatchObject({ interrupted: true });
    expect(await read(crawl)).toEqual(old);
  });

  test('are read completely from the old ones while new ones are written', async () => {
    await using crawl = await newsWeb();
    await prefixStatistics.make(crawl);
    const found: number[] = [];
    for await (const { rows } of prefixStatistics.read(crawl)) {
      if (found.length === 0) await prefixStatistics.make(crawl, { min: 20 });
      found.push(rows);
    }
    expect(found).toHaveLength(NEWS.length + OTHER.length);
    expect(await lines(crawl)).toEqual(NEWS.slice(0, 1));
  });

  test.each([['r:p'], ['r:s']] as const)(
    'do not exist while %s cannot be read, until they are computed again',
    async (column) => {
      const store = new MemoryStore();
      await using crawl = await newsWeb(store);
      await prefixStatistics.make(crawl, { min: 1 });
      await store.write('rule', [{ key: 's|*', put: new Map([[column, Buffer.from('{')]]) }]);
      expect(await lines(crawl)).toEqual([]);
      await prefixStatistics.make(crawl);
      expect(await lines(crawl)).toEqual([...NEWS, ...OTHER]);
    },
  );

  test('and rules do not affect each other', async () => {
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
