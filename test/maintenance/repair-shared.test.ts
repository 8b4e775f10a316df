import { describe, expect, it } from 'vitest';
import { MemoryStore, jobs, openTables, type Store } from '../../packages/webcrawl/internal.js';
import type { RowChange } from '../../webtable/index.js';
import { copyStore, dumpStore } from '../support/stores/copy-store.js';
import { createHostileTurns } from '../support/versions/hostile-turns.js';
import { lostRows } from '../support/table-steps.js';
import { TimedStore } from '../support/stores/timed-store.js';
import { fakeWeb, randomNumbers, randomWeb } from '../support/web/fake-web.js';
import { select } from '../support/job-steps.js';
import { START, testCrawl } from '../support/test-crawl.js';
import { runs } from '../support/runs.js';

const SLOTS = 7;

/** A table in the middle of its work, like in the tests of repair, with `SLOTS` slots. */
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

/** Damages a table in each way that repair can fix. */
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
  // Entries of queues, heads and notes; of the index of batches; hosts of seeds; the header of one of two batches.
  await clearSome('frontier', 0.4, (key) => !isFence(key));
  await clearSome('batch', 0.4, (key) => key.startsWith('e') && !isFence(key));
  await clearSome('host', 0.5, () => true);
  await clearSome('batch', 1, (key) => key === `d|${open[0]}`);
  // Rows that are gone, and rows that changed without their index entries.
  for (const { key } of before['webpage']!) {
    const kind = Math.floor(random() * 20);
    if (kind === 0) await store.write('webpage', [{ key, clear: true }]);
    if (kind === 1) await tables.pages.write([{ key, set: { score: 7 } }]);
    if (kind === 2) await tables.pages.write([{ key, set: { dueAt: START - 5 } }]);
    if (kind === 3) await tables.pages.write([{ key, marks: { generate: null } }]);
    if (kind === 4) await tables.batches.enter('1600000000-1', [{ rowKey: key, queue: 'else.com' }]);
  }
  for (const { key } of before['content']!) if (random() < 0.3) await store.write('content', [{ key, clear: true }]);
}

/** The same data in a shared table. */
const shared = (store: Store, seed: number): Promise<TimedStore> =>
  copyStore(store, new TimedStore(randomNumbers(seed)));

/** All that repair changes: rows and indexes, without the process that ran it, and without versions. */
async function stateOf(store: Store): Promise<unknown> {
  const { webpage, frontier, batch, host } = await dumpStore(store);
  const tables = await openTables(store);
  const headers = await tables.batches.list();
  // A shared store keeps a note even for a host without rows in its queue.
  const isNote = (key: string): boolean => key.endsWith('|~');
  const plain = (rows: typeof webpage = []) => rows.map(({ key, cells }) => [key, [...cells].map(String)]);
  return {
    webpage: plain(webpage),
    frontier: plain(frontier).filter(([key]) => !isNote(String(key))),
    batch: plain(batch),
    headers,
    host: plain(host),
  };
}

const repairOf = async (store: Store) => (await jobs.repair(await testCrawl(undefined, { store }))).counters;

describe('repair of a shared table', () => {
  it('repairs the same as in a table of one process', async () => {
    for (let seed = 1; seed <= runs(2, 8); seed++) {
      const broken = await busyTable(seed);
      await damageAll(broken, randomNumbers(seed));
      const alone = await copyStore(broken);
      const table = await shared(broken, seed);
      const counters = await repairOf(table);
      expect(Object.keys(counters)).toEqual(
        expect.arrayContaining(
          'missing_frontier missing_batch missing_header missing_seed_host stale_frontier stale_batch lost_body_due'.split(
            ' ',
          ),
        ),
      );
      expect(counters, `seed ${seed}`).toEqual(await repairOf(alone));
      expect(await stateOf(table)).toEqual(await stateOf(alone));
      const { rows, lost_body } = counters;
      expect(await repairOf(table), 'nothing is left').toEqual({ rows, lost_body });
    }
  });

  it('loses no row that another process injects meanwhile', async () => {
    for (let seed = 1; seed <= runs(20, 200); seed++) {
      const random = randomNumbers(seed);
      const store = new TimedStore(random);
      const urls = Array.from({ length: 12 }, (_, i) => `http://h${i % 3}.com/${i}`);
      await jobs.inject(await testCrawl(undefined, { store }), { seeds: urls.slice(0, 8) });
      const turns = createHostileTurns(random);
      const open = () =>
        testCrawl(undefined, {
          store: store.forProcess({ turn: turns.process() }),
          settings: { 'db.injectorUpdate': true },
        });
      await turns.run([
        open().then((crawl) => jobs.repair(crawl)),
        open().then(async (crawl) => {
          for (const url of urls) await jobs.inject(crawl, { seeds: [`${url}\tscore=${Math.floor(random() * 9)}`] });
        }),
      ]);
      expect(await lostRows(await openTables(store)), `seed ${seed}`).toEqual([]);
    }
  });
});
