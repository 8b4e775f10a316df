import { expect, test } from 'vitest';
import { csvRecord } from '../../../packages/export/pages/csv.js';

test.each([
  ['plain', 'plain'],
  ['a "quote"', '"a ""quote"""'],
  ['a,b', '"a,b"'],
  ['a\nb', '"a\nb"'],
  ['a\rb', '"a\rb"'],
  [' blank', '" blank"'],
  ['blank ', '"blank "'],
  [{ a: 1 }, '"{""a"":1}"'],
  [1.5, '1.5'],
  [undefined, ''],
  [null, ''],
])('%j is written as %j', (value, cell) => {
  expect(csvRecord([value, 'x'])).toBe(`${cell},x\r\n`);
});
