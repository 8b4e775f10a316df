import { one, put, same, type StoreTests } from './kit.js';

/** A read returns what was written. */
export const values: StoreTests = {
  title: 'values',
  tests({ it, each }) {
    it('keeps empty values apart from absent ones', async ({ write, row }) => {
      await write(put('a', { 'm:st': '', 'l:o': '', 'p:b': '', 'p:ti': '' }));
      same(await row('a'), { 'p:b': '', 'l:o': '', 'm:st': '', 'p:ti': '' });
      await write({ key: 'a', delete: ['m:st', 'l:o', 'p:b'] });
      same(await row('a'), { 'p:ti': '' });
    });

    it('keeps every byte', async ({ write, row }) => {
      const every = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i));
      const values = { 'm:st': every, 'l:o': every, 'p:ti': every, 'p:b': every };
      await write(put('a', values));
      same(await row('a'), values);
    });

    each([127, 128, 16_383, 16_384, 70_000].map(one))('keeps values of %i bytes', async ({ write, row }, length) => {
      const values = { 'm:a': 'x'.repeat(length), 'm:b': 'y', 'p:tx': 'z'.repeat(length) };
      await write(put('a', values));
      same(await row('a'), values);
    });

    it('keeps bodies of 5 MB', async ({ write, store }) => {
      const keys = ['a', 'b', 'c'];
      const body = (key: string): Buffer => Buffer.alloc(5 * 1024 * 1024, `${key} body `);
      for (const key of keys) await write({ key, put: new Map([['p:b', body(key)]]) });
      const found = await store.get('webpage', keys, ['p:b']);
      for (const [i, key] of keys.entries()) same(body(key).equals(found[i]!.cells.get('p:b')!), true);
      let at = 0;
      for await (const { key, cells: read } of store.scan('webpage', { columns: ['p'] })) {
        same(key, keys[at++]);
        same(body(key).equals(read.get('p:b')!), true);
      }
      same(at, 3);
    });

    it('keeps long keys and long qualifiers', async ({ write, row }) => {
      const key = `com.example:http/${'k'.repeat(4000)}`;
      const column = `l:i:${'q'.repeat(4000)}`;
      await write(put(key, { [column]: 'v', [`m:${'n'.repeat(300)}`]: 'w' }));
      same(await row(key), { [column]: 'v', [`m:${'n'.repeat(300)}`]: 'w' });
    });
  },
};
