import type { TableName } from '../schema.js';
import type { Column } from '../store.js';
import { bytes, one, put, rejects, same, scanPlain, type StoreTests } from './kit.js';

/** The calls that a store must refuse. */
export const wrongUse: StoreTests = {
  title: 'wrong use',
  tests({ it, each }) {
    const refused = (made: Promise<unknown>): Promise<void> =>
      rejects(made, { name: 'CrawlError', code: 'STORE_FAILED' });
    const other = 'nonsense' as TableName;

    each(['', 'a\0b', 'a\u0001', 'é', 'a\n', '\u007f', '\ud800', 'a\u{1f600}'].map(one))(
      'refuses the row key %j',
      async ({ write, scan }, key) => {
        await refused(write(put('good', { 'm:st': '1' }), put(key, { 'm:st': '1' })));
        same(await scan(), []);
      },
    );

    each(['m', 'm:', ':', ':st', 'x:st', 'm:\u0001', 'm:é', 'm:s\0', 'l:i:*', 'c:b', 'st', 'toString:x'].map(one))(
      'refuses the column %j',
      async ({ write, scan }, column) => {
        await refused(write({ key: 'a', put: new Map([[column as Column, bytes('1')]]) }));
        await refused(write({ key: 'a', delete: [column as Column] }));
        same(await scan(), []);
      },
    );

    each(['x', 'x:st', '', '*', 'toString', 'f:s'].map(one))(
      'refuses the selector %j',
      async ({ scan, store }, selector) => {
        await refused(scan({ columns: [selector] }));
        await refused(store.get('webpage', ['a'], [selector]));
      },
    );

    it('refuses a table that is not in the schema', async ({ store }) => {
      await refused(store.get(other, ['a'], ['m']));
      await refused(store.write(other, [put('a', { 'm:st': '1' })]));
      await refused(scanPlain(store, other, { columns: [] }));
      await refused(store.write('toString' as TableName, []));
    });

    it('escapes the bytes of a bad key that could harm a terminal', async ({ write }) => {
      await rejects(write(put('a\u001b[31m', { 'm:st': '1' })), 'a\\u001b[31m');
    });
  },
};
