import type { Alternatives, Item } from './pattern-tree.js';

/** A character that is one of more is in nearly every URL. */
const MOST_CHARACTERS = 32;

/** A pattern that finds one character, and how many characters of ASCII it may be. */
interface Needed {
  readonly source: string;
  readonly size: number;
}

/**
 * Finds in a text, quickly, a character that every match of a pattern holds: a text without it has no match. It also
 * finds any character beyond ASCII, since engines do not agree on the case of those. Undefined where a match need not hold
 * any, or one of very many.
 */
export function neededCharacter(pattern: Alternatives, ignoreCase: boolean): RegExp | undefined {
  const flags = ignoreCase ? 'i' : '';
  const needed = ofAny(pattern, flags);
  if (!needed || needed.size > MOST_CHARACTERS) return undefined;
  return new RegExp(`${needed.source}|[^\\0-\\x7f]`, flags);
}

function ofAny(pattern: Alternatives, flags: string): Needed | undefined {
  const all = pattern.map((sequence) => ofSequence(sequence, flags));
  if (!all.every((needed) => needed !== undefined)) return undefined;
  return {
    source: all.map(({ source }) => source).join('|'),
    size: all.reduce((sum, { size }) => sum + size, 0),
  };
}

function ofSequence(sequence: readonly Item[], flags: string): Needed | undefined {
  let best: Needed | undefined;
  for (const { kind, text, min, inside } of sequence) {
    if (min === 0) continue;
    let needed: Needed | undefined;
    const foldsToAscii = flags === 'i' && /\\u|[^\0-\x7f]/.test(text);
    if (kind === 'char' && !foldsToAscii) needed = { source: text, size: sizeOf(text, flags) };
    if (kind === 'group') needed = ofAny(inside, flags);
    if (needed && (!best || needed.size < best.size)) best = needed;
  }
  return best;
}

function sizeOf(char: string, flags: string): number {
  const pattern = new RegExp(`^(?:${char})$`, flags);
  return Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).filter((c) => pattern.test(c)).length;
}
