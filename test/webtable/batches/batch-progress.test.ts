import { describe, expect, it } from 'vitest';
import { MemoryStore, openTables, type Store, type Tables } from '../../../packages/webcrawl/internal.js';
import type { BatchStep, SlotProgress } from '../../../webtable/index.js';
import { VersionedRows, VersionedStore } from '../../support/versions/versioned-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';

const STORES: readonly (readonly [name: string, make: () => Store])[] = [
  ['a store of one process', () => new MemoryStore()],
  ['a store that processes share', () => new VersionedStore(randomNumbers(1))],
];

const noted = async ({ batches }: Tables, batchId: string): Promise<Record<string, SlotProgress>> =>
  Object.fromEntries(await batches.progress(batchId));

describe.each(STORES)('the progress of the slots of a batch, on %s', (_, make) => {
  const open = (): Promise<Tables> => openTables(make(), { slots: 4 });

  it('is what was stored last; other slots have none', async () => {
    const tables = await open();
    const { batches } = tables;
    await batches.changeProgress('1-1', ['00', '02'], () => ({ generated: 7 }));
    await batches.changeProgress('1-1', ['02', '03'], (before, slot) =>
      slot === '03' ? undefined : { ...before, fetched: true },
    );
    expect(await noted(tables, '1-1')).toEqual({ '00': { generated: 7 }, '02': { generated: 7, fetched: true } });
    expect(await noted(tables, '1-2')).toEqual({});
  });

  it('is removed with its batch, and that of a batch with a longer id is not', async () => {
    const tables = await open();
    const { batches } = tables;
    for (const batchId of ['1-1', '1-10', '1-1a']) {
      await batches.changeProgress(batchId, tables.slots.all, () => ({ generated: 1 }));
    }
    expect([...(await batches.noted())].sort()).toEqual(['1-1', '1-10', '1-1a']);
    await batches.forget('1-1');
    expect(await batches.noted()).toEqual(['1-10', '1-1a']);
    expect(Object.keys(await noted(tables, '1-10'))).toEqual(tables.slots.all);
    expect(await noted(tables, '1-1')).toEqual({});
  });

  it.each<[BatchStep, 'open' | 'updated', SlotProgress, SlotProgress]>([
    ['fetch', 'open', { generated: 1 }, { fetched: true }],
    ['fetch', 'open', { fetched: true, waiting: 1 }, { fetched: true }],
    ['parse', 'open', { fetched: true }, { fetched: true, parsed: true }],
    ['parse', 'open', { fetched: true, waiting: 2 }, { fetched: true, parsed: true }],
    ['index', 'updated', { released: true }, { indexed: true }],
  ])('%s of a batch that is %s is done when the last slot goes from %o to %o', async (step, state, before, after) => {
    const { batches, slots } = await open();
    await batches.change('1-1', () => ({ state, size: 9 }));
    expect(await batches.isDone('1-1', step)).toBe(false);
    await batches.changeProgress('1-1', slots.all, (_, slot) => (slot === '03' ? before : after));
    expect(await batches.isDone('1-1', step)).toBe(false);
    await batches.changeProgress('1-1', ['03'], () => after);
    expect(await batches.isDone('1-1', step)).toBe(true);
  });
});

describe('workers that store progress at the same time', () => {
  it('do not overwrite each other, also if changes are refused', async () => {
    const random = randomNumbers(5);
    const store = new VersionedStore(random, { refused: 0.1 });
    const { slots } = await openTables(store, { slots: 2 });
    const worker = async (): Promise<void> => {
      const { batches } = await openTables(store.forProcess());
      for (let n = 0; n < 20; n++) {
        const some = random() < 0.5 ? slots.all : ['00'];
        await batches.changeProgress('1-1', some, (before, slot) => ({
          ...before,
          waiting: (before?.waiting ?? 0) + (slot === '00' ? 1 : 0),
        }));
      }
    };
    await Promise.all([worker(), worker(), worker()]);
    const { batches } = await openTables(store);
    expect((await batches.progress('1-1')).get('00')).toEqual({ waiting: 60 });
  });

  it('decide again on the basis of what another has stored in between', async () => {
    const rows = new VersionedRows();
    const a = new OvertakenStore(() => 0, {}, rows);
    const tables = await openTables(a, { slots: 2 });
    const others = await openTables(new VersionedStore(() => 0, {}, rows));
    a.before = () => others.batches.changeProgress('1-1', ['00'], () => ({ waiting: 1 }));
    const seen: (SlotProgress | undefined)[] = [];
    await tables.batches.changeProgress('1-1', ['00', '01'], (before, slot) => {
      if (slot === '00') seen.push(before);
      return before?.waiting === undefined ? { fetched: true } : undefined;
    });
    expect(seen).toEqual([undefined, { waiting: 1 }]);
    expect(await noted(tables, '1-1')).toEqual({ '00': { waiting: 1 }, '01': { fetched: true } });
  });
});

/** Once, another worker gets a turn between a read and the write based on it. */
class OvertakenStore extends VersionedStore {
  before: (() => Promise<void>) | undefined;

  override async writeUnchanged(...args: Parameters<VersionedStore['writeUnchanged']>): Promise<boolean[]> {
    const { before } = this;
    this.before = undefined;
    await before?.();
    return super.writeUnchanged(...args);
  }
}
