import { describe, expect, it } from 'vitest';
import { jobs, openTables, rowKeyOf, type PageChange, type Tables } from '../../../packages/webcrawl/internal.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { START, testCrawl } from '../../support/test-crawl.js';
import { TimedStore } from '../../support/stores/timed-store.js';
import { holdSlots } from '../../support/hold-slots.js';
import { seeds } from '../../support/runs.js';

const KEYS = Array.from({ length: 9 }, (_, i) => rowKeyOf(`http://h${i % 3}.com/${i}`));

describe('changeRows, on a store that several processes use', () => {
  it.each(seeds(20, 100))('loses no update of concurrent tasks, and repair finds nothing: seed %i', async (seed) => {
    const random = randomNumbers(seed);
    const pick = (n: number): number => Math.floor(random() * n);
    const store = new TimedStore(random);
    const expected = new Map<string, number>();

    /** Other parts of a change, besides counting. */
    const other = (isHeld: boolean): Partial<PageChange> => {
      const kind = pick(5);
      if (kind === 0) return { set: { score: pick(3) } };
      if (kind === 1) return { set: { dueAt: START + (pick(3) - 1) * 1000 } };
      if (kind === 2) return { marks: { generate: isHeld ? null : 'b-1' } };
      if (kind === 3) return { set: { refusedBy: `cause-${pick(2)}` } };
      return { set: { status: 'fetched' } };
    };
    const count = (tables: Tables, keys: readonly string[]): Promise<void> => {
      for (const key of keys) expected.set(key, (expected.get(key) ?? 0) + 1);
      return tables.changeRows(keys, ['cash'], START, (rows, left) =>
        rows.map((row, i) => {
          const { set, ...rest } = other(row?.marks?.generate !== undefined);
          return { key: left[i]!, ...rest, set: { ...set, cash: (row?.cash ?? 0) + 1 } };
        }),
      );
    };
    const tables = await openTables(store);
    const held = await holdSlots(tables);
    const task = async (): Promise<void> => {
      for (let i = 0; i < 12; i++) {
        await count(tables, [...new Set(Array.from({ length: 1 + pick(4) }, () => KEYS[pick(KEYS.length)]!))]);
        if (pick(4) === 0) await tables.frontier.promote(START, START + pick(2) * 1000);
      }
    };
    await Promise.all(Array.from({ length: 4 }, task));
    await held.release();

    await using crawl = await testCrawl(undefined, { store: store.forProcess() });
    const found = new Map<string, number>();
    for await (const { key, cash } of crawl.tables.pages.scan({ fields: ['cash'] })) found.set(key, cash ?? 0);
    expect(found).toEqual(new Map([...expected].sort(([a], [b]) => (a < b ? -1 : 1))));
    await crawl.tables.batches.change('b-1', () => ({ state: 'open', size: 0 }));
    const { rows } = (await jobs.repair(crawl)).counters;
    expect((await jobs.repair(crawl)).counters).toEqual({ rows });
  });
});
