import type { Column, RowChange, StoredRow } from '../store.js';
import { bytes, cells, one, put, same, type StoreKit, type StoreTests } from './kit.js';

const COLUMN: Column = 'p:ti';

/** Each test has a row of its own: the deletions of earlier tests may hide lower timestamps. */
let tests = 0;
const base = 2 ** 50;
const key = (): string => `row-${tests}`;

const rowOf = async ({ store }: StoreKit, columns = ['p']): Promise<StoredRow | undefined> =>
  (await store.get('webpage', [key()], columns))[0];

/** Sets the cell of a row if the row is as it was read. */
async function setIf({ store }: StoreKit, to: string | undefined, from: StoredRow | undefined): Promise<boolean> {
  const change = to === undefined ? { key: key(), clear: true } : put(key(), { [COLUMN]: to });
  const checked = { change, column: COLUMN, value: from?.cells.get(COLUMN), at: from?.at };
  return (await store.compareAndSet!('webpage', [checked]))[0]!;
}

const at = (time: number, values: Readonly<Record<string, string>>): RowChange => ({
  ...put(key(), values),
  record: null,
  at: base + time,
});

/** Tests of stores that several processes change at the same time. */
export const timestamps: StoreTests = {
  title: 'timestamps and compare-and-set',
  isFor: ({ compareAndSet }) => compareAndSet !== undefined,
  before: async () => void (tests += 1),
  tests({ it, each }) {
    each([one([10, 20]), one([20, 10])])(
      'of the changes of a cell at %j, the one with the highest timestamp counts',
      async (kit, times) => {
        for (const time of times) await kit.write(at(time, { [COLUMN]: `${time}` }));
        same(await kit.row(key()), { [COLUMN]: '20' });
        same((await rowOf(kit))?.at, base + 21);
      },
    );

    it('a change that clears a row hides a late one', async (kit) => {
      await kit.write(at(10, { 'm:sc': '1' }), { key: key(), clear: true, at: base + 30 });
      await kit.write(at(20, { 'm:sc': '2' }));
      same(await kit.row(key()), undefined);
    });

    it('a change that clears a row and puts cells keeps only those', async (kit) => {
      await kit.write(at(10, { 'l:o': 'old', 'm:sc': 'old' }), { ...at(20, { [COLUMN]: 'new' }), clear: true });
      same(await kit.row(key()), { [COLUMN]: 'new' });
    });

    it('an empty change writes the record as it was read', async (kit) => {
      await kit.write(at(10, { 'm:sc': '1' }));
      const record = (await rowOf(kit, ['m']))!.record ?? null;
      await kit.write({ key: key(), record, at: base + 30 });
      await kit.write(at(20, { 'm:sc': 'late' }));
      same(await kit.row(key()), { 'm:sc': '1' });
      same((await rowOf(kit, ['m']))?.at, base + 31);
    });

    it('one of twenty writers that compare and set a cell succeeds', async (kit) => {
      await kit.write(put(key(), { [COLUMN]: 'first' }));
      const row = await rowOf(kit);
      const made = await Promise.all(Array.from({ length: 20 }, (_, i) => setIf(kit, `${i}`, row)));
      same(made.filter(Boolean).length, 1);
      same(await kit.row(key()), { [COLUMN]: `${made.indexOf(true)}` });
    });

    it('a cell that was removed by compare-and-set can be set again', async (kit) => {
      same(await setIf(kit, '1', undefined), true);
      same(await setIf(kit, undefined, await rowOf(kit)), true);
      same(await kit.row(key()), undefined);
      same(await setIf(kit, '2', undefined), true);
      same(await setIf(kit, '3', undefined), false);
      same(await kit.row(key()), { [COLUMN]: '2' });
    });

    it('compare-and-set changes other cells of the row too', async (kit) => {
      await kit.write(put(key(), { [COLUMN]: '1', 'p:tx': '1', 'l:o': '1' }));
      const row = await rowOf(kit);
      const change = { key: key(), put: cells({ [COLUMN]: '2', 'l:o': '2' }), delete: ['p:tx' as const] };
      same(await kit.store.compareAndSet!('webpage', [{ change, column: COLUMN, value: bytes('1'), at: row?.at }]), [
        true,
      ]);
      same(await kit.row(key()), { [COLUMN]: '2', 'l:o': '2' });
    });
  },
};
