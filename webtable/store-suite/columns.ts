import { put, same, type StoreTests } from './kit.js';

/** Which cells selectors select. */
export const columns: StoreTests = {
  title: 'columns',
  before: ({ write }) =>
    write(
      put('a', { 'm:st': '1', 'm:sc': '2', 'm:s': '3', 'l:o': '4', 'l:i:x': '5', 'l:i:y': '6', 'l:j': '7' }),
      put('b', { 'p:ti': '8' }),
    ),
  tests({ it, each }) {
    each<[string[], string[]]>([
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
      [['p'], []],
      [['p:b', 'p'], []],
      [[], []],
    ])('%j selects %j', async ({ row }, selectors, columns) => {
      const found = await row('a', selectors);
      same(Object.keys(found ?? {}), columns);
      same(found === undefined, columns.length === 0);
    });

    it('leaves out rows without a selected cell', async ({ scanKeys }) => {
      same(await scanKeys({ columns: ['m'] }), ['a']);
      same(await scanKeys({ columns: ['p'] }), ['b']);
      same(await scanKeys({ columns: ['p:none'] }), []);
    });
  },
};
