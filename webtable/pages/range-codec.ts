import { cellCodec } from './cell-codec.js';
import type { TextRange } from './page.js';
import { MAX_VARINT_BYTES, takeVarint, writeVarint } from '../varint.js';

/** FROZEN. The index of a kind is its code. */
const KINDS: readonly TextRange['kind'][] = ['prose', 'nosnippet'];
/** Number of possible codes. */
const CODES = 4;

/**
 * FROZEN. Ranges of a text in order, without overlap. A range is stored as two numbers. The first is its distance from the end of the
 * previous range. The second is its length times {@link CODES}, plus the code of its kind.
 */
export const textRanges = cellCodec<readonly TextRange[]>({
  encodeInto(cells, ranges) {
    cells.reserve(2 * MAX_VARINT_BYTES * ranges.length);
    const { bytes } = cells;
    let end = 0;
    for (const range of ranges) {
      const code = KINDS.indexOf(range.kind);
      if (code === -1 || !isWhole(range.start) || !isWhole(range.end) || range.start < end || range.end <= range.start)
        throw new TypeError('expected ranges of a text in order, which do not overlap');
      const at = writeVarint(bytes, cells.end, range.start - end);
      cells.end = writeVarint(bytes, at, (range.end - range.start) * CODES + code);
      end = range.end;
    }
  },
  decode(bytes) {
    const ranges: TextRange[] = [];
    const reader = { bytes, at: 0 };
    for (let end = 0; reader.at < bytes.length;) {
      const start = end + takeVarint(reader);
      const packed = takeVarint(reader);
      const length = Math.floor(packed / CODES);
      const kind = KINDS[packed % CODES];
      end = start + length;
      if (kind === undefined || length === 0 || !isWhole(end)) throw new Error('no range of a text');
      ranges.push({ start, end, kind });
    }
    return ranges;
  },
});

const isWhole = (value: number): boolean =>
  Number.isInteger(value) && Number.isSafeInteger(value * CODES) && value >= 0;
