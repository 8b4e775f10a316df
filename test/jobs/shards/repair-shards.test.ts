import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, openTables, rowKeyOf, type Crawl, type Store } from '../../../packages/webcrawl/index.js';
import type { RowChange } from '../../../webtable/index.js';
import { copyStore, dumpStore } from '../../support/stores/copy-store.js';
import { countingStore } from '../../support/stores/counting-store.js';
import { lostRows } from '../../support/versions/crossing-steps.js';
import { VersionedStore } from '../../support/versions/versioned-store.js';
import { fakeWeb, randomNumbers, randomWeb } from '../../support/web/fake-web.js';
import { select, start } from '../../support/job-steps.js';
import { START, testCrawl } from '../../support/test-crawl.js';
import { runs } from '../../support/runs.js';

const SLOTS = 7;

/** A table in the middle of its work, as in the tests of repair, in `SLOTS` slots. */
async function busyTable(seed: number): Promise<MemoryStore> {
  const { pages, seeds } = randomWeb(seed, 120, 5);
  const store = new MemoryStore();
  await openTables(store, { slots: SLOTS });
  const crawl = await testCrawl(fakeWeb(pages), { store });
  await jobs.crawl(crawl, { seeds, stay: 'any', rounds: 3 });
  await jobs.inject(crawl, {
    seeds: Array.from({ length: 30 }, (_, i) => `http://new${i % 3}.com/${i}\tscore=${i % 4}`),
  });
  await jobs.fetch(crawl, { batch: await select(crawl, 10), parse: true });
  await select(crawl, 10);
  return store;
}

/** Damages a table in each way that repair mends. */
async function damageAll(store: Store, random: () => number): Promise<void> {
  const tables = await openTables(store);
  const before = await dumpStore(store);
  const clearSome = async (table: 'frontier' | 'batch' | 'host', part: number, isOne: (key: string) => boolean) => {
    const rows = before[table]!.filter(({ key }) => isOne(key) && random() < part);
    expect(rows, table).not.toEqual([]);
    const changes = rows.map(({ key }): RowChange => ({ key, clear: true }));
    await store.write(table, changes);
  };
  const isFence = (key: string): boolean => key.endsWith('}');
  const open = (await tables.batches.list()).map(({ batchId }) => batchId);
  expect(open).toHaveLength(2);
  // Of queues, heads and notes; of the index of batches; hosts of seeds; the header of one of two batches.
  await clearSome('frontier', 0.4, (key) => !isFence(key));
  await clearSome('batch', 0.4, (key) => key.startsWith('e') && !isFence(key));
  await clearSome('host', 0.5, () => true);
  await clearSome('batch', 1, (key) => key === `h|${open[0]}`);
  // Rows that are gone, and that changed behind the indexes.
  for (const { key } of before['webpage']!) {
    const kind = Math.floor(random() * 20);
    if (kind === 0) await store.write('webpage', [{ key, clear: true }]);
    if (kind === 1) await tables.pages.write([{ key, set: { score: 7 } }]);
    if (kind === 2) await tables.pages.write([{ key, set: { dueAt: START - 5 } }]);
    if (kind === 3) await tables.pages.write([{ key, marks: { generate: null } }]);
    if (kind === 4) await tables.batches.enter('1600000000-1', [{ rowKey: key, queue: 'else.com' }]);
  }
  for (const { key } of before['content']!) if (random() < 0.3) await store.write('content', [{ key, clear: true }]);
  // How far the work was on what is gone, and on what is only without its header.
  await tables.batches.changeProgress('1600000000-2', tables.slots.all, () => ({ fetched: true }));
  await tables.batches.changeProgress(open[0]!, tables.slots.all, () => ({ fetched: true }));
}

/** The same in a table that many share. */
const shared = (store: Store, seed: number): Promise<VersionedStore> =>
  copyStore(store, new VersionedStore(randomNumbers(seed)));

/** All that a repair is about: rows and indexes, not who ran it, nor how often a version was written. */
async function stateOf(store: Store): Promise<unknown> {
  const { webpage, frontier, batch, host } = await dumpStore(store);
  const tables = await openTables(store);
  const headers = (await tables.batches.list()).map(({ found: _, ...header }) => header);
  // Of a host without rows in its queue a shared store keeps a note all the same.
  const isNote = (key: string): boolean => key.endsWith('|~');
  const plain = (rows: typeof webpage = []) => rows.map(({ key, cells }) => [key, [...cells].map(String)]);
  return {
    webpage: plain(webpage),
    frontier: plain(frontier).filter(([key]) => !isNote(String(key))),
    batch: plain(batch).filter(([key]) => !String(key).startsWith('h|')),
    headers,
    host: plain(host),
  };
}

const repairOf = async (store: Store, shard?: { index: number; count: number }) => {
  const crawl = await testCrawl(undefined, { store });
  const { counters } = await jobs.repair(crawl, shard ? { shard } : {});
  return counters;
};

function add(sum: Record<string, number>, counters: Readonly<Record<string, number>>): void {
  for (const [name, n] of Object.entries(counters)) sum[name] = (sum[name] ?? 0) + n;
}

function shuffled(count: number, random: () => number): number[] {
  const order = Array.from({ length: count }, (_, i) => ({ i, at: random() }));
  return order.sort((a, b) => a.at - b.at).map(({ i }) => i);
}

