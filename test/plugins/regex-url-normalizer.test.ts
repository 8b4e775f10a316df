import { describe, expect, it } from 'vitest';
import { regexUrlNormalizer } from '../../packages/plugins/index.js';

const normalize = (rules: string, url: string) => regexUrlNormalizer(rules).normalizeUrl!(url, 'outlink');

describe('regexUrlNormalizer', () => {
  it('applies every rule once, in order, at every match', () => {
    expect(normalize('a\tb\nb\tc', 'aba')).toBe('ccc');
    expect(normalize('b\tc\na\tb', 'aba')).toBe('bcb');
    expect(normalize('a\taa', 'aa')).toBe('aaaa');
  });

  it.each([
    ['nothing', 'a\t', 'bab', 'bb'],
    ['groups', '(a)(b)\t$2$1', 'ab', 'ba'],
    ['all that was found', 'a+\t<$0>', 'baab', 'b<aa>b'],
    ['a group that took no part', '(a)|(b)\t[$1]', 'ab', '[a][]'],
    ['a group and a digit', '(a)\t$12', 'a', 'a2'],
    ['a group of two digits', '(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\t$10', 'abcdefghij', 'j'],
    ['an escaped dollar', 'a\t\\$1', 'a', '$1'],
    ['an escaped backslash', 'a\t\\\\', 'a', '\\'],
    ['an escaped question mark', '\\?&\t\\?', 'x?&y', 'x?y'],
    ['dollar signs that JavaScript would take for more', "(a)\t\\$&\\$`\\$'", 'a', "$&$`$'"],
    ['no case', '(?i)SID=\\d+\t', 'x?sid=12', 'x?'],
    ['white space at the end', 'a\tb \t'.trimEnd(), 'a', 'b'],
    ['an alternative that is empty', 'a|\t-', 'a', '--'],
  ])('replaces by %s', (_what, rules, url, expected) => {
    expect(normalize(rules, url)).toBe(expected);
  });

  it('does not change URLs of unlimited length', () => {
    const long = `http://a.com/${'x'.repeat(8192)}`;
    expect(normalize('x\ty', long)).toBe(long);
  });

  it('lists every invalid line', () => {
    expect(() => regexUrlNormalizer('# fine\na\tb\nno tab\na\tb\tc\n(\tx\n(a)\t$2\na\t$\na\tx\\\n\tx')).toThrow(
      expect.objectContaining({
        code: 'BAD_SETTING',
        message: [
          'regex URL normaliser: line 3: a tab is expected between pattern and replacement, found "no tab"',
          'line 4: only one tab is expected, found "a\\u0009b\\u0009c"',
          'line 5: the pattern is wrong (Unterminated group), found "(\\u0009x"',
          'line 6: $ in the replacement names no group of the pattern (it has 1), found "(a)\\u0009$2"',
          'line 7: $ in the replacement names no group of the pattern (it has 0), found "a\\u0009$"',
          'line 8: a character is expected after \\ in the replacement, found "a\\u0009x\\"',
          'line 9: a pattern is expected, found "\\u0009x"',
        ].join('; '),
      }),
    );
  });
});
