import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEX_COLUMNS, type RowChange, type Store, type StoredRow, type TableName } from '../../webtable/index.js';
import { fakeTable, losing, type FakeTable } from '../support/hbase/open-fake-store.js';
import { bytes } from '../support/stores/plain-rows.js';
import { randomNumbers } from '../support/web/fake-web.js';

let table: FakeTable;
let a: Store;
let b: Store;
beforeEach(async () => {
  table = await fakeTable();
  [a, b] = await Promise.all([table.open(), table.open()]);
});
afterEach(async () => {
  await a.close();
  await b.close();
  await table.close();
});

const put = (value: string, at?: number): RowChange => ({
  key: 'k',
  put: new Map([['p:ti' as const, bytes(value)]]),
  record: null,
  at,
});
const rowOf = async (store: Store): Promise<StoredRow | undefined> => (await store.get('webpage', ['k'], ['p']))[0];
const valueOf = async (store: Store): Promise<string | undefined> => {
  const row = await rowOf(store);
  return row && String(row.cells.get('p:ti'));
};
const setIf = async (store: Store, to: string | undefined, from: StoredRow | undefined): Promise<boolean> => {
  const change = to === undefined ? { key: 'k', clear: true } : put(to);
  const checked = { change, column: 'p:ti' as const, value: from?.cells.get('p:ti'), at: from?.at };
  return (await store.compareAndSet!('webpage', [checked]))[0]!;
};

describe('changes with timestamps', () => {
  it('that clear a row hide late changes, also after the deletion is forgotten', async () => {
    const record = { key: 'k', put: new Map([['m:sc' as const, bytes('1')]]), record: null };
    await a.write('webpage', [{ ...record, at: 10 }]);
    await a.write('webpage', [{ key: 'k', clear: true, at: 30 }]);
    table.hbase.tables.get('crawls:one_webpage')!.rows.get('k')!.deleted = 0;
    await a.write('webpage', [{ ...record, at: 20 }]);
    expect(await b.get('webpage', ['k'], ['m'])).toEqual([undefined]);
  });

  it.each(['frontier', 'batch'] as const)('that clear and put a row of %s are puts', async (name: TableName) => {
    const column = name === 'frontier' ? ('f:s' as const) : ('b:e' as const);
    const count = table.gateways[0]!.calls.length;
    await a.write(name, [{ key: 'k', clear: true, put: new Map([[column, bytes('1')]]), at: 10 }]);
    expect(table.gateways[0]!.calls.slice(count).map(({ method }) => method)).toEqual(['putMultiple']);
  });
});

describe('compare-and-set', () => {
  it('is visible, whatever clocks the servers of the region have', async () => {
    table.hbase.clock = () => Date.now() + 30_000;
    expect(await setIf(a, '1', undefined)).toBe(true);
    table.hbase.clock = () => Date.now() - 30_000;
    expect(await setIf(b, '2', await rowOf(b))).toBe(true);
    expect(await valueOf(a)).toBe('2');
    expect(await setIf(b, undefined, await rowOf(b))).toBe(true);
    expect(await valueOf(a)).toBeUndefined();
    expect(await setIf(b, '3', undefined)).toBe(true);
    expect(await valueOf(a)).toBe('3');
  });

  it('makes no change twice, and counts none as lost, whatever responses are lost: 20 seeds', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const unsure = await fakeTable({ gateways: 2, around: losing(randomNumbers(seed), 0.3) });
      const store = await unsure.open();
      for (let n = 1; n <= 10; n++) {
        const row = await rowOf(store);
        expect(row ? Number(String(row.cells.get('p:ti'))) : 0, `seed ${seed}`).toBe(n - 1);
        expect(await setIf(store, `${n}`, row), `seed ${seed}`).toBe(true);
      }
      await store.close();
      await unsure.close();
    }
  });
});

it('a table whose timestamps are microseconds is refused', async () => {
  const version = new Map([[INDEX_COLUMNS.schemaVersion, bytes('7')]]);
  await a.write('meta', [{ key: 'schema', put: version, at: Date.now() * 1000 }]);
  await expect(table.open()).rejects.toMatchObject({ code: 'TABLE_VERSION' });
});
