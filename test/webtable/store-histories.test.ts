import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryStore, type Column, type KeyRange, type RowChange, type ScanOptions } from '../../webtable/index.js';
import { STORES } from '../support/stores/open-stores.js';
import { bytes, getPlain, scanPlain } from '../support/stores/plain-rows.js';

// A failure prints the seed and the shortest history that fails; put both here to see it again.
const SEED = 20_240_601;

/** Few keys that begin with each other, so that histories meet on the same rows. */
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

describe.each(Object.entries(STORES).filter(([name]) => name !== 'MemoryStore'))('%s', (name, open) => {
  it('answers any history as MemoryStore does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30, size: 'max' }), async (history) => {
        const oracle = new MemoryStore();
        const opened = await open();
        let { store } = opened;
        try {
          for (const next of history) {
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
              store = await opened.reopen();
            }
          }
          expect(await scanPlain(store, 'webpage', EVERYTHING)).toEqual(await scanPlain(oracle, 'webpage', EVERYTHING));
        } finally {
          await opened.cleanup();
        }
      }),
      { seed: SEED, numRuns: name.includes('disk') ? 60 : 300 },
    );
  });
});
