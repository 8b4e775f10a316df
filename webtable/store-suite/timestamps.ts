import type { Column, RowChange, StoredRow } from '../store.js';
import { bytes, cells, one, put, same, type StoreKit, type StoreTests } from './kit.js';

const COLUMN: Column = 'p:ti';
const BASE = 2 ** 50;

/** Helpers for the row of a test. Each test has its own row: the deletions of another one may hide lower timestamps. */
function rowOfTest({ store }: StoreKit, key: string) {
  return {
    key,
    at: (time: number, values: Readonly<Record<string, string>>): RowChange => ({
      ...put(key, values),
      record: null,
      at: BASE + time,
    }),
    rowOf: async (columns = ['p']): Promise<StoredRow | undefined> => (await store.get('webpage', [key], columns))[0],
    /** Sets the cell of the row if the row is as it was read. */
    async setIf(to: string | undefined, from: StoredRow | undefined): Promise<boolean> {
      const change = to === undefined ? { key, clear: true } : put(key, { [COLUMN]: to });
      const checked = { change, column: COLUMN, value: from?.cells.get(COLUMN), at: from?.at };
      return (await store.compareAndSet!('webpage', [checked]))[0]!;
    },
  };
}

/** Tests of stores that several processes change at the same time. */
export const timestamps: StoreTests = {
  title: 'timestamps and compare-and-set',
  isFor: ({ compareAndSet }) => compareAndSet !== undefined,
  tests({ it, each }) {
    each([one([10, 20]), one([20, 10])])(
      'of the changes of a cell at %j, the one with the highest timestamp counts',
      async (kit, times) => {
        const { key, at, rowOf } = rowOfTest(kit, `timed-1-${times.join('-')}`);
        for (const time of times) await kit.write(at(time, { [COLUMN]: `${time}` }));
        same(await kit.row(key), { [COLUMN]: '20' });
        same((await rowOf())?.at, BASE + 21);
      },
    );

    it('a change that clears a row hides a late one', async (kit) => {
      const { key, at } = rowOfTest(kit, 'timed-2');
      await kit.write(at(10, { 'm:sc': '1' }), { key, clear: true, at: BASE + 30 });
      await kit.write(at(20, { 'm:sc': '2' }));
      same(await kit.row(key), undefined);
    });

    it('a change that clears a row and puts cells keeps only those', async (kit) => {
      const { key, at } = rowOfTest(kit, 'timed-3');
      await kit.write(at(10, { 'l:o': 'old', 'm:sc': 'old' }), { ...at(20, { [COLUMN]: 'new' }), clear: true });
      same(await kit.row(key), { [COLUMN]: 'new' });
    });

    it('an empty change writes the record as it was read', async (kit) => {
      const { key, at, rowOf } = rowOfTest(kit, 'timed-4');
      await kit.write(at(10, { 'm:sc': '1' }));
      const record = (await rowOf(['m']))!.record ?? null;
      await kit.write({ key, record, at: BASE + 30 });
      await kit.write(at(20, { 'm:sc': 'late' }));
      same(await kit.row(key), { 'm:sc': '1' });
      same((await rowOf(['m']))?.at, BASE + 31);
    });

    it('one of twenty writers that compare and set a cell succeeds', async (kit) => {
      const { key, rowOf, setIf } = rowOfTest(kit, 'timed-5');
      await kit.write(put(key, { [COLUMN]: 'first' }));
      const row = await rowOf();
      const made = await Promise.all(Array.from({ length: 20 }, (_, i) => setIf(`${i}`, row)));
      same(made.filter(Boolean).length, 1);
      same(await kit.row(key), { [COLUMN]: `${made.indexOf(true)}` });
    });

    it('a cell that was removed by compare-and-set can be set again', async (kit) => {
      const { key, rowOf, setIf } = rowOfTest(kit, 'timed-6');
      same(await setIf('1', undefined), true);
      same(await setIf(undefined, await rowOf()), true);
      same(await kit.row(key), undefined);
      same(await setIf('2', undefined), true);
      same(await setIf('3', undefined), false);
      same(await kit.row(key), { [COLUMN]: '2' });
    });

    it('compare-and-set changes other cells of the row too', async (kit) => {
      const { key, rowOf } = rowOfTest(kit, 'timed-7');
      await kit.write(put(key, { [COLUMN]: '1', 'p:tx': '1', 'l:o': '1' }));
      const row = await rowOf();
      const change = { key, put: cells({ [COLUMN]: '2', 'l:o': '2' }), delete: ['p:tx' as const] };
      same(await kit.store.compareAndSet!('webpage', [{ change, column: COLUMN, value: bytes('1'), at: row?.at }]), [
        true,
      ]);
      same(await kit.row(key), { [COLUMN]: '2', 'l:o': '2' });
    });
  },
};
