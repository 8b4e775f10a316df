import type { ScanOptions } from '../store.js';
import { ALL, one, put, rejects, same, type StoreTests } from './kit.js';

const keys = Array.from({ length: 40 }, (_, i) => `k${String(i).padStart(2, '0')}`);

/** Ranges and limits of scans, and scans that end early. */
export const scans: StoreTests = {
  title: 'scans',
  before: ({ write }) =>
    write(
      ...keys.map((key, i) => {
        const mark: Record<string, string> = i % 4 === 0 ? { 'm:kg': 'batch' } : i % 4 === 1 ? { 'm:kg': '' } : {};
        return put(key, { 'm:st': `${i % 2}`, 'l:o': key, 'l:i:x': `${i % 3}`, 'p:b': `body ${i % 5}`, ...mark });
      }),
    ),
  tests({ it, each }) {
    each<[string, NonNullable<ScanOptions['ranges']>, string[]]>([
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
    ])('reads %s', async ({ scanKeys }, _, ranges, expected) => {
      same(await scanKeys({ ranges }), expected);
      for (const columns of [['m'], ['l'], ['p']]) same(await scanKeys({ ranges, columns }), expected);
    });

    each([0, 1, 5, 39, 40, 41].map(one))('gives at most %i rows', async ({ scanKeys }, limit) => {
      same(await scanKeys({ limit }), keys.slice(0, limit));
      same(await scanKeys({ limit, columns: ['m'] }), keys.slice(0, limit));
      const ranges = [{ start: 'k10', end: 'k12' }, { start: 'k20' }];
      same(await scanKeys({ limit, ranges }), ['k10', 'k11', ...keys.slice(20)].slice(0, limit));
    });

    it('gives all rows of a family larger than any buffer', async ({ write, row, scan, scanKeys }) => {
      const many = Array.from({ length: 2500 }, (_, i) => `n${String(i).padStart(4, '0')}`);
      await write(...many.map((key, i) => put(key, { 'm:st': 'x'.repeat(i % 300), ...(i % 7 && { 'l:o': key }) })));
      await write(put('n1000', Object.fromEntries(Array.from({ length: 2500 }, (_, i) => [`l:i:${i}`, `${i}`]))));
      const ranges = [{ start: 'n' }];
      same(await scanKeys({ ranges, columns: ['m'] }), many);
      const rows = await scan({ ranges });
      same(
        rows.map(({ key }) => key),
        many,
      );
      same(rows[1000]?.cells.length, 2502);
      same(
        await scanKeys({ ranges, columns: ['l:o'] }),
        many.filter((_, i) => i % 7),
      );
      same(await scanKeys({ ranges, columns: ['l:i:*'] }), ['n1000']);
      same(Object.keys((await row('n1000', ['l:i:*'])) ?? {}).length, 2500);
    });

    it('continues after the last row, whatever is written meanwhile', async ({ write, scanKeys, store }) => {
      const seen: string[] = [];
      for await (const { key } of store.scan('webpage', { columns: ['m:st', 'l:o', 'p:b'] })) {
        seen.push(key);
        await write({ key, clear: true }, put(`${key}+`, { 'm:st': 'new', 'l:o': 'new', 'p:b': 'new' }));
      }
      same(seen, keys);
      same(
        await scanKeys(),
        keys.map((key) => `${key}+`),
      );
    });

    each<[string, Partial<ScanOptions>]>([
      ['all families', {}],
      ['one family', { columns: ['p'] }],
    ])(
      'can be ended early with %s, and the store still writes, scans and closes',
      async ({ write, scanKeys, store }, _, options) => {
        for (let i = 0; i < 5; i++) {
          for await (const { key } of store.scan('webpage', { columns: ALL, ...options })) {
            same(key, 'k00');
            break;
          }
        }
        await rejects(
          (async () => {
            for await (const { key } of store.scan('webpage', { columns: ALL, ...options })) throw new Error(key);
          })(),
          'k00',
        );
        await write(put('z', { 'm:st': '1' }));
        same(await scanKeys({ columns: ['m'] }), [...keys, 'z']);
        await store.close();
      },
    );
  },
};
