import { replaceUnseen } from '../../util/index.js';

/**
 * A text from a page as one line: what cannot be seen becomes a blank, and runs of blanks one. It is plain text: whoever
 * shows it as HTML escapes it.
 */
export function plainLine(text: string): string {
  return replaceUnseen(text, ' ').replace(/\s+/g, ' ').trim();
}

/** The same, cut to `max` characters at the most, between words where it can be. */
export function shortLine(text: string, max: number): string {
  const line = plainLine(text.slice(0, max * 4));
  if (line.length <= max) return line;
  const cut = line.slice(0, max - 1);
  const blank = cut.lastIndexOf(' ');
  return `${(blank > max / 2 ? cut.slice(0, blank) : cut).replace(/[\ud800-\udbff]$/, '').trimEnd()}\u2026`;
}
