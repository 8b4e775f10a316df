import type { TextRange } from '../../core/index.js';

/** Removes the parts of a text that no snippet may show. */
export function withoutHidden(text: string, ranges: readonly TextRange[] = []): string {
  let from = 0;
  let shown = '';
  for (const { start, end, kind } of ranges) {
    if (kind !== 'nosnippet') continue;
    shown += joint(shown) + text.slice(from, start);
    from = end;
  }
  return from === 0 ? text : shown + joint(shown) + text.slice(from);
}

/** Returns the prose of a text, one part on each line. Empty: no part is known to be prose. */
export function proseOf(text: string, ranges: readonly TextRange[] = []): string {
  const parts = ranges.filter(({ kind }) => kind === 'prose').map(({ start, end }) => text.slice(start, end));
  return parts.join('\n');
}

function joint(before: string): string {
  return before === '' ? '' : '\n';
}
