import type { TableName } from '../schema.js';
import type { Column } from '../store.js';
import { cells, one, put, same, scanPlain, type StoreTests } from './kit.js';

/** How a change affects a row, and how changes affect each other. */
export const changes: StoreTests = {
  title: 'changes',
  tests({ it, each }) {
    const full = { 'p:b': 'body', 'l:i:x': 'in', 'l:o': 'out', 'm:sc': 'score', 'm:st': 'status', 'p:ti': 'title' };

    it('does not change columns that are not named', async ({ write, row }) => {
      await write(put('a', full));
      await write({ key: 'a', put: cells({ 'm:st': 'new', 'm:ft': 'more', 'l:i:y': 'in2' }), delete: ['m:sc'] });
      const { 'm:sc': _, ...rest } = full;
      same(await row('a'), { ...rest, 'm:st': 'new', 'm:ft': 'more', 'l:i:y': 'in2' });
    });

    each(Object.keys(full).map(one))('deletes %s and keeps the other columns', async ({ write, row }, column) => {
      await write(put('a', full));
      await write({ key: 'a', delete: [column as Column] });
      const rest = Object.fromEntries(Object.entries(full).filter(([name]) => name !== column));
      same(await row('a'), rest);
      await write(put('a', { [column]: 'again' }));
      same(await row('a'), { ...rest, [column]: 'again' });
    });

    it('does not depend on the bytes that the caller changes after the call', async ({ write, row }) => {
      const given = new Map(Object.entries(full).map(([column, text]) => [column as Column, Buffer.from(text)]));
      await write({ key: 'a', put: given });
      for (const bytes of given.values()) bytes.fill(0);
      same(await row('a'), full);
    });

    it('deletes what is absent without an error', async ({ write, scan }) => {
      await write({ key: 'a', delete: ['m:st', 'l:o', 'l:i:x', 'p:ti', 'p:b'] }, { key: 'b', clear: true });
      await write({ key: 'c' }, { key: 'd', put: new Map() });
      same(await scan(), []);
    });

    it('has no row once its last cell is deleted', async ({ write, row, scan }) => {
      await write(put('a', { 'm:st': '1' }), put('b', { 'p:b': '2' }), put('c', { 'l:o': '3' }));
      await write({ key: 'a', delete: ['m:st'] }, { key: 'b', delete: ['p:b'] }, { key: 'c', delete: ['l:o'] });
      same(await scan(), []);
      same(await row('b'), undefined);
    });

    it('clear removes all cells, and only those of put remain', async ({ write, row }) => {
      await write(put('a', full), put('b', full), put('aa', full));
      await write({ key: 'a', clear: true }, { key: 'b', clear: true, put: cells({ 'l:i:z': 'z', 'p:b': 'new' }) });
      same(await row('a'), undefined);
      same(await row('b'), { 'p:b': 'new', 'l:i:z': 'z' });
      same(await row('aa'), full);
    });

    it('makes the changes of one call in order', async ({ write, row }) => {
      await write(
        put('a', { 'm:st': '1', 'l:o': '1', 'p:b': '1', 'l:i:x': '1' }),
        { key: 'a', put: cells({ 'm:st': '2' }), delete: ['l:o', 'p:b'] },
        put('b', { 'm:st': 'b', 'l:i:x': 'b' }),
        put('a', { 'l:o': '3', 'p:b': '3' }),
        { key: 'b', clear: true },
        put('b', { 'm:sc': 'b2' }),
      );
      same(await row('a'), { 'p:b': '3', 'l:i:x': '1', 'l:o': '3', 'm:st': '2' });
      same(await row('b'), { 'm:sc': 'b2' });
    });

    it('replaces bodies any number of times', async ({ write, row }) => {
      for (let version = 1; version <= 5; version++) {
        await write(put('a', { 'p:b': `body ${version}`, 'm:st': `${version}` }));
        same(await row('a'), { 'p:b': `body ${version}`, 'm:st': `${version}` });
      }
      await write({ key: 'a', delete: ['p:b'] });
      same(await row('a'), { 'm:st': '5' });
      await write(put('a', { 'p:b': 'back' }));
      same(await row('a', ['p']), { 'p:b': 'back' });
    });

    it('keeps the changes of writers that run at the same time on one row', async ({ write, row }) => {
      const writers = ['m:a', 'm:b', 'l:i:a', 'p:a', 'p:b', 'm:c'];
      await Promise.all(
        writers.map(async (column) => {
          for (let i = 0; i <= 20; i++) await write(put('a', { [column]: `${i}` }));
        }),
      );
      same(await row('a'), Object.fromEntries(writers.map((column) => [column, '20'])));
    });

    it('makes writes in the order of the calls, and reads what was written', async ({ write, row }) => {
      await Promise.all(Array.from({ length: 50 }, (_, i) => write(put('a', { 'm:st': `${i}`, 'p:b': `${i}` }))));
      same(await row('a'), { 'p:b': '49', 'm:st': '49' });
    });

    it('accepts a write without changes', async ({ scan, store }) => {
      await store.write('webpage', []);
      same(await scan(), []);
    });

    it('keeps tables apart', async ({ write, store }) => {
      await store.write('frontier', [put('a', { 'f:s': '1' })]);
      await store.write('batch', [put('a', { 'b:e': '2' })]);
      await store.write('host', [put('a', { 'h:rb': '3' })]);
      await store.write('rule', [put('a', { 'r:x': '4' })]);
      await store.write('meta', [put('a', { 'v:n': '5' })]);
      await write(put('a', { 'm:st': '6' }));
      const families = { frontier: 'f', batch: 'b', host: 'h', rule: 'r', meta: 'v', webpage: 'm' } as const;
      const found = await Promise.all(
        Object.entries(families).map(([table, family]) => {
          return scanPlain(store, table as TableName, { columns: [family] });
        }),
      );
      same(
        found.map((rows) => rows.map(({ cells: read }) => read[0]?.[1])),
        [['1'], ['2'], ['3'], ['4'], ['5'], ['6']],
      );
    });
  },
};
