import type { RowChange } from '../store.js';
import { ALL, cells, ok, same, type PlainRow, type StoreTests } from './kit.js';

/** A row is read as it was at one moment. */
export const wholeRows: StoreTests = {
  title: 'rows are whole',
  tests({ it }) {
    it('under a writer that changes all families at once', async ({ write, scan, get }) => {
      const keys = Array.from({ length: 12 }, (_, i) => `r${i}`);
      const version = (key: string, n: number): RowChange => ({
        key,
        put: cells({
          'm:a': `${n}`,
          'm:b': `${n}`,
          'l:o': `${n}`,
          [`l:i:${n % 3}`]: `${n}`,
          'p:t': `${n}`,
          'p:b': `${n}`,
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
        same(found.length, keys.length);
        for (const one of found) {
          same(one?.damaged, undefined);
          same(one?.cells.length, size);
          same(new Set(one?.cells.map(([, value]) => value)).size, 1, JSON.stringify(one));
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
        reader(() => get(keys, ALL)),
        // A store may answer these selectors with fewer reads than a whole row needs.
        reader(() => get(keys, ['m', 'l:o', 'p']), 5),
      ]);
      ok(reads > 4);
      check(await scan());
    });
  },
};
