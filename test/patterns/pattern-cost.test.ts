import { describe, expect, test } from 'vitest';
import { isLinear } from '../../packages/patterns/pattern-cost.js';
import { parsePattern } from '../../packages/patterns/pattern-tree.js';

describe('a pattern', () => {
  test.each([
    '^[^?]*\\?x',
    '^[^?]*\\?(?:.*[&;])?sort(?:[=&;]|$)',
    '^https?://[^/]+/a/[^/]+/[^/?]',
    '^[^/]+/\\d+/\\d+/.*x',
    '^https?://[^/]+/\\d{1,10}/\\d{1,10}/\\d{1,10}/\\d{1,10}/?(?:\\?|$)',
    '^[^?]*?\\?',
    '^[^?]*\\?+',
  ])(
    'is linear if a repeat ends at a character that it cannot match, so there is no backtracking into it, %s',
    (pattern) => {
      expect(isLinear(parsePattern(pattern))).toBe(true);
    },
  );

  test.each([
    // The search walks this again from each possible start.
    '[^?]*\\?x',
    // The search walks the second part again from each end of the first.
    '^.*a[^?]*\\?x',
    '^.*(?:[^?]*\\?)?x',
    // These match the end character themselves, or may end elsewhere.
    '^[^/]*\\?.*x',
    '^[^?]*\\??.*x',
    '^[^?]*[?].*x',
    '^.*\\?.*x',
    // A letter may match in the other case.
    '^[a-z]*A.*x',
    '^[^a]*a.*x',
    '^(?:[^/]*/)+x',
    '^[^/]*.*x',
  ])('is not linear, or not known to be: %s', (pattern) => {
    expect(isLinear(parsePattern(pattern))).toBe(false);
  });
});
