import { describe, expect, it, vi } from 'vitest';
import { jobs, rowKeyOf, type OpenContext, type PageRow } from '../../packages/webcrawl/internal.js';
import { batchTime, urlOf, type RowChange } from '../../webtable/index.js';
import { copyStore, dumpStore } from '../support/stores/copy-store.js';
import { damage } from '../support/stores/damage.js';
import { fakeWeb, links, randomNumbers, randomWeb } from '../support/web/fake-web.js';
import { rowOf, select, start } from '../support/job-steps.js';
import { START, allRows, testCrawl } from '../support/test-crawl.js';

const A = 'http://a.com/';

/** A crawl in the middle of its work: rows of every kind, one batch fetched, one generated, one closed. */
async function busyCrawl(seed: number): Promise<OpenContext & { setTime(ms: number): void }> {
  const { pages, seeds } = randomWeb(seed, 120, 5);
  const crawl = await testCrawl(fakeWeb(pages));
  await jobs.crawl(crawl, { seeds, stay: 'any', rounds: 3 });
  await jobs.inject(crawl, {
    seeds: Array.from({ length: 30 }, (_, i) => `http://new${i % 3}.com/${i}\tscore=${i % 4}`),
  });
  const first = await select(crawl, 10);
  await jobs.fetch(crawl, { batch: first, parse: true });
  await select(crawl, 10);
  return crawl;
}

/** Clears random rows of a table; returns how many. */
async function clearSome(crawl: OpenContext, table: 'frontier' | 'batch', random: () => number): Promise<number> {
  const changes: RowChange[] = [];
  for (const { key } of (await dumpStore(crawl.tables.store))[table]!)
    if (random() < 0.4) changes.push({ key, clear: true });
  await crawl.tables.store.write(table, changes);
  return changes.length;
}

/** The rows that a scan finds due and free, best first. */
async function due(crawl: OpenContext): Promise<string[]> {
  const rows: PageRow<'dueAt' | 'score' | 'marks'>[] = [];
  const { lockExpirySeconds, minScore } = crawl.settings.generate;
  for await (const row of crawl.tables.pages.scan({ fields: ['dueAt', 'score', 'marks'] })) {
    const held = row.marks?.generate;
    const isHeld = held !== undefined && batchTime(held)! + lockExpirySeconds * 1000 > crawl.clock();
    if (!isHeld && row.dueAt! <= crawl.clock() && row.score! >= minScore) rows.push(row);
  }
  return rows.sort((a, b) => b.score! - a.score! || (a.key < b.key ? -1 : 1)).map((row) => row.key);
}

const keysOf = async (crawl: OpenContext, batchId: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const entries of crawl.tables.batches.entries(batchId))
    for (const { rowKey: key } of entries) keys.push(key);
  return keys;
};

