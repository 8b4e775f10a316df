import { describe, expect, it } from 'vitest';
import { MemoryStore, openTables, allBatchEntries, allEntries, listBatches, putBatch } from '../../webtable/index.js';
import { batchEntry, queueEntry, writeBatchIndex } from '../../webtable/tables/batches.js';
import { writeFences } from '../../webtable/tables/fences.js';
import { dueRange, headRange, timedRange } from '../../webtable/tables/frontier-keys.js';
import { ALL_SLOTS } from '../../webtable/keys/partition.js';
import { promote, writeIndexed } from '../../webtable/tables/frontier.js';
import type { TableName } from '../../webtable/schema.js';
import type { KeyRange } from '../../webtable/store.js';

const clock = { now: 1000, lockExpiry: 10 };

/** The first key at or after the end of a range, where a scan of LevelDB comes to rest. */
async function rest(store: MemoryStore, table: TableName, { end = '' }: KeyRange): Promise<string | undefined> {
  for await (const { key } of store.scan(table, {
    ranges: [{ start: end }],
    columns: [`${columns[table]}:*`],
    limit: 1,
  }))
    return key;
  return undefined;
}
const columns: Partial<Record<TableName, string>> = { frontier: 'f', batch: 'b' };

describe('fences', () => {
  it('stand in the same slot behind the heads and the timed entries, whatever is in the others', async () => {
    const store = new MemoryStore();
    await openTables(store);
    for (const slot of ALL_SLOTS) {
      expect(await rest(store, 'frontier', headRange(slot))).toBe(`${slot}h}`);
      expect(await rest(store, 'frontier', timedRange(slot, 1e12))).toBe(`${slot}t}`);
      expect(await rest(store, 'batch', { start: '', end: `e${slot}|1-2}` })).toBe(`e${slot}}`);
    }
    expect(await rest(store, 'batch', { start: '', end: 'q|1-2}' })).toBe('q}');
    expect(await rest(store, 'batch', { start: '', end: 'h}' })).toBe('h}');
  });

  it('are the note of the host behind a queue that has rows', async () => {
    const store = new MemoryStore();
    const table = await openTables(store);
    const change = { key: 'com.a:http/', set: { dueAt: 1, score: 3 } };
    await writeIndexed(table, [{ before: undefined, change }], clock);
    expect(await rest(store, 'frontier', dueRange('com.a', 3))).toMatch(/^..qcom\.a\|~$/);
  });

  it('stand behind what is due by time while it is moved into queues, and go again', async () => {
    const store = new MemoryStore();
    const table = await openTables(store);
    const change = { key: 'com.a:http/', set: { dueAt: 2000, score: 3 } };
    await writeIndexed(table, [{ before: undefined, change }], clock);
    const ends = ALL_SLOTS.map((slot) => timedRange(slot, 3000).end);
    const there = async () => (await store.get('frontier', ends as string[], ['f:*'])).filter(Boolean).length;
    let during = 0;
    const scan = store.scan.bind(store);
    store.scan = async function* (...args) {
      during = Math.max(during, await there());
      yield* scan(...args);
    };
    expect(await promote(table, 3000)).toBe(1);
    expect(during).toBe(ALL_SLOTS.length);
    expect(await there()).toBe(0);
  });

  it('that a killed run has left hide nothing that is due, and go', async () => {
    const store = new MemoryStore();
    const table = await openTables(store);
    const changes = Array.from({ length: 2500 }, (_, i) => ({
      before: undefined,
      change: { key: `com.a:http/${i}`, set: { dueAt: 2000 + i, score: 3 } },
    }));
    await writeIndexed(table, changes, clock);
    const strays = [2100, 2101, 3000].flatMap((now) => ALL_SLOTS.map((slot) => timedRange(slot, now).end!));
    await writeFences(store, 'frontier', strays);
    expect(await promote(table, 5000)).toBe(2500);
    expect((await store.get('frontier', strays, ['f:*'])).filter(Boolean)).toEqual([]);
    expect(await promote(table, 5000)).toBe(0);
  });

  it('are no entries, and stay when what is in front of them goes', async () => {
    const store = new MemoryStore();
    const table = await openTables(store);
    const found = async () => {
      const entries: unknown[] = [];
      for await (const entry of allEntries(store)) entries.push(entry);
      for await (const entry of allBatchEntries(store)) entries.push(entry);
      return [...entries, ...(await listBatches(store))];
    };
    expect(await found()).toEqual([]);
    await putBatch(store, { batchId: '1-2', state: 'open', size: 1 });
    await writeBatchIndex(store, [queueEntry('1-2', 'a.com', 'a.com'), batchEntry('1-2', 'com.a:http/')]);
    const change = { key: 'com.a:http/', set: { dueAt: 1, score: 3 } };
    await writeIndexed(table, [{ before: undefined, change }], clock);
    expect(await found()).toHaveLength(3);
    await openTables(store);
    expect(await found()).toHaveLength(3);
  });
});
