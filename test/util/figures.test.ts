import { expect, it } from 'vitest';
import { figures } from '../../packages/util/index.js';

it('writes numbers as Intl does in English', () => {
  const values = [
    0,
    1,
    12,
    999,
    1000,
    1234,
    999_999,
    1_000_000,
    12_345_678.9,
    0.25,
    0.1 + 0.2,
    0.999,
    1e15,
    -1,
    -1234.5,
  ];
  for (const value of values) {
    for (const digits of [0, 1, 2]) {
      expect(figures.number(value, digits)).toBe(value.toLocaleString('en-US', { maximumFractionDigits: digits }));
    }
  }
});
