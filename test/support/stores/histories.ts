import fc from 'fast-check';
import { expect } from 'vitest';
import {
  MemoryStore,
  type Column,
  type KeyRange,
  type RowChange,
  type ScanOptions,
  type Store,
} from '../../../webtable/index.js';
import type { OpenedStore } from '../../../webtable/store-suite/index.js';
import { bytes, getPlain, scanPlain } from './plain-rows.js';

/** A few keys with common prefixes, so that histories use the same rows. */
const key = fc.constantFrom('a', 'a ', 'a:', 'a:i', 'ab', 'b', 'b/', 'c');
const column = fc.constantFrom<Column>('m:a', 'm:b', 'm:bb', 'p:a', 'p:b', 'l:o', 'l:i:a', 'l:i:b', 'l:j', 'p:b');
const value = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('', '0', '1', '2') },
  { weight: 1, arbitrary: fc.string({ minLength: 100, maxLength: 400, unit: fc.constantFrom('x', 'y') }) },
);
const selector = fc.oneof(column, fc.constantFrom('m', 'l', 'p', 'l:i:*', 'm:b*', 'm:*', 'p:b*', 'p:none'));
const bound = fc.oneof(
  key,
  key.map((text) => `${text}\u0001`),
  fc.constant(''),
);
const range: fc.Arbitrary<KeyRange> = fc.record({ start: bound, end: bound }, { requiredKeys: ['start'] });

const change: fc.Arbitrary<RowChange> = fc.record(
  {
    key,
    put: fc
      .array(fc.tuple(column, value.map(bytes)), { maxLength: 4 })
      .map((cells) => new Map<Column, Uint8Array>(cells)),
    delete: fc.array(column, { maxLength: 2 }),
    clear: fc.constant(true),
  },
  { requiredKeys: ['key'] },
);

const scan: fc.Arbitrary<ScanOptions> = fc.record(
  {
    columns: fc.array(selector, { maxLength: 3 }),
    ranges: fc.array(range, { maxLength: 3 }),
    limit: fc.nat(6),
  },
  { requiredKeys: ['columns'] },
);

type Step =
  | { readonly do: 'write'; readonly changes: readonly RowChange[] }
  | { readonly do: 'get'; readonly keys: readonly string[]; readonly columns: readonly string[] }
  | { readonly do: 'scan'; readonly options: ScanOptions }
  | { readonly do: 'reopen' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('write'), changes: fc.array(change, { maxLength: 5 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('get'),
      keys: fc.array(key, { maxLength: 4 }),
      columns: fc.array(selector, { maxLength: 3 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('scan'), options: scan }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen') }) },
);

const EVERYTHING: ScanOptions = { columns: ['m', 'l', 'p'] };

/** Options for testing a kind of store. A failure prints the seed and the shortest failing history. */
export interface Histories {
  readonly open: () => Promise<OpenedStore>;
  readonly seed: number;
  readonly runs: number;
  /** Opens the same rows for other users, which take turns at random. */
  readonly openOther?: () => Promise<Store>;
}

/** Checks that a store, used by several at the same time, answers any history as MemoryStore does. */
export async function checkHistories({ open, seed, runs, openOther }: Histories): Promise<void> {
  const turn = fc.tuple(step, fc.nat(openOther ? 2 : 0));
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 30, size: 'max' }), async (history) => {
      const oracle = new MemoryStore();
      const opened = await open();
      const stores = [opened.store, ...(openOther ? [await openOther(), await openOther()] : [])];
      try {
        for (const [next, who] of history) {
          const store = stores[who]!;
          if (next.do === 'write') {
            await oracle.write('webpage', next.changes);
            await store.write('webpage', next.changes);
          } else if (next.do === 'get') {
            const expected = await getPlain(oracle, next.keys, next.columns);
            expect(await getPlain(store, next.keys, next.columns)).toEqual(expected);
          } else if (next.do === 'scan') {
            const expected = await scanPlain(oracle, 'webpage', next.options);
            expect(await scanPlain(store, 'webpage', next.options)).toEqual(expected);
          } else if (opened.reopen) {
            stores[0] = await opened.reopen();
          }
        }
        for (const store of stores) {
          expect(await scanPlain(store, 'webpage', EVERYTHING)).toEqual(await scanPlain(oracle, 'webpage', EVERYTHING));
        }
      } finally {
        for (const other of stores.slice(1)) await other.close();
        await opened.cleanup();
      }
    }),
    // So that a store that takes long to find the shortest failure reports before the time limit of the test.
    { seed, numRuns: runs, interruptAfterTimeLimit: 200_000, markInterruptAsFailure: true },
  );
}
