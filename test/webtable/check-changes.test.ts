import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkChanges } from '../../webtable/check-changes.js';
import type { Column } from '../../webtable/store.js';

const SEED = 3;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** The rule, written out in the simplest way. */
function isGood(column: string): boolean {
  const [family = '', ...rest] = column.split(':');
  const qualifier = rest.join(':');
  return rest.length > 0 && ['m', 'l', 'p'].includes(family) && PRINTABLE.test(qualifier) && !qualifier.endsWith('*');
}

function passes(put: readonly string[], remove: readonly string[]): boolean {
  try {
    checkChanges('webpage', [
      { key: 'a', put: new Map(put.map((column) => [column as Column, new Uint8Array()])) },
      { key: 'b', delete: remove as readonly Column[] },
    ]);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'STORE_FAILED' });
    return false;
  }
}

it('accepts the columns that the rule allows, put or deleted, long or short, and no others', () => {
  const piece = fc.constantFrom(...'mlpx::*)+i ~\n\0\x7fä中');
  const column = fc.oneof(
    fc.string({ unit: piece, maxLength: 12 }),
    fc
      .tuple(fc.constantFrom('m:', 'l:', 'p:'), fc.string({ unit: piece, maxLength: 12 }))
      .map((parts) => parts.join('')),
    fc.constantFrom('m:a', 'l:i:com.example:http/', 'm:st'),
  );
  fc.assert(
    fc.property(fc.array(column, { maxLength: 3 }), fc.array(column, { maxLength: 3 }), (put, remove) => {
      expect(passes(put, remove)).toBe([...put, ...remove].every(isGood));
    }),
    { seed: SEED, numRuns: 3000 },
  );
});

it.each(['', 'a\n', '\0', 'ä'])('refuses the row key %j', (key) => {
  expect(() => checkChanges('webpage', [{ key }])).toThrow('expected a row key of printable ASCII');
});
