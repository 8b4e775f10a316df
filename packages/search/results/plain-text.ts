import { replaceUnseen } from '../../util/index.js';

/** Matches characters within words that are visible only at the end of a line, or never. */
const WITHIN_WORDS = /[\u00ad\u2060\ufeff]/g;

/**
 * Returns a text of a page as one line. Invisible characters within words are removed. All other invisible characters become a blank. A run
 * of blanks becomes one blank. The result is plain text, which the caller must escape for HTML.
 */
export function plainLine(text: string): string {
  return replaceUnseen(text.replace(WITHIN_WORDS, ''), ' ').replace(/\s+/g, ' ').trim();
}

/** Does the same as {@link plainLine}, and shortens the text to at most `max` characters, between words if possible. */
export function shortLine(text: string, max: number): string {
  const line = plainLine(text.slice(0, max * 4));
  if (line.length <= max) return line;
  const cut = line.slice(0, max - 1);
  const blank = cut.lastIndexOf(' ');
  return `${(blank > max / 2 ? cut.slice(0, blank) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd()}\u2026`;
}