describe('repair', () => {
  it('finds nothing to do in an intact table, and changes nothing', async () => {
    for (const seed of [1, 2, 3]) {
      await using crawl = await busyCrawl(seed);
      const before = await dumpStore(crawl.tables.store);
      const { counters } = await jobs.repair(crawl);
      expect(counters).toEqual({ rows: before['webpage']!.length });
      expect(await dumpStore(crawl.tables.store)).toEqual(before);
    }
    await using empty = await testCrawl(undefined);
    expect(await jobs.repair(empty)).toEqual({ job: 'repair', seconds: 0, counters: {} });
  });

  it('rebuilds lost index entries, so that all continues as before', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = randomNumbers(seed);
      const crawl = await busyCrawl(seed);
      const { pages } = randomWeb(seed, 120, 5);
      const store = await copyStore(crawl.tables.store);
      await using broken = await testCrawl(fakeWeb(pages), { store });
      await using whole = await testCrawl(fakeWeb(pages), { store: crawl.tables.store });
      // So that no batch gets the id of one whose header was lost.
      for (const each of [broken, whole]) each.setTime(START + 1000);
      // For the last seed, an empty frontier and no batches.
      const all = seed === 8 ? () => 0 : random;
      expect(await clearSome(broken, 'frontier', all)).toBeGreaterThan(0);
      expect(await clearSome(broken, 'batch', all)).toBeGreaterThan(0);
      const { counters } = await jobs.repair(broken);
      expect(counters.missing_frontier).toBeGreaterThan(0);
      expect(counters.missing_batch).toBeGreaterThan(0);
      expect((await jobs.repair(broken)).counters, 'a second time').toEqual({ rows: counters.rows });

      const expected = await due(broken);
      expect(await due(whole)).toEqual(expected);
      for (const each of [whole, broken]) {
        const batch = await select(each, 7);
        expect((await keysOf(each, batch)).sort(), `seed ${seed}`).toEqual(expected.slice(0, 7).sort());
        const open = (await each.tables.batches.list()).filter(({ state }) => state === 'open');
        expect(open).toHaveLength(3);
        await jobs.fetch(each, { batch: 'all', parse: true });
        await jobs.updatedb(each, { batch: 'all' });
      }
      const withoutIds = async (each: OpenContext): Promise<unknown> =>
        JSON.parse(JSON.stringify(await allRows(each)).replace(/"\d{10}-\d+"/g, '"batch"'));
      expect(await withoutIds(broken)).toEqual(await withoutIds(whole));
      expect((await jobs.repair(broken)).counters).toEqual({ rows: (await allRows(broken)).length });
    }
  });

  it('rebuilds the header of a batch whose rows are still held', async () => {
    await using crawl = await testCrawl(fakeWeb({ [A]: 'x', 'http://b.com/': 'x' }));
    const batch = await start(crawl, A, 'http://b.com/');
    await crawl.tables.store.write(
      'batch',
      ['h', 'd'].map((zone) => ({ key: `${zone}|${batch}`, clear: true })),
    );
    await expect(jobs.fetch(crawl, { batch })).rejects.toMatchObject({ code: 'UNKNOWN_BATCH' });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 2, missing_header: 1 });
    expect(await crawl.tables.batches.get(batch)).toEqual({ batchId: batch, state: 'open', size: 2 });
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 2, success: 2 });
  });

  it.each(['updated', 'closed'] as const)('releases a row whose batch is %s', async (state) => {
    await using crawl = await testCrawl(undefined);
    const batch = await start(crawl, A);
    await crawl.tables.batches.change(batch, () => ({ state, size: 1 }));
    expect((await jobs.generate(crawl)).counters).toEqual({});
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 1, void_mark: 1, stale_batch: 1 });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 1 });
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 1 });
  });

  it('removes entries without a matching row', async () => {
    await using crawl = await testCrawl(undefined);
    const batch = await start(crawl, A, 'http://b.com/', 'http://c.com/');
    await jobs.inject(crawl, { seeds: ['http://d.com/', 'http://e.com/'] });
    const before = await dumpStore(crawl.tables.store);
    const { store } = crawl.tables;
    // Rows that are gone, a row that is no longer in its batch, and a row whose score changed without its index entry.
    await store.write('webpage', [
      { key: rowKeyOf(A), clear: true },
      { key: rowKeyOf('http://d.com/'), clear: true },
    ]);
    await crawl.tables.pages.write([
      { key: rowKeyOf('http://e.com/'), set: { score: 7 } },
      { key: rowKeyOf('http://b.com/'), marks: { generate: null } },
    ]);
    await crawl.tables.batches.enter('1600000000-1', [{ rowKey: rowKeyOf('http://c.com/'), queue: 'c.com' }]);
    const write = vi.spyOn(store, 'write');
    const { counters } = await jobs.repair(crawl);
    // The entries of a step are removed together, whatever their batches.
    expect(write.mock.calls.filter(([table]) => table === 'batch').map(([, changes]) => changes.length)).toEqual([3]);
    expect(counters).toEqual({
      rows: 3,
      // b.com is no longer in the batch, and e.com needs another entry.
      missing_frontier: 2,
      // The old entry of e.com, and that of d.com, because a row in a batch has none.
      stale_frontier: 2,
      stale_batch: 3,
      // Those of a.com and d.com.
      stale_seed_host: 2,
    });
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
    expect(await keysOf(crawl, batch)).toEqual([rowKeyOf('http://c.com/')]);
    const again = await select(crawl);
    expect((await keysOf(crawl, again)).map(urlOf).sort()).toEqual(['http://b.com/', 'http://e.com/']);
    expect(before['webpage']).toHaveLength(5);
  });

  it('does not change the entries of rows that it cannot read, and counts them', async () => {
    await using crawl = await testCrawl(fakeWeb({ [A]: 'x' }));
    const batch = await start(crawl, A);
    await jobs.inject(crawl, { seeds: ['http://due.com/', 'http://late.com/'] });
    const undo = [
      await damage(crawl, A, 'dueAt'),
      await damage(crawl, 'http://due.com/', 'score'),
      await damage(crawl, 'http://late.com/', 'dueAt'),
    ];
    const before = await dumpStore(crawl.tables.store);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3, damaged: 3 });
    expect(await dumpStore(crawl.tables.store)).toEqual(before);
    // When they can be read again, for example from a copy of the disk, the table is as before.
    for (const each of undo) await each();
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 3 });
    expect((await jobs.fetch(crawl, { batch })).counters).toEqual({ fetched: 1, success: 1 });
    expect((await jobs.generate(crawl)).counters).toEqual({ generated: 2 });
  });

  it('allows a batch to be finished that updatedb was closing', async () => {
    for (const state of ['updating'] as const) {
      await using crawl = await testCrawl(fakeWeb({ [A]: links('/1') }));
      const batch = await start(crawl, A);
      await jobs.fetch(crawl, { batch, parse: true });
      const header = Buffer.from(JSON.stringify({ state, size: 1 }));
      await crawl.tables.store.write('batch', [{ key: `d|${batch}`, put: new Map([['b:h', header]]) }]);
      expect((await jobs.repair(crawl)).counters).toEqual({ rows: 1 });
      expect(await crawl.tables.batches.get(batch)).toMatchObject({ state });
      await jobs.updatedb(crawl, { batch });
      expect(await rowOf(crawl, A, 'status', 'marks')).toEqual({
        status: 'fetched',
        marks: { inject: 'y', updatedb: batch },
      });
    }
  });

  it('stops on an abort', async () => {
    await using crawl = await busyCrawl(1);
    await clearSome(crawl, 'frontier', () => 0);
    const report = await jobs.repair(crawl, { signal: AbortSignal.abort() });
    expect(report).toEqual({ job: 'repair', seconds: 0, counters: {}, interrupted: true });
  });

  it('waits for running jobs, and they wait for it', async () => {
    const web = fakeWeb({ [A]: links('/1'), 'http://a.com/1': 'x' });
    await using crawl = await testCrawl(web);
    const batch = await start(crawl, A);
    const order: string[] = [];
    const note = async (name: string, job: Promise<unknown>): Promise<void> => {
      await job;
      order.push(name);
    };
    const later: Promise<void>[] = [];
    web.onRequest = async () => {
      later.push(note('repair', jobs.repair(crawl)), note('updatedb', jobs.updatedb(crawl, { batch })));
      for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    };
    await note('fetch', jobs.fetch(crawl, { batch, parse: true }));
    await Promise.all(later);
    // The other two also run one after the other, in any order.
    expect([order[0], ...order.slice(1).sort()]).toEqual(['fetch', 'repair', 'updatedb']);
    expect((await jobs.repair(crawl)).counters).toEqual({ rows: 2 });
  });
});
