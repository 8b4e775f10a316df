import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTables, rowKeyOf, type Store, type Tables } from '../../packages/webcrawl/internal.js';
import { fakeTable, type FakeTable } from '../support/hbase/open-fake-store.js';
import { holdSlots } from '../support/hold-slots.js';

let table: FakeTable;
let store: Store;
beforeEach(async () => {
  table = await fakeTable();
  store = await table.open();
});
afterEach(async () => {
  await store.close();
  await table.close();
});

const key = rowKeyOf('http://a.com/');

const cellsOfRow = (): string[] => [...table.hbase.tables.get('crawls:one_webpage')!.rows.get(key)!.cells.keys()];

/** The tables as the owner of all slots sees them. */
async function owned(): Promise<Tables> {
  const tables = await openTables(store);
  await holdSlots(tables);
  return tables;
}

/** The reads of pages so far. */
const reads = (): number =>
  table.gateways[0]!.calls.filter(
    ({ method, args }) => method === 'getMultiple' && (args[1] as Buffer).toString('latin1') === 'crawls:one_webpage',
  ).length;

describe('the hot record of a row in HBase', () => {
  it('is one cell, which each change replaces', async () => {
    const { changeRows, pages } = await owned();
    await changeRows([key], [], 0, () => [{ key, set: { status: 'unfetched', score: 1, dueAt: 5 } }]);
    await changeRows([key], [], 0, () => [{ key, set: { score: 2 }, marks: { inject: 'y' } }]);
    expect(cellsOfRow()).toEqual(['m:r']);
    expect(await pages.get(key, ['status', 'score', 'dueAt', 'marks'])).toMatchObject({
      status: 'unfetched',
      score: 2,
      dueAt: 5,
      marks: { inject: 'y' },
    });
  });

  it('is not read again for a change of rows that were read', async () => {
    const { changeRows } = await owned();
    await changeRows([key], [], 0, () => [{ key, set: { score: 1, retries: 1 } }]);
    const before = reads();
    await changeRows([key], [], 0, () => [{ key, set: { retries: 2 } }]);
    expect(reads() - before).toBe(1);
  });

  it('is in no copy of a row, and in no output', async () => {
    const { changeRows, pages } = await owned();
    await changeRows([key], [], 0, () => [{ key, set: { score: 1 } }]);
    const row = await pages.get(key, ['score']);
    expect(row?.record).toBeDefined();
    expect({ ...row }).toStrictEqual({ key, score: 1 });
  });

  it('that cannot be read is reported, and stays as it is', async () => {
    const { changeRows, pages } = await owned();
    await changeRows([key], [], 0, () => [{ key, set: { title: 'a', score: 1 } }]);
    const { cells } = table.hbase.tables.get('crawls:one_webpage')!.rows.get(key)!;
    cells.set('m:r', { ...cells.get('m:r')!, value: Buffer.from([9, 9]) });
    expect(await pages.get(key, ['title', 'score'])).toMatchObject({
      title: 'a',
      damaged: [expect.stringMatching(/^m: no packed cells/) as string],
    });
    const change = changeRows([key], [], 0, () => [{ key, set: { retries: 2 } }]);
    await expect(change).rejects.toMatchObject({ code: 'TABLE_DAMAGED' });
    expect(cells.get('m:r')!.value).toEqual(Buffer.from([9, 9]));
  });
});
