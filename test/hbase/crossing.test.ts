import { describe, expect, inject, it } from 'vitest';
import { openHBaseStore, type HBaseStore } from '../../packages/hbase/index.js';
import { openTables } from '../../webtable/index.js';
import { hbaseTables } from '../support/hbase/hbase-tables.js';
import { expireLeases, holdSlots } from '../support/hold-slots.js';
import { KEYS, lostRows, step } from '../support/table-steps.js';
import { runs } from '../support/runs.js';
import { randomNumbers } from '../support/web/fake-web.js';

const hbase = inject('hbase');
const PROCESSES = 4;
const STEPS = 4;
const SEEDS = runs(4, 40);

describe.skipIf(!hbase)('processes on a real HBase', () => {
  /** Opens new tables for each process. */
  async function openAll(): Promise<HBaseStore[]> {
    const url = await hbaseTables(hbase!);
    const stores = await Promise.all(Array.from({ length: PROCESSES }, () => openHBaseStore(url)));
    await openTables(stores[0]!, { slots: 1 });
    return stores;
  }

  it('leave an index entry for each row, while they take the slots from each other', async () => {
    const lost: string[] = [];
    for (let seed = 0; seed < SEEDS; seed++) {
      const stores = await openAll();
      const writer = async (store: HBaseStore, i: number): Promise<void> => {
        const random = randomNumbers(seed * PROCESSES + i);
        for (let n = 0; n < STEPS; n++) {
          const tables = await openTables(store);
          await expireLeases(tables);
          try {
            await holdSlots(tables);
            for (let own = 0; own < STEPS; own++) await step(tables, (below) => Math.floor(random() * below), own);
          } catch (error) {
            // Another process has taken the slots.
            expect(error).toMatchObject({ code: expect.stringMatching(/^LEASE_/) as string });
          }
          tables.leases.stop();
        }
      };
      await Promise.all(stores.map(writer));
      const tables = await openTables(stores[0]!);
      for (const key of await lostRows(tables)) lost.push(`seed ${seed}: ${key}`);
      expect((await tables.pages.getMany(KEYS, ['retries'])).some((row) => row?.retries !== undefined)).toBe(true);
      for (const store of stores) await store.close();
    }
    expect(lost).toEqual([]);
  });

  it('count every change of the header of a batch', async () => {
    const stores = await openAll();
    const writer = async (store: HBaseStore): Promise<void> => {
      const { batches } = await openTables(store);
      for (let i = 0; i < 10; i++) {
        await batches.change('1-1', (header) => ({ state: 'open', size: (header?.size ?? 0) + 1 }));
      }
    };
    await Promise.all(stores.map(writer));
    expect((await (await openTables(stores[0]!)).batches.get('1-1')).size).toBe(10 * PROCESSES);
    for (const store of stores) await store.close();
  });
});