describe('repair in shards', () => {
  it('mends the same as one repair, in any order of the shards', async () => {
    for (let seed = 1; seed <= runs(2, 8); seed++) {
      const random = randomNumbers(seed);
      const broken = await busyTable(seed);
      await damageAll(broken, random);
      const whole = await shared(broken, seed);
      const counters = await repairOf(whole);
      expect(Object.keys(counters)).toEqual(
        expect.arrayContaining(
          'missing_frontier missing_batch missing_header missing_seed_host stale_frontier stale_batch stale_progress lost_body_due'.split(
            ' ',
          ),
        ),
      );

      const count = 2 + Math.floor(random() * (SLOTS - 1));
      const parts = await shared(broken, seed);
      const sum: Record<string, number> = {};
      const order = shuffled(count, random);
      for (const index of order) add(sum, await repairOf(parts, { index, count }));
      expect(await stateOf(parts), `seed ${seed}, ${order.join()} of ${count}`).toEqual(await stateOf(whole));
      // What one finds stale another may have found missing first; each row is read once.
      expect(sum).toMatchObject({ rows: counters.rows!, missing_header: 1, lost_body: counters.lost_body! });
      expect(await repairOf(parts), 'nothing is left').toEqual({
        rows: counters.rows,
        lost_body: counters.lost_body,
      });
      expect(await lostRows(await openTables(parts))).toEqual([]);
    }
  });

  it('mends the same when all shards run at once', async () => {
    for (let seed = 11; seed <= 14; seed++) {
      const random = randomNumbers(seed);
      const broken = await busyTable(seed);
      await damageAll(broken, random);
      const whole = await shared(broken, seed);
      const { rows, lost_body } = await repairOf(whole);
      const parts = await shared(broken, seed);
      await Promise.all([0, 1, 2].map((index) => repairOf(parts.forProcess(), { index, count: 3 })));
      expect(await repairOf(parts), `seed ${seed}`).toEqual({ rows, lost_body });
      expect(await stateOf(parts)).toEqual(await stateOf(whole));
    }
  });

  it('works on a table that one process has, too', async () => {
    const broken = await busyTable(3);
    await damageAll(broken, randomNumbers(3));
    const whole = await copyStore(broken);
    await repairOf(whole);
    for (const index of [2, 0, 1]) await repairOf(broken, { index, count: 3 });
    expect(await stateOf(broken)).toEqual(await stateOf(whole));
  });

  it('reads each row once, and once more to find where to split', async () => {
    const store = await busyTable(5);
    const rows = (await dumpStore(store))['webpage']!.length;
    const readBy = async (run: (store: Store) => Promise<unknown>): Promise<number> => {
      const counting = countingStore(await copyStore(store));
      const crawl = await openTables(counting);
      await run(counting);
      await crawl.close();
      return counting.rowsRead['webpage']!;
    };
    const alone = await readBy((store) => repairOf(store));
    const inShards = await readBy(async (store) => {
      for (const index of [0, 1, 2, 3, 4]) await repairOf(store, { index, count: 5 });
    });
    expect(inShards - alone).toBe(rows);
  });

  it('splits the rows as the shards of an earlier run did, which may not have come to its end, and anew after a week', async () => {
    const store = await shared(await busyTable(6), 6);
    const crawl = await testCrawl(undefined, { store });
    const repairShard = async (index: number): Promise<number> =>
      (await jobs.repair(crawl, { shard: { index, count: 2 } })).counters.rows ?? 0;
    const before = await repairShard(1);
    const seeds = Array.from({ length: 200 }, (_, i) => `http://later${i}.com/`);
    await jobs.inject(crawl, { seeds });
    const clear = (await dumpStore(store))['frontier']!.map(({ key }): RowChange => ({ key, clear: true }));
    await store.write('frontier', clear);
    const after = [await repairShard(0), await repairShard(1)];
    expect(await lostRows(crawl.tables)).toEqual([]);
    const rows = (await dumpStore(store))['webpage']!.length;
    expect(after[0]! + after[1]!).toBe(rows);
    // All that is new lies behind the key that split the old ones.
    expect(after[1]).toBe(before + 200);
    crawl.setTime(START + 8 * 86_400_000);
    expect([await repairShard(0), await repairShard(1)]).toEqual([Math.floor(rows / 2), Math.ceil(rows / 2)]);
  });

  it('does not run beside another job, and says which', async () => {
    const store = await shared(await busyTable(7), 7);
    const worker: Crawl = await testCrawl(undefined, { store });
    const held = await worker.tables.leases.take(['01'], { job: 'fetch', wait: 0 });
    const crawl = await testCrawl(undefined, { store });
    await expect(jobs.repair(crawl, { shard: { index: 0, count: SLOTS }, leaseWait: 0 })).rejects.toMatchObject({
      code: 'LEASE_HELD',
      exitCode: 75,
      message: expect.stringMatching(
        /^expected no other job on the table while it is repaired, found that .* \(fetch\)$/,
      ) as string,
    });
    await held.release();
    const other = await worker.tables.leases.take(['01'], { job: 'repair', wait: 0 });
    expect((await jobs.repair(crawl, { shard: { index: 0, count: SLOTS } })).job).toBe('repair');
    await other.release();
  });

  it('can be killed: nothing that it has noted hides a row from the next run', async () => {
    const crawl = await testCrawl(fakeWeb({ 'http://a.com/': 'x' }), { store: new VersionedStore(() => 0) });
    await start(crawl, 'http://a.com/');
    const controller = new AbortController();
    controller.abort();
    const stopped = await jobs.repair(crawl, { shard: { index: 0, count: 2 }, signal: controller.signal });
    expect(stopped.interrupted).toBe(true);
    await crawl.tables.store.write('batch', [
      {
        key: (await dumpStore(crawl.tables.store))['batch']!.find(({ key }) => key.endsWith(rowKeyOf('http://a.com/')))!
          .key,
        clear: true,
      },
    ]);
    const sum: Record<string, number> = {};
    for (const index of [1, 0]) add(sum, (await jobs.repair(crawl, { shard: { index, count: 2 } })).counters);
    expect(sum).toEqual({ rows: 1, missing_batch: 1 });
  });
});
