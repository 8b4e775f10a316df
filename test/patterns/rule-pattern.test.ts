import { describe, expect, it } from 'vitest';
import { BadRule } from '../../packages/patterns/rule-file.js';
import { compilePattern } from '../../packages/patterns/rule-pattern.js';

describe('compilePattern', () => {
  it('accepts (?i) at the start', () => {
    expect(['a.b', 'A.B', 'axb'].map(compilePattern('(?i)a\\.b').test)).toEqual([true, true, false]);
    expect(['a', 'A'].map(compilePattern('a').test)).toEqual([true, false]);
  });

  it.each([
    '\\bx\\B',
    '\\d\\D\\s\\S\\w\\W',
    '(?:a)(?=b)(?!c)(?<=d)(?<!e)',
    '(?<name>a)',
    '\\\\Q',
    'a{1}?',
    '[a&&b]',
    '\\(\\?i\\)',
    '\\u0041\\x41',
  ])('accepts %s', (pattern) => {
    const text = 'x xx a1 b (?i) \\Q A &b';
    expect(compilePattern(pattern).test(text)).toBe(new RegExp(pattern).test(text));
    expect(compilePattern(pattern).replace(text, ['-'])).toBe(text.replace(new RegExp(pattern, 'g'), '-'));
  });

  it.each([
    ['', 'a pattern is expected'],
    ['(', 'the pattern is wrong (Unterminated group)'],
    ['a**', 'the pattern is wrong (Nothing to repeat)'],
    ['a++', 'the pattern is wrong (Nothing to repeat)'],
    ['(?>a)', 'the pattern is wrong (Invalid group)'],
    ['a(?i)b', 'a flag is possible only as (?i) at the start'],
    ['(?i:a)', 'a flag is possible only as (?i) at the start'],
    ['(?i:foo)x*y*z*', 'a flag is possible only as (?i) at the start'],
    ['a(?-i:b)', 'a flag is possible only as (?i) at the start'],
    ['(?s-m:.)', 'a flag is possible only as (?i) at the start'],
    ['(?s)a', 'a flag is possible only as (?i) at the start'],
    ['(?i)(?i)a', 'a flag is possible only as (?i) at the start'],
    ['\\Qa.b\\E', 'the escape \\Q is not known'],
    ['\\Aa\\z', 'the escape \\A is not known'],
    ['\\p{Alpha}', 'the escape \\p is not known'],
    ['\\x{41}', 'the escape \\x{ is not known'],
    ['(a)\\2', 'a pattern with look-ahead or back-references may run for long'],
    ['\\1', 'a pattern with look-ahead or back-references may run for long'],
    ['(?<a>a)\\k<b>', 'the pattern is wrong (Invalid named capture referenced)'],
    ['\\k<b>', 'a pattern with look-ahead or back-references may run for long'],
    ['[a-z&&[^b]]', 'character classes cannot be intersected by &&'],
  ])('rejects %j', (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(
      expect.objectContaining({ name: 'Error', constructor: BadRule, message }) as BadRule,
    );
  });
});
