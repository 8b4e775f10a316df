import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CrawlError } from '../../packages/errors/index.js';
import type { Column, RowChange, ScanOptions, Store, TableName } from '../../webtable/index.js';
import { bytes, cells, getPlain, put, scanPlain, type PlainRow } from '../support/plain-rows.js';

export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again; absent where a store keeps nothing. */
  readonly reopen?: () => Promise<Store>;
  readonly cleanup: () => Promise<void>;
}

const ALL = ['m', 'l', 'p', 'c'];

/** Row keys in the order every store must give them in. */
const SORTED_KEYS = [
  ' ',
  '!',
  ':file/var',
  'com.fo:http/',
  'com.foo-bar:http/',
  'com.foo.a.b:http/',
  'com.foo.www:http/',
  'com.foo0:http/',
  'com.foo9.x:http/',
  'com.foo:http',
  'com.foo:http/',
  'com.foo:http/ ',
  'com.foo:http/a',
  'com.foo:http:8080/',
  'com.foo:https/',
  'com.foo_x:http/',
  'com.fooz:http/',
  '~',
  '~~',
];

/** The contract of {@link Store}, to be held by every store. `open` gives a new, empty one. */
export function storeConformance(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} keeps the contract of a store`, () => {
    let opened: OpenedStore;
    let store: Store;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.cleanup());

    const write = (...changes: RowChange[]): Promise<void> => store.write('webpage', changes);
    const scan = (options: Partial<ScanOptions> = {}): Promise<PlainRow[]> =>
      scanPlain(store, 'webpage', { columns: ALL, ...options });
    const scanKeys = async (options: Partial<ScanOptions> = {}): Promise<string[]> =>
      (await scan(options)).map(({ key }) => key);
    const row = async (key: string, columns: readonly string[] = ALL): Promise<Record<string, string> | undefined> => {
      const [found] = await getPlain(store, [key], columns);
      // What get finds, a scan must find.
      const scanned = await scan({ columns, ranges: [{ start: key, end: `${key}\u0001` }] });
      expect(scanned).toEqual(found ? [found] : []);
      return found && Object.fromEntries(found.cells);
    };

    describe('order', () => {
      it.each([
        ['packed', 'm:st'],
        ['wide', 'l:i:x'],
        ['body', 'c:b'],
      ])('gives rows in byte order of their keys from a %s family', async (_, column) => {
        const shuffled = SORTED_KEYS.map((_key, i) => SORTED_KEYS[(i * 7) % SORTED_KEYS.length]!);
        for (const key of shuffled) await write(put(key, { [column]: key }));
        const rows = await scan({ columns: [column] });
        expect(rows).toEqual(SORTED_KEYS.map((key) => ({ key, cells: [[column, key]] })));
      });

      it('joins families in which different rows have cells', async () => {
        for (const [i, key] of SORTED_KEYS.entries()) {
          await write(put(key, { [['m:st', 'l:o', 'p:ti', 'c:b', 'l:i:q'][i % 5]!]: key }));
        }
        expect(await scanKeys()).toEqual(SORTED_KEYS);
      });

      it('gives the cells of a row in order of their columns', async () => {
        const columns = ['c:b', 'l:i:', 'l:i:a', 'l:i:a ', 'l:i:a:b', 'l:i:b', 'l:o', 'm:a', 'm:ab', 'm:b', 'p:ti'];
        await write({ key: 'a', put: cells(Object.fromEntries(columns.toReversed().map((column) => [column, 'v']))) });
        const [found] = await getPlain(store, ['a'], ALL.toReversed());
        const [filtered] = await scan({ where: { column: 'm:ab', equals: bytes('v') } });
        expect(found?.cells.map(([column]) => column)).toEqual(columns);
        expect(filtered).toEqual(found);
        expect(await scan()).toEqual([found]);
      });

      it('keeps the cells of rows apart whose keys begin with each other', async () => {
        const keys = ['a', 'a ', 'a i:', 'aa', 'aa:', 'ab'];
        for (const key of keys) await write(put(key, { 'l:i:x': key, 'l:o': key, 'c:b': key, 'm:st': key }));
        await write({ key: 'a', clear: true });
        expect(await row('a')).toBeUndefined();
        for (const key of keys.slice(1)) {
          expect(await row(key)).toEqual({ 'c:b': key, 'l:i:x': key, 'l:o': key, 'm:st': key });
        }
      });

      it('answers get in the order asked, doubles and absent keys included', async () => {
        await write(put('a', { 'm:st': '1' }), put('b', { 'm:st': '2' }));
        const found = await getPlain(store, ['b', 'x', 'a', 'b', 'é', 'a\0'], ['m']);
        expect(found.map((one) => one?.key)).toEqual(['b', undefined, 'a', 'b', undefined, undefined]);
        expect(await getPlain(store, [], ['m'])).toEqual([]);
      });
    });

    describe('values', () => {
      it('keeps empty values apart from absent ones', async () => {
        await write(put('a', { 'm:st': '', 'l:o': '', 'c:b': '', 'p:ti': '' }));
        expect(await row('a')).toEqual({ 'c:b': '', 'l:o': '', 'm:st': '', 'p:ti': '' });
        await write({ key: 'a', delete: ['m:st', 'l:o', 'c:b'] });
        expect(await row('a')).toEqual({ 'p:ti': '' });
      });

      it('keeps every byte', async () => {
        const every = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i));
        const values = { 'm:st': every, 'l:o': every, 'p:ti': every, 'c:b': every };
        await write(put('a', values));
        expect(await row('a')).toEqual(values);
      });

      it.each([127, 128, 16_383, 16_384, 70_000])('keeps values of %i bytes', async (length) => {
        const values = { 'm:a': 'x'.repeat(length), 'm:b': 'y', 'p:tx': 'z'.repeat(length) };
        await write(put('a', values));
        expect(await row('a')).toEqual(values);
      });

      it('keeps bodies of 5 MB', async () => {
        const keys = ['a', 'b', 'c'];
        const body = (key: string): Buffer => Buffer.alloc(5 * 1024 * 1024, `${key} body `);
        for (const key of keys) await write({ key, put: new Map([['c:b', body(key)]]) });
        const found = await store.get('webpage', keys, ['c:b']);
        for (const [i, key] of keys.entries()) expect(body(key).equals(found[i]!.cells.get('c:b')!)).toBe(true);
        let at = 0;
        for await (const { key, cells: read } of store.scan('webpage', { columns: ['c'] })) {
          expect(key).toBe(keys[at++]);
          expect(body(key).equals(read.get('c:b')!)).toBe(true);
        }
        expect(at).toBe(3);
      });

      it('keeps long keys and long qualifiers', async () => {
        const key = `com.example:http/${'k'.repeat(4000)}`;
        const column = `l:i:${'q'.repeat(4000)}`;
        await write(put(key, { [column]: 'v', [`m:${'n'.repeat(300)}`]: 'w' }));
        expect(await row(key)).toEqual({ [column]: 'v', [`m:${'n'.repeat(300)}`]: 'w' });
      });
    });

    describe('columns', () => {
      beforeEach(() =>
        write(
          put('a', { 'm:st': '1', 'm:sc': '2', 'm:s': '3', 'l:o': '4', 'l:i:x': '5', 'l:i:y': '6', 'l:j': '7' }),
          put('b', { 'p:ti': '8' }),
        ),
      );

      it.each<[string[], string[]]>([
        [['m'], ['m:s', 'm:sc', 'm:st']],
        [['m:st'], ['m:st']],
        [
          ['m:s*', 'm:st'],
          ['m:s', 'm:sc', 'm:st'],
        ],
        [['m:sc*'], ['m:sc']],
        [['m:*'], ['m:s', 'm:sc', 'm:st']],
        [['m:none'], []],
        [['l:i:*'], ['l:i:x', 'l:i:y']],
        [
          ['l:i:*', 'l:o'],
          ['l:i:x', 'l:i:y', 'l:o'],
        ],
        [['l:i:x'], ['l:i:x']],
        [['l'], ['l:i:x', 'l:i:y', 'l:j', 'l:o']],
        [
          ['l:o', 'm:s'],
          ['l:o', 'm:s'],
        ],
        [['c'], []],
        [['c:b', 'p'], []],
        [[], []],
      ])('%j selects %j', async (selectors, columns) => {
        const found = await row('a', selectors);
        expect(Object.keys(found ?? {})).toEqual(columns);
        expect(found === undefined).toBe(columns.length === 0);
      });

      it('leaves out rows without a selected cell', async () => {
        expect(await scanKeys({ columns: ['m'] })).toEqual(['a']);
        expect(await scanKeys({ columns: ['p', 'c'] })).toEqual(['b']);
        expect(await scanKeys({ columns: ['c'] })).toEqual([]);
      });
    });

    describe('changes', () => {
      const full = { 'c:b': 'body', 'l:i:x': 'in', 'l:o': 'out', 'm:sc': 'score', 'm:st': 'status', 'p:ti': 'title' };

      it('leaves columns alone that are not named', async () => {
        await write(put('a', full));
        await write({ key: 'a', put: cells({ 'm:st': 'new', 'm:ft': 'more', 'l:i:y': 'in2' }), delete: ['m:sc'] });
        const { 'm:sc': _, ...rest } = full;
        expect(await row('a')).toEqual({ ...rest, 'm:st': 'new', 'm:ft': 'more', 'l:i:y': 'in2' });
      });

      it.each(Object.keys(full))('deletes %s and leaves the rest', async (column) => {
        await write(put('a', full));
        await write({ key: 'a', delete: [column as Column] });
        const rest = Object.fromEntries(Object.entries(full).filter(([name]) => name !== column));
        expect(await row('a')).toEqual(rest);
        await write(put('a', { [column]: 'again' }));
        expect(await row('a')).toEqual({ ...rest, [column]: 'again' });
      });

      it('deletes what is absent without an error', async () => {
        await write({ key: 'a', delete: ['m:st', 'l:o', 'l:i:x', 'p:ti', 'c:b'] }, { key: 'b', clear: true });
        await write({ key: 'c' }, { key: 'd', put: new Map() });
        expect(await scan()).toEqual([]);
      });

      it('has no row once its last cell is deleted', async () => {
        await write(put('a', { 'm:st': '1' }), put('b', { 'c:b': '2' }), put('c', { 'l:o': '3' }));
        await write({ key: 'a', delete: ['m:st'] }, { key: 'b', delete: ['c:b'] }, { key: 'c', delete: ['l:o'] });
        expect(await scan()).toEqual([]);
        expect(await row('b')).toBeUndefined();
      });

      it('clear removes all that was there, and put is what is left', async () => {
        await write(put('a', full), put('b', full), put('aa', full));
        await write({ key: 'a', clear: true }, { key: 'b', clear: true, put: cells({ 'l:i:z': 'z', 'c:b': 'new' }) });
        expect(await row('a')).toBeUndefined();
        expect(await row('b')).toEqual({ 'c:b': 'new', 'l:i:z': 'z' });
        expect(await row('aa')).toEqual(full);
      });

      it('makes the changes of one call in order', async () => {
        await write(
          put('a', { 'm:st': '1', 'l:o': '1', 'c:b': '1', 'l:i:x': '1' }),
          { key: 'a', put: cells({ 'm:st': '2' }), delete: ['l:o', 'c:b'] },
          put('b', { 'm:st': 'b', 'l:i:x': 'b' }),
          put('a', { 'l:o': '3', 'c:b': '3' }),
          { key: 'b', clear: true },
          put('b', { 'm:sc': 'b2' }),
        );
        expect(await row('a')).toEqual({ 'c:b': '3', 'l:i:x': '1', 'l:o': '3', 'm:st': '2' });
        expect(await row('b')).toEqual({ 'm:sc': 'b2' });
      });

      it('replaces bodies any number of times', async () => {
        for (let version = 1; version <= 5; version++) {
          await write(put('a', { 'c:b': `body ${version}`, 'm:st': `${version}` }));
          expect(await row('a')).toEqual({ 'c:b': `body ${version}`, 'm:st': `${version}` });
        }
        await write({ key: 'a', delete: ['c:b'] });
        expect(await row('a')).toEqual({ 'm:st': '5' });
        await write(put('a', { 'c:b': 'back' }));
        expect(await row('a', ['c'])).toEqual({ 'c:b': 'back' });
      });

      it('keeps the changes of writers that run at the same time on one row', async () => {
        const writers = ['m:a', 'm:b', 'l:i:a', 'p:a', 'c:b', 'm:c'];
        await Promise.all(
          writers.map(async (column) => {
            for (let i = 0; i <= 20; i++) await write(put('a', { [column]: `${i}` }));
          }),
        );
        expect(await row('a')).toEqual(Object.fromEntries(writers.map((column) => [column, '20'])));
      });

      it('makes writes in the order they were asked for, and reads what was written', async () => {
        await Promise.all(Array.from({ length: 50 }, (_, i) => write(put('a', { 'm:st': `${i}`, 'c:b': `${i}` }))));
        expect(await row('a')).toEqual({ 'c:b': '49', 'm:st': '49' });
      });

      it('takes a write of nothing', async () => {
        await store.write('webpage', []);
        expect(await scan()).toEqual([]);
      });

      it('keeps tables apart', async () => {
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
        expect(found.map((rows) => rows.map(({ cells: read }) => read[0]?.[1]))).toEqual([
          ['1'],
          ['2'],
          ['3'],
          ['4'],
          ['5'],
          ['6'],
        ]);
      });
    });

    describe('scans', () => {
      const keys = Array.from({ length: 40 }, (_, i) => `k${String(i).padStart(2, '0')}`);

      beforeEach(() =>
        write(
          ...keys.map((key, i) => {
            const mark: Record<string, string> = i % 4 === 0 ? { 'm:kg': 'batch' } : i % 4 === 1 ? { 'm:kg': '' } : {};
            return put(key, { 'm:st': `${i % 2}`, 'l:o': key, 'l:i:x': `${i % 3}`, 'c:b': `body ${i % 5}`, ...mark });
          }),
        ),
      );

      const batch = { column: 'm:kg', equals: bytes('batch') } as const;
      const marked = keys.filter((_, i) => i % 4 === 0);

      it.each<[string[]]>([
        [['m']],
        [['m:kg']],
        [['m:st']],
        [['l']],
        [['c']],
        [['m', 'l', 'c', 'p']],
        [['c', 'l:o']],
        [['m:st', 'l:o']],
        [['m', 'l:i:x']],
      ])('gives only rows that hold the cell, reading %j', async (columns) => {
        const all = await scan({ columns });
        expect(await scan({ columns, where: batch })).toEqual(all.filter(({ key }) => marked.includes(key)));
      });

      it.each<[string, Column, string, (i: number) => boolean]>([
        ['an empty value', 'm:kg', '', (i) => i % 4 === 1],
        ['a longer value', 'm:kg', 'batch2', () => false],
        ['a shorter value', 'm:kg', 'batc', () => false],
        ['a column that no row has', 'm:none', 'x', () => false],
        ['an empty value in a column that no row has', 'm:none', '', () => false],
        ['a wide family', 'l:i:x', '2', (i) => i % 3 === 2],
        ['a family that is empty', 'p:ti', '', () => false],
        ['a body', 'c:b', 'body 3', (i) => i % 5 === 3],
      ])('filters by %s', async (_, column, value, passes) => {
        const expected = keys.filter((_key, i) => passes(i));
        expect(await scanKeys({ where: { column, equals: bytes(value) } })).toEqual(expected);
        expect(await scanKeys({ columns: ['l:o'], where: { column, equals: bytes(value) } })).toEqual(expected);
      });

      it('leaves out rows that pass and hold no selected cell, and does not count them', async () => {
        await write(put('k04', { 'p:ti': 't' }), put('k05', { 'p:ti': 't' }), put('k20', { 'p:ti': 't' }));
        expect(await scanKeys({ columns: ['p'], where: batch, limit: 2 })).toEqual(['k04', 'k20']);
      });

      it.each<[string, NonNullable<ScanOptions['ranges']>, string[]]>([
        ['no range', [], []],
        ['one key', [{ start: 'k07', end: 'k08' }], ['k07']],
        ['start and end alike', [{ start: 'k07', end: 'k07' }], []],
        ['end before start', [{ start: 'k09', end: 'k07' }], []],
        ['an open end', [{ start: 'k38' }], ['k38', 'k39']],
        ['an empty start', [{ start: '', end: 'k02' }], ['k00', 'k01']],
        ['an empty end', [{ start: 'k', end: '' }], []],
        ['bounds that are no keys', [{ start: 'k0', end: 'k00~' }], ['k00']],
        ['bounds above all keys', [{ start: 'k39', end: 'k\uffff' }], ['k39']],
        ['after a key', [{ start: 'k37\u0001', end: 'k39' }], ['k38']],
        ['after a key, by NUL', [{ start: 'k37\0', end: 'k39' }], ['k38']],
        ['up to a key, by NUL', [{ start: 'k37', end: 'k38\0' }], ['k37', 'k38']],
        [
          'several ranges, as given',
          [{ start: 'k30', end: 'k32' }, { start: 'x' }, { start: 'k02', end: 'k04' }, { start: 'k39' }],
          ['k30', 'k31', 'k02', 'k03', 'k39'],
        ],
        [
          'ranges that overlap',
          [
            { start: 'k01', end: 'k03' },
            { start: 'k02', end: 'k04' },
          ],
          ['k01', 'k02', 'k02', 'k03'],
        ],
      ])('reads %s', async (_, ranges, expected) => {
        expect(await scanKeys({ ranges })).toEqual(expected);
        for (const columns of [['m'], ['l'], ['c']]) expect(await scanKeys({ ranges, columns })).toEqual(expected);
        const passing = expected.filter((key) => marked.includes(key));
        expect(await scanKeys({ ranges, where: batch })).toEqual(passing);
      });

      it.each([0, 1, 5, 39, 40, 41])('gives at most %i rows', async (limit) => {
        expect(await scanKeys({ limit })).toEqual(keys.slice(0, limit));
        expect(await scanKeys({ limit, columns: ['m'] })).toEqual(keys.slice(0, limit));
        expect(await scanKeys({ limit, where: batch })).toEqual(marked.slice(0, limit));
        const ranges = [{ start: 'k10', end: 'k12' }, { start: 'k20' }];
        expect(await scanKeys({ limit, ranges })).toEqual(['k10', 'k11', ...keys.slice(20)].slice(0, limit));
      });

      it('gives all rows of a family larger than any buffer', async () => {
        const many = Array.from({ length: 2500 }, (_, i) => `n${String(i).padStart(4, '0')}`);
        await write(...many.map((key, i) => put(key, { 'm:st': 'x'.repeat(i % 300), ...(i % 7 && { 'l:o': key }) })));
        await write(put('n1000', Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`l:i:${i}`, `${i}`]))));
        const ranges = [{ start: 'n' }];
        expect(await scanKeys({ ranges, columns: ['m'] })).toEqual(many);
        const rows = await scan({ ranges });
        expect(rows.map(({ key }) => key)).toEqual(many);
        expect(rows[1000]?.cells).toHaveLength(2502);
        expect(await scanKeys({ ranges, columns: ['l:o'] })).toEqual(many.filter((_, i) => i % 7));
        expect(await scanKeys({ ranges, columns: ['l:i:*'] })).toEqual(['n1000']);
        expect(Object.keys((await row('n1000', ['l:i:*'])) ?? {})).toHaveLength(2500);
      });

      it('goes on from where it was, whatever is written meanwhile', async () => {
        const seen: string[] = [];
        for await (const { key } of store.scan('webpage', { columns: ['m:st', 'l:o', 'c:b'] })) {
          seen.push(key);
          await write({ key, clear: true }, put(`${key}+`, { 'm:st': 'new', 'l:o': 'new', 'c:b': 'new' }));
        }
        expect(seen).toEqual(keys);
        expect(await scanKeys()).toEqual(keys.map((key) => `${key}+`));
      });

      it.each<[string, Partial<ScanOptions>]>([
        ['all families', {}],
        ['a filter', { where: batch }],
        ['a body', { columns: ['c'] }],
      ])('can be ended early with %s, and the store still writes, scans and closes', async (_, options) => {
        for (let i = 0; i < 5; i++) {
          for await (const { key } of store.scan('webpage', { columns: ALL, ...options })) {
            expect(key).toBe('k00');
            break;
          }
        }
        await expect(
          (async () => {
            for await (const { key } of store.scan('webpage', { columns: ALL, ...options })) throw new Error(key);
          })(),
        ).rejects.toThrow('k00');
        await write(put('z', { 'm:st': '1' }));
        expect(await scanKeys({ columns: ['m'] })).toEqual([...keys, 'z']);
        await store.close();
      });
    });

    describe('rows are whole', () => {
      it('under a writer that changes all families at once', async () => {
        const keys = Array.from({ length: 12 }, (_, i) => `r${i}`);
        const version = (key: string, n: number): RowChange => ({
          key,
          put: cells({
            'm:a': `${n}`,
            'm:b': `${n}`,
            'l:o': `${n}`,
            [`l:i:${n % 3}`]: `${n}`,
            'p:t': `${n}`,
            'c:b': `${n}`,
          }),
          delete: [`l:i:${(n + 1) % 3}`, `l:i:${(n + 2) % 3}`],
        });
        await write(...keys.map((key) => version(key, 0)));
        let running = true;
        let reads = 0;

        async function writer(): Promise<void> {
          for (let n = 1; n <= 60; n++) {
            if (n % 3 === 0) for (const key of keys) await write(version(key, n));
            else if (n % 5 === 0) await write(...keys.map((key) => ({ ...version(key, n), clear: true })));
            else await write(...keys.map((key) => version(key, n)));
          }
          running = false;
        }

        function check(found: readonly (PlainRow | undefined)[], size = 6): void {
          reads++;
          expect(found).toHaveLength(keys.length);
          for (const one of found) {
            expect(one?.damaged).toBeUndefined();
            expect(one?.cells).toHaveLength(size);
            expect(new Set(one?.cells.map(([, value]) => value)).size, JSON.stringify(one)).toBe(1);
          }
        }

        async function reader(read: () => Promise<readonly (PlainRow | undefined)[]>, size?: number): Promise<void> {
          do check(await read(), size);
          while (running);
        }

        await Promise.all([
          writer(),
          reader(() => scan()),
          reader(async () => {
            const rows: PlainRow[] = [];
            for (const key of keys) rows.push(...(await scan({ ranges: [{ start: key, end: `${key} ` }] })));
            return rows;
          }),
          reader(() => getPlain(store, keys, ALL)),
          // What a store may answer with fewer reads than a whole row takes.
          reader(() => getPlain(store, keys, ['m', 'l:o', 'p']), 4),
        ]);
        expect(reads).toBeGreaterThan(4);
        check(await scan());
      });

      it('in a filtered scan, of one version with the cell that let them pass', async () => {
        const keys = Array.from({ length: 20 }, (_, i) => `r${i}`);
        const version = (n: number): RowChange[] =>
          keys.map((key) => put(key, { 'm:k': `${n % 2}`, 'l:o': `${n % 2}`, 'c:b': `${n % 2}` }));
        await write(...version(0));
        let running = true;
        const writer = (async () => {
          for (let n = 1; n <= 80; n++) await write(...version(n));
          running = false;
        })();
        do {
          const rows = await scan({ columns: ['l', 'c'], where: { column: 'm:k', equals: bytes('1') } });
          for (const { cells: read } of rows) {
            expect(read).toEqual([
              ['c:b', '1'],
              ['l:o', '1'],
            ]);
          }
        } while (running);
        await writer;
      });
    });

    describe('wrong use', () => {
      const refused = async (made: Promise<unknown>): Promise<void> => {
        const error: unknown = await made.then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(CrawlError);
        expect((error as CrawlError).code).toBe('STORE_FAILED');
      };
      const other = 'nonsense' as TableName;

      it.each(['', 'a\0b', 'a\u0001', 'é', 'a\n', '\u007f', '\ud800', 'a\u{1f600}'])(
        'refuses the row key %j',
        async (key) => {
          await refused(write(put('good', { 'm:st': '1' }), put(key, { 'm:st': '1' })));
          expect(await scan()).toEqual([]);
        },
      );

      it.each(['m', 'm:', ':', ':st', 'x:st', 'm:\u0001', 'm:é', 'm:s\0', 'l:i:*', 'c:other', 'st', 'toString:x'])(
        'refuses the column %j',
        async (column) => {
          await refused(write({ key: 'a', put: new Map([[column as Column, bytes('1')]]) }));
          await refused(write({ key: 'a', delete: [column as Column] }));
          await refused(scan({ where: { column: column as Column, equals: bytes('1') } }));
          expect(await scan()).toEqual([]);
        },
      );

      it.each(['x', 'x:st', '', '*', 'toString', 'f:s'])('refuses the selector %j', async (selector) => {
        await refused(scan({ columns: [selector] }));
        await refused(store.get('webpage', ['a'], [selector]));
      });

      it('refuses a table that is not in the schema', async () => {
        await refused(store.get(other, ['a'], ['m']));
        await refused(store.write(other, [put('a', { 'm:st': '1' })]));
        await refused(scanPlain(store, other, { columns: [] }));
        await refused(store.write('toString' as TableName, []));
      });

      it('names no byte of a bad key that could harm a terminal', async () => {
        await expect(write(put('a\u001b[31m', { 'm:st': '1' }))).rejects.toThrow('a\\u001b[31m');
      });
    });

    describe('closing', () => {
      const closed = { name: 'CrawlError', code: 'CLOSED' };

      it('refuses everything afterwards', async () => {
        await write(put('a', { 'm:st': '1' }));
        await store.close();
        await store.close();
        await expect(store.get('webpage', ['a'], ['m'])).rejects.toMatchObject(closed);
        await expect(scan()).rejects.toMatchObject(closed);
        await expect(write(put('a', { 'm:st': '2' }))).rejects.toMatchObject(closed);
      });

      it('ends a scan under way with an error', async () => {
        await write(...Array.from({ length: 50 }, (_, i) => put(`a${i}`, { 'm:st': '1', 'c:b': '2' })));
        const rows = store.scan('webpage', { columns: ['m', 'c'] })[Symbol.asyncIterator]();
        expect((await rows.next()).done).toBe(false);
        await store.close();
        await expect(rows.next()).rejects.toMatchObject(closed);
      });

      it('waits for writes under way', async () => {
        const writes = Array.from({ length: 10 }, (_, i) => write(put(`a${i}`, { 'm:st': '1', 'c:b': '2' })));
        await Promise.all([...writes, store.close(), store.close()]);
        if (!opened.reopen) return;
        store = await opened.reopen();
        expect(await scanKeys()).toEqual(Array.from({ length: 10 }, (_, i) => `a${i}`));
      });

      it('keeps what was written', async () => {
        if (!opened.reopen) return;
        const values = { 'c:b': 'x'.repeat(100_000), 'l:i:x': 'in', 'l:o': 'out', 'm:st': '', 'p:ti': 'title' };
        for (const version of ['1', '2', '3']) {
          await write(put('a', { ...values, 'm:v': version }), put('b', { 'c:b': version }), put('gone', values));
          await write({ key: 'gone', clear: true });
          store = await opened.reopen();
          expect(await row('a')).toEqual({ ...values, 'm:v': version });
          expect(await row('b')).toEqual({ 'c:b': version });
          expect(await scanKeys()).toEqual(['a', 'b']);
        }
      });
    });
  });
}
