import { decodeHTML } from 'entities';
import { describe, expect, it } from 'vitest';
import { PageText, TextMemory } from '../../../packages/parse/html/page-text.js';
import { TextBuilder } from '../../../packages/parse/shared/text-builder.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { runs } from '../../support/runs.js';
import { words } from '../../support/files/words.js';

/** An added part: text as it is shown, raw text of a page, or the end of a word. */
type Part = { readonly text: string } | { readonly raw: string } | 'break';

const PIECES = [
  ...words`a bc 😀 é 日本`,
  ...['', ' ', '  ', '\n', '\t ', ' \r\n', '\u00a0', '\u3000', '\ufeff', '\u2029', '\u1680'],
  '& ',
  ...words`
    &amp; &lt &lt; &gt; &lx; &gx; &at; &LT; &ltx &amx; &lmp; &ampx &#x20; &#128512; &nbsp; & &notit; &acE; &#xD800;
    ; > 1
  `,
];

function valueOf(part: Part): string {
  return part === 'break' ? ' ' : 'raw' in part ? decodeHTML(part.raw) : part.text;
}

function addTo(text: PageText, part: Part): void {
  if (part === 'break') text.breakWord();
  else if ('text' in part) text.add(part.text);
  else {
    // Other bytes around it, which must not be read.
    const bytes = Buffer.from(`amp;${part.raw}<x;`);
    expect(text.addReferring(bytes, 4, bytes.length)).toBe(bytes.length - 3);
  }
}

function built(parts: readonly Part[], limit: number): TextBuilder {
  const builder = new TextBuilder(limit);
  for (const part of parts) {
    if (part === 'break') builder.breakWord();
    else builder.add(valueOf(part));
  }
  return builder;
}

describe('the text of a page', () => {
  it('has the same white space as a regular expression', () => {
    const wrong: string[] = [];
    for (let code = 0; code < 0x10000; code++) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const char = String.fromCharCode(code);
      const text = new PageText(-1);
      text.add(`a${char}b`);
      if (text.toString() !== (/\s/.test(char) ? 'a b' : `a${char}b`)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  it('equals that of a builder of strings, and so do its slices, in random texts', () => {
    for (let seed = 1; seed <= runs(2_000, 10_000); seed++) {
      const random = randomNumbers(seed);
      const piece = () => PIECES[Math.floor(random() * PIECES.length)]!;
      const parts = Array.from({ length: 8 * random() }, (): Part => {
        if (random() < 0.15) return 'break';
        const value = piece() + piece() + piece();
        return random() < 0.5 ? { text: value } : { raw: value };
      });
      const limit = Math.floor(14 * random()) - 1;
      const text = new PageText(limit);
      const from = Math.floor(random() * (parts.length + 1));
      for (const part of parts.slice(0, from)) addTo(text, part);
      const start = text.length;
      for (const part of parts.slice(from)) addTo(text, part);
      const whole = built(parts, limit);
      const message = `seed ${seed}: ${JSON.stringify(parts)}`;
      expect(text.toString(), message).toBe(whole.toString());
      expect(text.full, message).toBe(built(parts, -1).toString().length >= (limit < 0 ? Infinity : limit));
      const slice = Math.floor(8 * random());
      expect(text.from(start, slice), message).toBe(built(parts.slice(from), slice).toString());
    }
  });

  it('has as many UTF-16 units before a place as its text up to there, also in random texts', () => {
    for (let seed = 1; seed <= runs(200, 2000); seed++) {
      const random = randomNumbers(seed);
      const text = new PageText(-1);
      const [places, units] = [[0], [0]];
      for (let i = 0; i < 20 * random(); i++) {
        text.add(PIECES[Math.floor(random() * PIECES.length)]!);
        places.push(text.length);
        units.push(Buffer.from(text.bytes.subarray(0, text.length)).toString().length);
      }
      expect(text.unitsBefore(places), `seed ${seed}`).toEqual(units);
    }
  });

  it('uses the memory of the text that was read before it, but none of its characters', () => {
    const memory = new TextMemory();
    const first = new PageText(-1, memory);
    first.add('a text of some length');
    const { buffer } = first.bytes;
    first.release();
    expect(first.toString()).toBe('');
    const second = new PageText(-1, memory);
    const third = new PageText(-1, memory);
    second.add('ab');
    third.add('cd');
    expect([second.toString(), third.toString()]).toEqual(['ab', 'cd']);
    expect(second.bytes.buffer).toBe(buffer);
    expect(third.bytes.buffer).not.toBe(buffer);
  });
});
