import fc from 'fast-check';
import { expect, it } from 'vitest';
import { familiesOf } from '../../../../../webtable/stores/level/layout.js';
import { foldChanges, inOrder, type CellEdits } from '../../../../../webtable/stores/level/write/edits.js';
import type { Column, RowChange } from '../../../../../webtable/store.js';

const SEED = 5;
const families = familiesOf('webpage');
const column = fc.constantFrom<Column>('m:a', 'm:ab', 'm:b', 'l:i:x', 'l:o', 'p:a:b', 'p:b', 'm:zz');
const value = fc.uint8Array({ maxLength: 3 });
const change: fc.Arbitrary<RowChange> = fc.record(
  {
    key: fc.constantFrom('a', 'b', 'c'),
    clear: fc.boolean(),
    delete: fc.array(column, { maxLength: 4 }),
    put: fc.array(fc.tuple(column, value), { maxLength: 6 }).map((cells) => new Map(cells)),
  },
  { requiredKeys: ['key'] },
);

/** The last change of each cell of each row, and which rows were cleared. */
function plainFold(changes: readonly RowChange[]): [string, boolean, [string, Uint8Array | undefined][]][] {
  const rows = new Map<string, { cleared: boolean; cells: Map<string, Uint8Array | undefined> }>();
  for (const { key, clear, delete: remove = [], put = [] } of changes) {
    const row = rows.get(key) ?? { cleared: false, cells: new Map<string, Uint8Array | undefined>() };
    rows.set(key, row);
    if (clear) {
      row.cleared = true;
      row.cells.clear();
    }
    for (const name of remove) row.cells.set(name, undefined);
    for (const [name, bytes] of put) row.cells.set(name, bytes);
  }
  return Array.from(rows, ([key, { cleared, cells }]) => [key, cleared, [...cells].sort(byName)]);
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

function cellsIn(edits: readonly (CellEdits | undefined)[]): [string, Uint8Array | undefined][] {
  return edits
    .flatMap((edit, at) => {
      const { qualifiers, values } = inOrder(edit ?? { qualifiers: [], values: [] });
      return qualifiers.map((name, i): [string, Uint8Array | undefined] => [
        `${families[at]!.name}:${name}`,
        values[i],
      ]);
    })
    .sort(byName);
}

it('changes of a row are reduced to the last one for each of its cells', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 6 }), (changes) => {
      const folded = foldChanges(families, changes);
      expect(folded.map(({ key, cleared, families: edits }) => [key, cleared, cellsIn(edits)])).toEqual(
        plainFold(changes),
      );
    }),
    { seed: SEED, numRuns: 1000 },
  );
});

it('edits are sorted, the last one of each qualifier, however many there are', () => {
  const qualifier = fc.oneof(fc.constantFrom('a', 'b', 'ba'), fc.string({ minLength: 1, maxLength: 2 }));
  const cells = fc.array(fc.tuple(qualifier, fc.option(value, { nil: undefined })), { maxLength: 90, size: 'max' });
  let longest = 0;
  fc.assert(
    fc.property(cells, (edits) => {
      const given = { qualifiers: edits.map(([name]) => name), values: edits.map(([, bytes]) => bytes) };
      const { qualifiers, values } = inOrder(given);
      expect(qualifiers.map((name, i) => [name, values[i]])).toEqual([...new Map(edits)].sort(byName));
      longest = Math.max(longest, edits.length);
    }),
    { seed: SEED, numRuns: 500 },
  );
  expect(longest).toBeGreaterThan(80);
});
