import { MemoryLevel } from 'memory-level';
import { beforeEach, describe, expect, it } from 'vitest';
import { LevelStore, type RowChange } from '../../../../webtable/index.js';
import { memoryLevel } from '../../../support/stores/open-stores.js';
import { cells, getPlain, put, scanPlain, type PlainRow } from '../../../support/stores/plain-rows.js';

const ALL = { columns: ['m', 'l', 'p'] };

describe('LevelStore', () => {
  let database: MemoryLevel<string, Uint8Array>;
  let store: LevelStore;
  beforeEach(() => {
    database = memoryLevel();
    store = new LevelStore({ database });
  });
  const write = (...changes: RowChange[]): Promise<void> => store.write('webpage', changes);

  it('has the frozen layout', async () => {
    await write(put('a', { 'm:st': '1', 'm:sc': '2', 'l:o': '3', 'l:i:x': '4', 'p:ti': '5' }));
    await write(put('b', { 'm:st': '1' }));
    await store.write('content', [put('a', { 'c:b': '1' })]);
    await store.write('frontier', [put('a', { 'f:s': '1' })]);
    await store.write('batch', [put('a', { 'b:e': '1' })]);
    await store.write('host', [put('a', { 'h:rb': '1' })]);
    await store.write('rule', [put('a', { 'r:n': '1' })]);
    await store.write('meta', [put('a', { 'v:n': '1' })]);
    expect(await database.keys().all()).toEqual([
      'bba',
      'cca',
      'ffa',
      'hha',
      'rra',
      'vva',
      'wla\0i:x',
      'wla\0o',
      'wma',
      'wmb',
      'wpa',
    ]);
  });

  it('works on databases that are still opening, and rejects those that it cannot use', async () => {
    const opening = memoryLevel();
    expect(opening.status).toBe('opening');
    const early = new LevelStore({ database: opening });
    expect(await scanPlain(early, 'webpage', ALL)).toEqual([]);
    const text = new MemoryLevel<string, Uint8Array>({ valueEncoding: 'json' });
    expect(() => new LevelStore({ database: text })).toThrow(expect.objectContaining({ code: 'STORE_FAILED' }));
  });

  it('throws CLOSED if its database was closed', async () => {
    await write(put('a', { 'm:st': '1' }));
    await database.close();
    await expect(write(put('a', { 'm:st': '2' }))).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(scanPlain(store, 'webpage', ALL)).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(getPlain(store, ['a'], ['m'])).rejects.toMatchObject({ code: 'CLOSED' });
    await store.close();
  });

  it('continues after a failed write', async () => {
    const failing = write(put('a', { 'm:st': '1' }), put('', { 'm:st': '1' }));
    const good = write(put('b', { 'm:st': '1' }));
    await expect(failing).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await good;
    expect((await scanPlain(store, 'webpage', ALL)).map(({ key }) => key)).toEqual(['b']);
  });

  describe('damage', () => {
    beforeEach(() => write(put('a', { 'm:st': '1', 'l:o': '2', 'p:ti': '3', 'p:b': '4' }), put('b', { 'm:st': '1' })));
    /** Like a disk would: a store that opens later finds this value. */
    const damage = async (value: Uint8Array): Promise<void> => {
      await database.put('wma', value);
      store = new LevelStore({ database });
    };
    const read = async (columns: string[]): Promise<PlainRow> => {
      const [row] = await getPlain(store, ['a'], columns);
      const [scanned] = await scanPlain(store, 'webpage', { columns, ranges: [{ start: 'a', end: 'b' }] });
      expect(scanned).toEqual(row);
      return row!;
    };

    it('in packed cells leaves the rest readable and is reported', async () => {
      await damage((await database.get('wma'))!.subarray(0, -1));
      const row = await read(['m', 'l', 'p']);
      expect(row.cells).toEqual([
        ['l:o', '2'],
        ['p:b', '4'],
        ['p:ti', '3'],
      ]);
      expect(row.damaged).toMatch(/^m: /);
      expect(await read(['l'])).toEqual({ key: 'a', cells: [['l:o', '2']] });
      expect((await read(['m:st'])).cells).toEqual([]);
    });

    it('in packed cells prevents writes until the row is cleared', async () => {
      const damaged = (await database.get('wma'))!.subarray(0, -1);
      await damage(damaged);
      const refused = { code: 'TABLE_DAMAGED', message: expect.stringContaining('row "a"') as string };
      await expect(write(put('b', { 'm:st': '9' }), put('a', { 'm:st': '2' }))).rejects.toMatchObject(refused);
      expect(Buffer.compare((await database.get('wma'))!, damaged)).toBe(0);
      expect(await getPlain(store, ['b'], ['m'])).toEqual([{ key: 'b', cells: [['m:st', '1']] }]);
      await write(put('a', { 'l:o': 'fine' }));
      await write({ key: 'a', clear: true, put: cells({ 'm:st': '2', 'p:b': 'new' }) });
      expect(await read(['m', 'l', 'p'])).toEqual({
        key: 'a',
        cells: [
          ['m:st', '2'],
          ['p:b', 'new'],
        ],
      });
    });
  });
});
