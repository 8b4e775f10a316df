import { describe, expect, test } from 'vitest';
import { isLinear } from '../../packages/patterns/pattern-cost.js';
import { parsePattern } from '../../packages/patterns/pattern-tree.js';

describe('whether a pattern is sure to be linear', () => {
  test.each([
    '^[^?]*\\?x',
    '^[^?]*\\?(?:.*[&;])?sort(?:[=&;]|$)',
    '^https?://[^/]+/a/[^/]+/[^/?]',
    '^[^/]+/\\d+/\\d+/.*x',
    '^https?://[^/]+/\\d{1,10}/\\d{1,10}/\\d{1,10}/\\d{1,10}/?(?:\\?|$)',
    '^[^?]*?\\?',
    '^[^?]*\\?+',
  ])('it is: a repeat that ends at a sign which it cannot take is not come back to, %s', (pattern) => {
    expect(isLinear(parsePattern(pattern))).toBe(true);
  });

  test.each([
    // Each place at which the search may begin walks it again.
    '[^?]*\\?x',
    // Each place to which the first may be taken back walks it again.
    '^.*a[^?]*\\?x',
    '^.*(?:[^?]*\\?)?x',
    // These take the sign themselves, or may end elsewhere.
    '^[^/]*\\?.*x',
    '^[^?]*\\??.*x',
    '^[^?]*[?].*x',
    '^.*\\?.*x',
    // A letter may be in the other case.
    '^[a-z]*A.*x',
    '^[^a]*a.*x',
    '^(?:[^/]*/)+x',
    '^[^/]*.*x',
  ])('it is not, or that is not known: %s', (pattern) => {
    expect(isLinear(parsePattern(pattern))).toBe(false);
  });
});
