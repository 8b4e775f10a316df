import type { TextRange } from '../../core/index.js';

/** Returns the part of a text from `from` to `to`, without the parts that no snippet may show. */
export function withoutHidden(text: string, ranges: readonly TextRange[] = [], from = 0, to = text.length): string {
  let at = from;
  let shown = '';
  for (const { start, end, kind } of ranges) {
    if (kind !== 'nosnippet' || start < from || end > to) continue;
    shown += joint(shown) + text.slice(at, start);
    at = end;
  }
  return shown + joint(shown) + text.slice(at, to);
}

/** Returns the text from the first prose to the last, with tables and code between them. Menus and footers are mostly outside. */
export function mainOf(text: string, ranges: readonly TextRange[] = []): string {
  const prose = ranges.filter(({ kind }) => kind === 'prose');
  return prose.length === 0 ? '' : withoutHidden(text, ranges, prose[0]!.start, prose.at(-1)!.end);
}

/** Returns the prose of a text, one part on each line. Empty: no part is known to be prose. */
export function proseOf(text: string, ranges: readonly TextRange[] = []): string {
  const parts = ranges.filter(({ kind }) => kind === 'prose').map(({ start, end }) => text.slice(start, end));
  return parts.join('\n');
}

function joint(before: string): string {
  return before === '' ? '' : '\n';
}
