import type { TextRange } from '../../core/index.js';

/** Returns the part of a text from `begin` to `behind`, without the parts that no snippet may show. */
export function withoutHidden(
  text: string,
  ranges: readonly TextRange[] = [],
  begin = 0,
  behind = text.length,
): string {
  let from = begin;
  let shown = '';
  for (const { start, end, kind } of ranges) {
    if (kind !== 'nosnippet' || start < begin || end > behind) continue;
    shown += joint(shown) + text.slice(from, start);
    from = end;
  }
  return shown + joint(shown) + text.slice(from, behind);
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
