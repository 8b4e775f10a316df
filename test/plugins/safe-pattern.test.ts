import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countedSearch, TooManySteps } from '../../packages/plugins/patterns/counted-search.js';
import { neededCharacter } from '../../packages/plugins/patterns/needed-character.js';
import { parsePattern } from '../../packages/plugins/patterns/pattern-tree.js';
import { safePattern } from '../../packages/plugins/patterns/safe-pattern.js';
import { runs } from '../support/fuzz-runs.js';

const isRegExp = (source: string): boolean => {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
};

/** Patterns of few letters, so that they find something, and no back-reference to what is no group. */
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
/** Some of the patterns are too costly even for texts this short. */
function unlessGivenUp<T>(search: () => T, otherwise: T): T {
  try {
    return search();
  } catch (error) {
    if (error instanceof TooManySteps || /takes too many steps/.test(String(error))) return otherwise;
    throw error;
  }
}
const texts = fc.string({ unit: fc.constantFrom(...'aabB/?.1'), maxLength: 14 });

describe('a safe pattern', () => {
  it('finds and replaces what the platform does', () => {
    const engines = new Set<string>();
    fc.assert(
      fc.property(
        patterns,
        fc.boolean(),
        fc.array(texts, { minLength: 4, maxLength: 4 }),
        (source, ignoreCase, all) => {
          const safe = safePattern(source, ignoreCase);
          engines.add(`${safe.engines.test} ${safe.engines.replace}`);
          for (const text of all) {
            const found = new RegExp(source, ignoreCase ? 'i' : '').test(text);
            expect(unlessGivenUp(() => safe.test(text), found)).toBe(found);
            const native = new RegExp(source, ignoreCase ? 'gi' : 'g');
            const replacement = safe.groups > 0 ? ['<', 0, ':', 1, '>'] : ['<', 0, '$&>'];
            const expected = text.replace(native, (...found: unknown[]) =>
              replacement.map((part) => (typeof part === 'number' ? ((found[part] as string) ?? '') : part)).join(''),
            );
            expect(unlessGivenUp(() => safe.replace(text, replacement), expected)).toBe(expected);
          }
        },
      ),
      runs(20_240_711, 3_000),
    );
    expect([...engines].sort()).toEqual(['counted counted', 'native native', 're2 counted', 're2 re2']);
  });

  it('looks first for a character that every match holds', () => {
    const needed = (source: string, ignoreCase = false) =>
      neededCharacter(parsePattern(source), ignoreCase)?.source.replace('|[^\\0-\\x7f]', '');
    expect(needed('a*(?:[bc]d|e)+[^f]')).toBe('d|e');
    expect(needed('(?:a|)b?(?=c)[^d](?:e){0,2}\\w')).toBeUndefined();
    expect(needed('[?&]a;+', true)).toBe(';');
    expect(needed('\\u212a', true)).toBeUndefined();
    let useful = 0;
    fc.assert(
      fc.property(patterns, fc.boolean(), texts, (source, ignoreCase, text) => {
        const first = neededCharacter(parsePattern(source), ignoreCase);
        if (!first || first.test(text)) return;
        useful++;
        expect(new RegExp(source, ignoreCase ? 'i' : '').test(text)).toBe(false);
      }),
      runs(20_240_713, 5_000),
    );
    expect(useful).toBeGreaterThan(100);
  });

  it('counts along what the platform finds', () => {
    fc.assert(
      fc.property(patterns, fc.boolean(), texts, (source, ignoreCase, text) => {
        const native = new RegExp(source, ignoreCase ? 'di' : 'd').exec(text);
        const expected = native?.indices?.flatMap((span) => span ?? [-1, -1]) ?? null;
        expect(unlessGivenUp(() => countedSearch(parsePattern(source), ignoreCase)(text, 0), expected)).toEqual(
          expected,
        );
      }),
      runs(20_240_712, 5_000),
    );
  });

  const long = 'a'.repeat(8_000);
  it.each([
    ['(?:a+)+$', `${long}!`],
    ['(?:a|aa)+$', `${long}!`],
    ['a*a*a*b', long],
    ['(.*)*x', long],
    ['(?:x+x+)+y', 'x'.repeat(8_000)],
  ])('finds an end on what backtracking would not: %s', (source, text) => {
    expect(safePattern(source, false).test(text)).toBe(false);
    expect(safePattern(source, true).test(text)).toBe(false);
    expect(safePattern(source, false).replace(text, ['x'])).toBe(text);
  });

  it.each([
    ['(a+)+\\1$', `${long}!`],
    ['(?=(a+)+$)b', `${'a'.repeat(40)}!`],
    ['(.*)*x\\1', long],
    ['((a*)*)*b\\1', long],
    ['(?:(?!b).)*b$', long],
  ])('gives up what would not end: %s', (source, text) => {
    const { test, replace } = safePattern(source, false);
    expect(() => test(text)).toThrow(/takes too many steps/);
    expect(() => replace(text, [])).toThrow(/takes too many steps/);
    expect(test('ab')).toBe(new RegExp(source).test('ab'));
  });

  it('counts the ways through what takes no text', () => {
    expect(() => safePattern(`(a)?${'(?:|)'.repeat(40)}x\\1`, false).test('ab')).toThrow(/takes too many steps/);
  });

  it('gives up to replace what has too many matches to look for', () => {
    expect(() => safePattern('a(.*b)?', false).replace(long, ['x'])).toThrow(/takes too many steps/);
    expect(safePattern('a(.*b)?', false).replace('aab aa', ['<', 1, '>'])).toBe('<ab> <><>'.replace(' ', ' '));
  });

  it.each([
    ['^[^?]*\\.(?:gif|jpe?g)(?:\\?|$)', 'native'],
    ['(\\?.*)|(?<!:)(/)/+', 'native'],
    ['^(?!https?://)', 'native'],
    ['a*b', 're2'],
    ['^https?://(?:[a-z0-9-]+\\.)*example\\.com/', 're2'],
    ['^https?://([a-z0-9-]+\\.)*example\\.com/', 're2'],
    ['(?<=[?&])a+b', 're2'],
    ['.*(/[^/]+)/[^/]+\\1/[^/]+\\1/', 'counted'],
    ['a?'.repeat(30) + 'a'.repeat(30), 're2'],
    ['(?:a{400}){2}', 're2'],
    ['(?:a{500}){20}', 'counted'],
  ])('runs %s on the engine %s', (source, engine) => {
    expect(safePattern(source, false).engines.test).toBe(engine);
  });
});
