import { describe, expect, it } from 'vitest';
import { TextBuilder } from '../../../packages/parse/shared/text-builder.js';
import { randomNumbers } from '../../support/web/fake-web.js';

/** The result that a builder promises, in one step: `null` separates words. */
function plain(values: readonly (string | null)[], limit: number): string {
  let text = values.map((value) => value ?? ' ').join('');
  text = text.replace(/\s+/g, ' ').trim();
  if (limit < 0 || text.length <= limit) return text;
  return text.slice(0, /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit).trimEnd();
}

function build(values: readonly (string | null)[], limit: number): string {
  const builder = new TextBuilder(limit);
  for (const value of values) {
    if (value === null) builder.breakWord();
    else builder.add(value);
  }
  return builder.toString();
}

describe('TextBuilder', () => {
  it('has the same white space as a regular expression', () => {
    for (let code = 0; code < 0x10000; code++) {
      const char = String.fromCharCode(code);
      expect(build([`a${char}b`], -1), code.toString(16)).toBe(/\s/.test(char) ? 'a b' : `a${char}b`);
    }
  });

  it('makes the same as collapsing the whole text', () => {
    const pieces = ['', 'a', 'bc', ' ', '  ', '\n', '\t ', ' \r\n', '\u00a0', '\u3000', '\ufeff', '😀', 'é', null];
    for (let seed = 1; seed <= 5_000; seed++) {
      const random = randomNumbers(seed);
      const pick = () => pieces[Math.floor(random() * pieces.length)] ?? null;
      const values = Array.from({ length: 8 * random() }, () => {
        const [one, two, three] = [pick(), pick(), pick()];
        return one === null ? null : one + (two ?? '') + (three ?? '');
      });
      const limit = Math.floor(12 * random()) - 1;
      expect(build(values, limit), `seed ${seed}`).toBe(plain(values, limit));
    }
  });

  it('reads long values in pieces, which does not show', () => {
    for (const length of [65_534, 65_535, 65_536, 65_537, 131_072]) {
      for (const middle of ['', ' ', ' \n ', 'x', '😀']) {
        const value = `a${' '.repeat(length - 1)}${middle}b${'c'.repeat(70_000)}`;
        for (const limit of [-1, 1, 2, 4, 65_536, 65_537, 70_003]) {
          expect(build([value], limit) === plain([value], limit), `${length} ${middle} ${limit}`).toBe(true);
        }
      }
    }
  });

  it('keeps no half of a character, even if a piece ends at the limit', () => {
    const value = `${'a'.repeat(65_535)}😀x`;
    expect(build([value], 65_536)).toBe('a'.repeat(65_535));
    expect(build(['ab', '😀'.slice(0, 1), '😀'.slice(1)], 3)).toBe('ab');
  });

  it('is full at its limit, also with half a character before it', () => {
    const builder = new TextBuilder(3);
    builder.add('ab😀');
    expect(builder.full).toBe(true);
    builder.add('c');
    expect(builder.toString()).toBe('ab');
  });
});
