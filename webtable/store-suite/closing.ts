import { put, rejects, same, type StoreTests } from './kit.js';

/** What a store promises when it is closed, and afterwards. */
export const closing: StoreTests = {
  title: 'closing',
  tests({ it }) {
    const closed = { name: 'CrawlError', code: 'CLOSED' };

    it('refuses every call afterwards', async ({ write, scan, store }) => {
      await write(put('a', { 'm:st': '1' }));
      await store.close();
      await store.close();
      await rejects(store.get('webpage', ['a'], ['m']), closed);
      await rejects(scan(), closed);
      await rejects(write(put('a', { 'm:st': '2' })), closed);
    });

    it('ends a running scan with an error', async ({ write, store }) => {
      await write(...Array.from({ length: 50 }, (_, i) => put(`a${i}`, { 'm:st': '1', 'p:b': '2' })));
      const rows = store.scan('webpage', { columns: ['m', 'p'] })[Symbol.asyncIterator]();
      same((await rows.next()).done, false);
      await store.close();
      await rejects(rows.next(), closed);
    });

    it('waits for running writes', async ({ write, scanKeys, store, reopen, isKept }) => {
      const writes = Array.from({ length: 10 }, (_, i) => write(put(`a${i}`, { 'm:st': '1', 'p:b': '2' })));
      await Promise.all([...writes, store.close(), store.close()]);
      if (!isKept) return;
      await reopen();
      same(
        await scanKeys(),
        Array.from({ length: 10 }, (_, i) => `a${i}`),
      );
    });

    it('keeps what was written', async ({ write, row, scanKeys, reopen, isKept }) => {
      if (!isKept) return;
      const values = { 'p:b': 'x'.repeat(100_000), 'l:i:x': 'in', 'l:o': 'out', 'm:st': '', 'p:ti': 'title' };
      for (const version of ['1', '2', '3']) {
        await write(put('a', { ...values, 'm:v': version }), put('b', { 'p:b': version }), put('gone', values));
        await write({ key: 'gone', clear: true });
        await reopen();
        same(await row('a'), { ...values, 'm:v': version });
        same(await row('b'), { 'p:b': version });
        same(await scanKeys(), ['a', 'b']);
      }
    });
  },
};
