import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadRule } from '../../packages/patterns/rule-file.js';
import { safePattern, type PatternUse, type SafePattern } from '../../packages/patterns/safe-pattern.js';
import { fuzzed, runs } from '../support/runs.js';

const isRegExp = (source: string): boolean => {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
};

/** Patterns with few letters, so that they match, and with back-references only to existing groups. */
const { pattern: PATTERNS } = fc.letrec<{ pattern: string; sequence: string; item: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...'ab/?.', '\\?', '[ab]', '[^b]', '[^/?]', '\\w', '\\d', '[]a]', '\\.') },
    { weight: 2, arbitrary: fc.constantFrom('^', '$', '\\b', '\\B') },
    { weight: 1, arbitrary: fc.constantFrom('\\1', '\\2') },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom('(', '(', '(?:', '(?=', '(?!', '(?<=', '(?<!'), tie('pattern'))
        .map(([open, inside]) => `${open}${inside})`),
    },
  ),
  item: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{2,}', '{0,2}?'))
    .map(([atom, repeat]) => (/^(?:[\^$]|\\[bB]|\(\?<?[=!])/.test(atom) ? atom : atom + repeat)),
  sequence: fc.array(tie('item'), { maxLength: 4 }).map((items) => items.join('')),
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 2, depthIdentifier: 'p' }).map((all) => all.join('|')),
}));
const patterns = PATTERNS.filter((source) => {
  if (!isRegExp(source)) return false;
  const groups = new RegExp(`|${source}`).exec('')!.length - 1;
  return [...source.matchAll(/\\(\d)/g)].every(([, group]) => Number(group) <= groups);
});
/** Undefined if the pattern is rejected. */
function unlessRefused(source: string, ignoreCase: boolean, use: PatternUse): SafePattern | undefined {
  try {
    return safePattern(source, ignoreCase, use);
  } catch (error) {
    if (error instanceof BadRule) return undefined;
    throw error;
  }
}
const texts = fc.string({ unit: fc.constantFrom(...'aabB/?.1'), maxLength: 14 });

describe('a safe pattern', () => {
  it('finds and replaces the same as the platform, or is rejected', () => {
    const seen = { found: 0, replaced: 0, refused: 0 };
    fc.assert(
      fc.property(
        patterns,
        fc.boolean(),
        fc.array(texts, { minLength: 4, maxLength: 4 }),
        (source, ignoreCase, all) => {
          const finder = unlessRefused(source, ignoreCase, 'test');
          const replacer = unlessRefused(source, ignoreCase, 'replace');
          if (!finder) seen.refused++;
          for (const text of all) {
            if (finder) {
              seen.found++;
              expect(finder.test(text)).toBe(new RegExp(source, ignoreCase ? 'i' : '').test(text));
            }
            if (!replacer) continue;
            seen.replaced++;
            const native = new RegExp(source, ignoreCase ? 'gi' : 'g');
            const replacement = replacer.groups > 0 ? ['<', 0, ':', 1, '>'] : ['<', 0, '$&>'];
            const expected = text.replace(native, (...found: unknown[]) =>
              replacement.map((part) => (typeof part === 'number' ? ((found[part] as string) ?? '') : part)).join(''),
            );
            expect(replacer.replace(text, replacement)).toBe(expected);
          }
        },
      ),
      fuzzed(20_240_711, runs(2_000, 6_000)),
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(runs(150, 500));
    expect(seen.found).toBeGreaterThan(seen.replaced);
  });

  const long = 'a'.repeat(8_000);
  it.each([
    ['(?:a+)+$', `${long}!`],
    ['(?:a|aa)+$', `${long}!`],
    ['a*a*a*b', long],
    ['(.*)*x', long],
    ['(?:x+x+)+y', 'x'.repeat(8_000)],
  ])('ends quickly for a text that would take backtracking long: %s', (source, text) => {
    expect(safePattern(source, false, 'test').test(text)).toBe(false);
    expect(safePattern(source, true, 'test').test(text)).toBe(false);
    expect(unlessRefused(source, false, 'replace')?.replace(text, ['x']) ?? text).toBe(text);
  });

  it.each([
    ['(a+)+\\1$', /look-ahead or back-references/],
    ['.*(/[^/]+)/[^/]+\\1/[^/]+\\1/', /look-ahead or back-references/],
    ['(?<x>a)\\k<x>', /look-ahead or back-references/],
    ['(?=(a+)+$)b', /look-ahead or back-references/],
    ['(?:(?!b).)*b$', /look-ahead or back-references/],
    ['(?<=(a))a*b', /look-ahead or back-references/],
    ['(?:a{500}){20}', /this large/],
  ])('rejects patterns that may run for long: %s', (source, message) => {
    for (const use of ['test', 'replace'] as const) {
      expect(() => safePattern(source, false, use)).toThrow(BadRule);
      expect(() => safePattern(source, false, use)).toThrow(message);
    }
  });

  it.each(['(?:(a)|b)+', '((a)*b)+', '(a*)*b', '(?:a|)+b'])(
    'rejects a replacement in which JavaScript would give another result: %s',
    (source) => {
      expect(() => safePattern(source, false, 'replace')).toThrow(/a repeated group/);
      expect(safePattern(source, false, 'test').test('ab')).toBe(true);
    },
  );

  it('stops a replacement that takes too many steps', () => {
    const pattern = safePattern('a(.*b)?', false, 'replace');
    expect(() => pattern.replace(long, ['x'])).toThrow(/takes too many steps/);
    expect(pattern.replace('aab aa', ['<', 1, '>'])).toBe('<ab> <><>');
  });

  it.each([
    '^[^?]*\\.(?:gif|jpe?g)(?:\\?|$)',
    '(\\?.*)|(?<!:)(/)/+',
    '^(?!https?://)',
    'a*b',
    '^https?://(?:[a-z0-9-]+\\.)*example\\.com/',
    '^https?://([a-z0-9-]+\\.)*example\\.com/',
    '(?<=[?&])a+b',
    'a?'.repeat(30) + 'a'.repeat(30),
    '(?:a{400}){2}',
  ])('accepts %s', (source) => {
    expect(safePattern(source, false, 'replace').test('-')).toBe(new RegExp(source).test('-'));
  });
});
