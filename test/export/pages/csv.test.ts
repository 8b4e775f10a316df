import { expect, test } from 'vitest';
import { looksLikeFormula } from '../../../packages/export/index.js';

test.each(['=1', '+1', '-1', '@a', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠a'])(
  '%j looks like a formula',
  (text) => {
    expect(looksLikeFormula(text)).toBe(true);
  },
);

test.each(['a=1', ' =1', '', 1, undefined])('%j does not look like a formula', (value) => {
  expect(looksLikeFormula(value)).toBe(false);
});
