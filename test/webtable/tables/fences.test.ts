import { describe, expect, it } from 'vitest';
import { MemoryStore, openTables, type Tables } from '../../../webtable/index.js';
import { createFrontierKeys } from '../../../webtable/frontier/frontier-keys.js';
import type { TableName } from '../../../webtable/schema.js';
import { hostKeyOf } from '../../../webtable/keys/host-key.js';
import type { KeyRange } from '../../../webtable/store.js';
import { changeRows } from '../../support/stores/put-rows.js';

const NOW = 1000;
const columns: Partial<Record<TableName, string>> = { frontier: 'f', batch: 'b' };

/** The first key at or after the end of a range, at which a scan of LevelDB stops. */
async function rest({ store }: Tables, table: TableName, { end = '' }: KeyRange): Promise<string | undefined> {
  for await (const { key } of store.scan(table, {
    ranges: [{ start: end }],
    columns: [`${columns[table]}:*`],
    limit: 1,
  }))
    return key;
  return undefined;
}

describe('fences', () => {
  it('are in the same slot after each zone, whatever the other zones have', async () => {
    const tables = await openTables(new MemoryStore());
    const keys = createFrontierKeys(tables.slots);
    for (const slot of tables.slots.all) {
      expect(await rest(tables, 'frontier', keys.heads(slot))).toBe(`${slot}h}`);
      expect(await rest(tables, 'frontier', keys.queues(slot))).toBe(`${slot}q}`);
      expect(await rest(tables, 'frontier', keys.refusedBy(slot, 'distance-3'))).toBe(`${slot}r}`);
      expect(await rest(tables, 'frontier', keys.refusedFrom(slot, ''))).toBe(`${slot}r}`);
      expect(await rest(tables, 'frontier', keys.timedUntil(slot, 1e12))).toBe(`${slot}t}`);
      for (const zone of ['e', 'u'])
        expect(await rest(tables, 'batch', { start: '', end: `${zone}${slot}|1-2}` })).toBe(`${zone}${slot}}`);
    }
    for (const zone of ['h', 'w']) expect(await rest(tables, 'batch', { start: '', end: `${zone}}` })).toBe(`${zone}}`);
  });

  it('are the note of the host after a queue that has rows', async () => {
    const tables = await openTables(new MemoryStore());
    await changeRows({ tables }, [{ key: 'com.a:http/', set: { dueAt: 1, score: 3 } }], NOW);
    const keys = createFrontierKeys(tables.slots);
    expect(await rest(tables, 'frontier', keys.dueRows(hostKeyOf('a.com'), 3))).toMatch(/^..qcom\.a\|~$/);
  });

  it('are no entries, and stay when the entries before them are removed', async () => {
    const tables = await openTables(new MemoryStore());
    const found = async ({ batches, frontier }: Tables) => {
      const entries: unknown[] = [];
      for await (const step of frontier.entries()) entries.push(...step);
      for await (const step of batches.allEntries()) entries.push(...step);
      return [...entries, ...(await batches.list())];
    };
    const fences = async (): Promise<number> => {
      let count = 0;
      for (const [table, family] of Object.entries(columns))
        for await (const { key } of tables.store.scan(table as TableName, { columns: [`${family}:*`] }))
          if (key.endsWith('}')) count += 1;
      return count;
    };
    const all = await fences();
    expect(all).toBeGreaterThan(0);
    expect(await found(tables)).toEqual([]);
    await tables.batches.change('1-2', () => ({ state: 'open', size: 1 }));
    await tables.batches.enter('1-2', [{ rowKey: 'com.a:http/', queue: 'a.com' }]);
    await changeRows({ tables }, [{ key: 'com.b:http/', set: { dueAt: 1, score: 3 } }], NOW);
    expect(await found(tables)).toHaveLength(3);
    expect(await found(await openTables(tables.store))).toHaveLength(3);
    await tables.batches.abandon('1-2');
    await tables.removeRows(['com.b:http/'], [], NOW, () => [true]);
    expect(await found(tables)).toEqual([]);
    expect(await fences()).toBe(all);
  });
});
