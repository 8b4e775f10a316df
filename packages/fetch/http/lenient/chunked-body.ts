import { createLineBuffer } from './line-buffer.js';

/** Undoes the transfer coding `chunked`. */
export interface ChunkedBody {
  /**
   * Takes the next bytes.
   * @param keep is handed the content; it returns whether more is wanted
   * @returns `end` after the last chunk, `broken` where this cannot be the coding, `full` where no more is wanted
   */
  push(bytes: Buffer, keep: (content: Buffer) => boolean): 'more' | 'end' | 'broken' | 'full';
}

/** Longer lines with the size of a chunk are not believed; they may hold extensions. */
const LINE_LIMIT = 4096;
const SIZE = /^[ \t]*(?=[0-9a-f])0*([0-9a-f]{0,13})[ \t]*(?:;|$)/i;

/**
 * Makes a decoder. Lines may end in LF alone, and blanks may surround a size. What comes after the last chunk is
 * not looked at: with it the body is complete.
 */
export function createChunkedBody(): ChunkedBody {
  const lines = createLineBuffer();
  let expect: 'size' | 'data' | 'line_end' = 'size';
  let left = 0;

  return {
    push(bytes, keep) {
      for (let rest = bytes; rest.length > 0;) {
        if (expect === 'data') {
          const content = rest.subarray(0, left);
          left -= content.length;
          rest = rest.subarray(content.length);
          if (!keep(content)) return 'full';
          if (left === 0) expect = 'line_end';
          continue;
        }
        const { line, taken } = lines.take(rest);
        rest = rest.subarray(taken);
        if ((line ?? lines.pending).length > LINE_LIMIT) return 'broken';
        if (line === undefined) continue;
        if (expect === 'line_end') {
          if (line !== '') return 'broken';
          expect = 'size';
          continue;
        }
        const digits = SIZE.exec(line)?.[1];
        if (digits === undefined) return 'broken';
        left = parseInt(digits || '0', 16);
        if (left === 0) return 'end';
        expect = 'data';
      }
      return 'more';
    },
  };
}
