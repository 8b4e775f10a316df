import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store, TableName } from '../../webtable/index.js';
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

const put = (key: string, value: string) => ({ key, put: new Map([['p:ti' as const, bytes(value)]]) });
const versionOf = async (store: Store, key = 'k'): Promise<string | undefined> =>
  (await store.get('webpage', [key], ['p']))[0]?.version;
const valueOf = async (store: Store): Promise<string | undefined> => {
  const [row] = await store.get('webpage', ['k'], ['p']);
  return row && String(row.cells.get('p:ti'));
};
const change = async (store: Store, to: object, version: string | undefined): Promise<boolean | undefined> =>
  (await store.writeUnchanged!('webpage', [{ change: { key: 'k', ...to }, version }]))[0];

describe('the version of a row', () => {
  it('changes with every change, of any kind', async () => {
    const seen = new Set<string | undefined>();
    const changes = [
      put('k', '1'),
      put('k', '1'),
      { key: 'k', delete: ['p:tx' as const] },
      { key: 'k' },
      { ...put('k', '1'), clear: true },
    ];
    for (const each of changes) {
      await a.write('webpage', [each]);
      seen.add(await versionOf(b));
      expect(await change(b, {}, await versionOf(b))).toBe(true);
      seen.add(await versionOf(a));
    }
    expect(seen.size).toBe(changes.length * 2);
    expect(seen.has(undefined)).toBe(false);
  });

  it('is part of a scan, whatever columns are requested', async () => {
    await a.write('webpage', [
      {
        key: 'k',
        put: new Map([
          ['l:i:x', bytes('1')],
          ['p:ti', bytes('2')],
        ]),
      },
    ]);
    const version = await versionOfColumns(['p']);
    expect(version).toBeDefined();
    for (const columns of [['l:i:*'], ['l'], ['p:ti', 'm']]) expect(await versionOfColumns(columns)).toBe(version);
    for await (const row of a.scan('webpage', { columns: ['l:i:*'] })) expect(row.version).toBe(version);
  });

  const versionOfColumns = async (columns: readonly string[]): Promise<string | undefined> =>
    (await a.get('webpage', ['k'], columns))[0]?.version;

  it.each(Array.from({ length: 3 }, (_, i) => i))('lets one of twenty writers succeed', async () => {
    const version = await versionOf(a);
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) => change(i % 2 ? a : b, { ...put('k', `${i}`) }, version)),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(await valueOf(a)).toBe(String(made.indexOf(true)));
  });

  it('is none for a row that readers do not see', async () => {
    await a.write('webpage', [put('k', '1')]);
    await a.write('webpage', [{ key: 'k', delete: ['p:ti'] }]);
    expect(await versionOf(a)).toBeUndefined();
    expect(await change(a, put('k', '2'), undefined)).toBe(true);
    expect(await change(b, put('k', '3'), undefined)).toBe(false);
    expect(await valueOf(b)).toBe('2');
  });

  it('never returns after the row is cleared', async () => {
    await a.write('webpage', [put('k', '1')]);
    const before = await versionOf(b);
    expect(await change(a, { clear: true }, before)).toBe(true);
    expect(await valueOf(b)).toBeUndefined();
    expect(await change(b, put('k', 'late'), before)).toBe(false);
    expect(await change(a, put('k', '1'), undefined)).toBe(true);
    expect(await change(b, put('k', 'late'), before)).toBe(false);
    expect(await valueOf(b)).toBe('1');
  });

  it('puts later writes after it, even if the clock of the writer is slow', async () => {
    await a.write('webpage', [put('k', '1')]);
    const version = await versionOf(a);
    // A server whose clock was set back.
    table.hbase.clock = () => Date.now() - 30_000;
    const late = await table.open();
    try {
      expect(await change(late, put('k', '2'), version)).toBe(true);
      expect(await valueOf(a)).toBe('2');
      expect(await change(late, { clear: true }, await versionOf(late))).toBe(true);
      const later = await table.open();
      expect(await change(later, put('k', '3'), undefined)).toBe(true);
      expect(await valueOf(a)).toBe('3');
      await later.close();
    } finally {
      await late.close();
    }
  });

  it('is rejected if it was never read', async () => {
    await expect(change(a, put('k', '1'), 'made up')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  it('of a removed entry does not hide a new one of a writer whose clock is slightly slow', async () => {
    const entry = { key: 'e', clear: true, put: new Map([['f:s' as const, bytes('1')]]) };
    const entryOf = async (store: Store) => (await store.get('frontier', ['e'], ['f']))[0];
    await a.write('frontier', [entry]);
    const version = (await entryOf(a))?.version;
    // From a page that was changed with the fastest clock, a knows later ticks than b.
    table.hbase.clock = () => Date.now() + 30_000;
    const ahead = await table.open();
    await ahead.write('webpage', [put('k', '1')]);
    await ahead.close();
    await versionOf(a);
    expect(await a.writeUnchanged!('frontier', [{ change: { key: 'e', clear: true }, version }])).toEqual([true]);
    await b.write('frontier', [entry]);
    expect(await entryOf(b)).toBeDefined();
  });

  it.each(['frontier', 'batch'] as const)('a change that clears a row of %s is a put', async (name: TableName) => {
    const column = name === 'frontier' ? ('f:s' as const) : ('b:e' as const);
    const count = table.gateways[0]!.calls.length;
    await a.write(name, [{ key: 'k', clear: true, put: new Map([[column, bytes('1')]]) }]);
    expect(table.gateways[0]!.calls.slice(count).map(({ method }) => method)).toEqual(['putMultiple']);
  });
});

describe('answers that are lost', () => {
  it('make no successful change count as lost, and none happen twice: 20 seeds', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const unsure = await fakeTable({ gateways: 2, around: losing(randomNumbers(seed), 0.3) });
      const store = await unsure.open();
      for (let n = 1; n <= 10; n++) {
        const [row] = await store.get('webpage', ['k'], ['p']);
        const count = row ? Number(String(row.cells.get('p:ti'))) : 0;
        expect(count, `seed ${seed}`).toBe(n - 1);
        const [made] = await store.writeUnchanged!('webpage', [{ change: put('k', `${n}`), version: row?.version }]);
        expect(made, `seed ${seed}`).toBe(true);
      }
      await store.close();
      await unsure.close();
    }
  });
});
