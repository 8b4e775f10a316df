import type { TextRange } from '../../../../webtable/index.js';
import type { PageText } from '../page-text.js';
import { withoutStretches, type Stretches } from './stretches.js';

/**
 * Returns the ranges of a text in the form for storage. The maximum number of ranges is three times `MAX_STRETCHES`. Text that no
 * snippet may show is not prose.
 * @param limit maximum UTF-16 units of the text
 */
export function textRanges(text: PageText, prose: Stretches, hidden: Stretches, limit: number): TextRange[] {
  const ranges = asRanges(hidden.starts.length === 0 ? prose : withoutStretches(prose, hidden), 'prose');
  if (hidden.starts.length > 0) ranges.push(...asRanges(hidden, 'nosnippet'));
  if (ranges.length === 0) return [];
  ranges.sort((a, b) => a.start - b.start);
  const places: number[] = [];
  for (const { start, end } of ranges) places.push(text.behindBlank(start), end);
  const units = text.unitsBefore(places);
  return ranges
    .map(({ kind }, i) => ({ start: units[2 * i]!, end: Math.min(units[2 * i + 1]!, limit), kind }))
    .filter(({ start, end }) => start < end);
}

function asRanges({ starts, ends }: Stretches, kind: TextRange['kind']): TextRange[] {
  return starts.map((start, i) => ({ start, end: ends[i]!, kind }));
}
