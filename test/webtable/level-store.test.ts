import { MemoryLevel } from 'memory-level';
import { beforeEach, describe, expect, it } from 'vitest';
import { LevelStore, type RowChange } from '../../webtable/index.js';
import { decodePacked } from '../../webtable/stores/level/packed-cells.js';
import { memoryLevel } from '../support/open-stores.js';
import { bytes, cells, getPlain, put, scanPlain, type PlainRow } from '../support/plain-rows.js';

const ALL = { columns: ['m', 'l', 'p', 'c'] };

describe('LevelStore', () => {
  let hot: MemoryLevel<string, Uint8Array>;
  let content: MemoryLevel<string, Uint8Array>;
  let store: LevelStore;
  beforeEach(() => {
    hot = memoryLevel();
    content = memoryLevel();
    store = new LevelStore({ hot, content });
  });
  const write = (...changes: RowChange[]): Promise<void> => store.write('webpage', changes);

  it('has the frozen layout', async () => {
    await write(put('a', { 'm:st': '1', 'm:sc': '2', 'l:o': '3', 'l:i:x': '4', 'p:ti': '5' }));
    await write(put('b', { 'm:st': '1', 'c:b': 'body' }));
    await store.write('frontier', [put('a', { 'f:s': '1' })]);
    await store.write('batch', [put('a', { 'b:e': '1' })]);
    await store.write('host', [put('a', { 'h:rb': '1' })]);
    await store.write('rule', [put('a', { 'r:n': '1' })]);
    await store.write('meta', [put('a', { 'v:n': '1' })]);
    expect(await hot.keys().all()).toEqual([
      'bba',
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
    expect(await content.keys().all()).toEqual(['wcb\u00000']);
    const pointer = decodePacked((await hot.get('wmb'))!).get('\u0001');
    expect(Buffer.from(pointer!).toString('hex')).toBe(`0000000004${crc('body')}`);
  });

  it('shows a row with nothing but a body as such', async () => {
    await write(put('a', { 'c:b': 'body' }));
    for (const columns of [['m'], ['m:*'], ['m:\u0001'], ['p', 'l']]) {
      expect(await getPlain(store, ['a'], columns)).toEqual([undefined]);
      expect(await scanPlain(store, 'webpage', { columns })).toEqual([]);
    }
    expect(await getPlain(store, ['a'], ['m', 'c'])).toEqual([{ key: 'a', cells: [['c:b', 'body']] }]);
    await write({ key: 'a', delete: ['c:b'] });
    expect(await hot.keys().all()).toEqual([]);
    expect(await content.keys().all()).toEqual([]);
  });

  it('leaves no body behind', async () => {
    for (let i = 0; i < 4; i++) {
      await write(put('a', { 'c:b': `${i}` }));
      expect(await content.keys().all()).toEqual([`wca\0${i % 2}`]);
    }
    await write({ key: 'a', clear: true, put: cells({ 'c:b': 'new' }) });
    expect(await content.keys().all()).toHaveLength(1);
    await write({ key: 'a', clear: true });
    expect(await content.keys().all()).toEqual([]);
  });

  it('works on databases that are still being opened, and refuses those that it cannot use', async () => {
    const opening = memoryLevel();
    expect(opening.status).toBe('opening');
    const early = new LevelStore({ hot: opening });
    expect(await scanPlain(early, 'webpage', ALL)).toEqual([]);
    const text = new MemoryLevel<string, Uint8Array>({ valueEncoding: 'json' });
    expect(() => new LevelStore({ hot: text })).toThrow(expect.objectContaining({ code: 'STORE_FAILED' }));
  });

  it('says CLOSED when its database was closed under it', async () => {
    await write(put('a', { 'm:st': '1' }));
    await hot.close();
    await expect(write(put('a', { 'm:st': '2' }))).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(scanPlain(store, 'webpage', ALL)).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(getPlain(store, ['a'], ['m'])).rejects.toMatchObject({ code: 'CLOSED' });
    await store.close();
  });

  it('goes on after a write that failed', async () => {
    const failing = write(put('a', { 'm:st': '1' }), put('', { 'm:st': '1' }));
    const good = write(put('b', { 'm:st': '1' }));
    await expect(failing).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await good;
    expect((await scanPlain(store, 'webpage', ALL)).map(({ key }) => key)).toEqual(['b']);
  });

  describe('on damage', () => {
    beforeEach(() => write(put('a', { 'm:st': '1', 'l:o': '2', 'p:ti': '3', 'c:b': '4' }), put('b', { 'm:st': '1' })));
    const read = async (columns: string[]): Promise<PlainRow> => {
      const [row] = await getPlain(store, ['a'], columns);
      const [scanned] = await scanPlain(store, 'webpage', { columns, ranges: [{ start: 'a', end: 'b' }] });
      expect(scanned).toEqual(row);
      return row!;
    };

    it('of packed cells gives what can be read and says what cannot', async () => {
      await hot.put('wma', (await hot.get('wma'))!.subarray(0, -1));
      const row = await read(['m', 'l', 'p', 'c']);
      expect(row.cells).toEqual([
        ['l:o', '2'],
        ['p:ti', '3'],
      ]);
      expect(row.damaged).toMatch(/^m: .*; c: /);
      expect(await read(['l'])).toEqual({ key: 'a', cells: [['l:o', '2']] });
      expect((await read(['m:st'])).cells).toEqual([]);
    });

    it('of packed cells writes nothing over them until the row is cleared', async () => {
      const damaged = (await hot.get('wma'))!.subarray(0, -1);
      await hot.put('wma', damaged);
      const refused = { code: 'TABLE_DAMAGED', message: expect.stringContaining('row "a"') as string };
      await expect(write(put('b', { 'm:st': '9' }), put('a', { 'm:st': '2' }))).rejects.toMatchObject(refused);
      await expect(write(put('a', { 'c:b': '2' }))).rejects.toMatchObject(refused);
      expect(Buffer.compare((await hot.get('wma'))!, damaged)).toBe(0);
      expect(await getPlain(store, ['b'], ['m'])).toEqual([{ key: 'b', cells: [['m:st', '1']] }]);
      await write(put('a', { 'l:o': 'fine' }));
      await write({ key: 'a', clear: true, put: cells({ 'm:st': '2', 'c:b': 'new' }) });
      expect(await read(['m', 'l', 'p', 'c'])).toEqual({
        key: 'a',
        cells: [
          ['c:b', 'new'],
          ['m:st', '2'],
        ],
      });
      expect(await content.keys().all()).toHaveLength(1);
    });

    it.each<[string, (key: string) => Promise<void>]>([
      ['missing', (key) => content.del(key)],
      ['another', (key) => content.put(key, bytes('5'))],
      ['another', (key) => content.put(key, bytes('44'))],
    ])('of a body says that it is %s, and takes a new one', async (what, harm) => {
      const [key] = await content.keys().all();
      await harm(key!);
      const row = await read(['m:st', 'c']);
      expect(row.cells).toEqual([['m:st', '1']]);
      expect(row.damaged).toContain(what);
      await write(put('a', { 'c:b': 'new' }));
      expect(await read(['c'])).toEqual({ key: 'a', cells: [['c:b', 'new']] });
    });
  });
});

function crc(text: string): string {
  // The standard CRC-32, bit by bit.
  let sum = 0xffffffff;
  for (const byte of bytes(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}
