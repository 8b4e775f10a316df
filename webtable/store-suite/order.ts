import { ALL, cells, put, same, type StoreTests } from './kit.js';

/** Row keys in the order that every store must return. */
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

/** The order of rows and cells. */
export const order: StoreTests = {
  title: 'order',
  tests({ it, each }) {
    each([
      ['packed', 'm:st'],
      ['wide', 'l:i:x'],
      ['second packed', 'p:b'],
    ])('gives rows in byte order of their keys from a %s family', async ({ write, scan }, _, column) => {
      const shuffled = SORTED_KEYS.map((_key, i) => SORTED_KEYS[(i * 7) % SORTED_KEYS.length]!);
      for (const key of shuffled) await write(put(key, { [column]: key }));
      const rows = await scan({ columns: [column] });
      same(
        rows,
        SORTED_KEYS.map((key) => ({ key, cells: [[column, key]] })),
      );
    });

    it('joins families in which different rows have cells', async ({ write, scanKeys }) => {
      for (const [i, key] of SORTED_KEYS.entries()) {
        await write(put(key, { [['m:st', 'l:o', 'p:ti', 'p:b', 'l:i:q'][i % 5]!]: key }));
      }
      same(await scanKeys(), SORTED_KEYS);
    });

    it('gives the cells of a row in order of their columns', async ({ write, scan, get }) => {
      const columns = ['l:i:', 'l:i:a', 'l:i:a ', 'l:i:a:b', 'l:i:b', 'l:o', 'm:a', 'm:ab', 'm:b', 'p:b', 'p:ti'];
      await write({ key: 'a', put: cells(Object.fromEntries(columns.toReversed().map((column) => [column, 'v']))) });
      const [found] = await get(['a'], ALL.toReversed());
      same(
        found?.cells.map(([column]) => column),
        columns,
      );
      same(await scan(), [found]);
    });

    it('keeps the cells of rows apart whose keys begin with each other', async ({ write, row }) => {
      const keys = ['a', 'a ', 'a i:', 'aa', 'aa:', 'ab'];
      for (const key of keys) await write(put(key, { 'l:i:x': key, 'l:o': key, 'p:b': key, 'm:st': key }));
      await write({ key: 'a', clear: true });
      same(await row('a'), undefined);
      for (const key of keys.slice(1)) {
        same(await row(key), { 'p:b': key, 'l:i:x': key, 'l:o': key, 'm:st': key });
      }
    });

    it('returns rows from get in the order of the keys, with duplicate and absent keys', async ({ write, get }) => {
      await write(put('a', { 'm:st': '1' }), put('b', { 'm:st': '2' }));
      const found = await get(['b', 'x', 'a', 'b', 'é', 'a\0'], ['m']);
      same(
        found.map((one) => one?.key),
        ['b', undefined, 'a', 'b', undefined, undefined],
      );
      same(await get([], ['m']), []);
    });
  },
};
