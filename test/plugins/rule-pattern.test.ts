import { describe, expect, it } from 'vitest';
import { BadRule } from '../../packages/plugins/rule-file.js';
import { compilePattern } from '../../packages/plugins/rule-pattern.js';

describe('compilePattern', () => {
  it('takes (?i) at the start', () => {
    expect(compilePattern('(?i)a\\.b', 'g')).toEqual(/a\.b/gi);
    expect(compilePattern('a', '')).toEqual(/a/);
  });

  it.each([
    '\\bx\\B',
    '\\d\\D\\s\\S\\w\\W',
    '(?:a)(?=b)(?!c)(?<=d)(?<!e)',
    '(?<name>a)\\k<name>',
    '(a)\\1',
    '\\\\Q',
    'a{1}?',
    '[a&&b]',
    '\\(\\?i\\)',
    '\\u0041\\x41',
  ])('takes %s', (pattern) => {
    expect(compilePattern(pattern).source).toBe(pattern);
  });

  it.each([
    ['', 'a pattern is expected'],
    ['(', 'the pattern is wrong (Unterminated group)'],
    ['a**', 'the pattern is wrong (Nothing to repeat)'],
    ['a++', 'the pattern is wrong (Nothing to repeat)'],
    ['(?>a)', 'the pattern is wrong (Invalid group)'],
    ['a(?i)b', 'a flag is possible only as (?i) at the start'],
    ['(?i:a)', 'a flag is possible only as (?i) at the start'],
    ['(?s)a', 'a flag is possible only as (?i) at the start'],
    ['(?i)(?i)a', 'a flag is possible only as (?i) at the start'],
    ['\\Qa.b\\E', 'the escape \\Q is not known'],
    ['\\Aa\\z', 'the escape \\A is not known'],
    ['\\p{Alpha}', 'the escape \\p is not known'],
    ['\\x{41}', 'the escape \\x{ is not known'],
    ['[a-z&&[^b]]', 'character classes can not be intersected by &&'],
  ])('refuses %j', (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(new BadRule(message));
  });
});
