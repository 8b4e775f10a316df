import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TagReader } from '../../../../packages/parse/html/scan/tag-reader.js';
import { fuzzed } from '../../../support/runs.js';

describe('TagReader', () => {
  it('skips a tag in the same way as it reads one', () => {
    const part = fc.constantFrom(
      ...'a b="x" c=\'y\' d=z "="w" =" = / /> > \' " é="ü" n1="" m=">" m=\'/>\' =a="b" k"="v" j-="u" e=/'.split(' '),
      ...[' ', '\n', '\t/', '>'],
    );
    fc.assert(
      fc.property(fc.constantFrom(' ', '/', '>'), fc.array(part, { maxLength: 8 }), (first, rest) => {
        const bytes = Buffer.from(first + rest.join(''));
        const [skipping, reading] = [new TagReader(bytes), new TagReader(bytes)];
        expect(skipping.skip(0)).toBe(reading.read(0, false));
        expect(skipping.closesItself).toBe(reading.closesItself);
        expect(skipping.attribute('a')).toBeUndefined();
      }),
      fuzzed(20_241_103, 20_000),
    );
  });

  it('does not keep the attributes of the tag before a skipped one', () => {
    const bytes = Buffer.from(' a="1"> b="2">');
    const tag = new TagReader(bytes);
    const next = tag.read(0, true);
    expect(tag.attribute('a')).toBe('1');
    expect(tag.skip(next)).toBe(bytes.length);
    expect(tag.attribute('a')).toBeUndefined();
  });
});
