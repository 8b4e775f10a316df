import { LineBuffer } from './line-buffer.js';

/** Longer lines with the size of a chunk are not believed; they may hold extensions. */
const LINE_LIMIT = 4096;
const SIZE = /^[ \t]*(?=[0-9a-f])0*([0-9a-f]{0,13})[ \t]*(?:;|$)/i;

/**
 * Undoes the transfer coding `chunked`. Lines may end in LF alone, and blanks may surround a size. What comes after the
 * last chunk is not looked at: with it the body is complete.
 */
export class ChunkedBody {
  readonly #lines = new LineBuffer();
  #expect: 'size' | 'data' | 'line_end' = 'size';
  #left = 0;

  /**
   * Takes the next bytes.
   * @param keep is handed the content; it returns whether more is wanted
   * @returns `end` after the last chunk, `broken` where this cannot be the coding, `full` where no more is wanted
   */
  push(bytes: Buffer, keep: (content: Buffer) => boolean): 'more' | 'end' | 'broken' | 'full' {
    for (let rest = bytes; rest.length > 0;) {
      if (this.#expect === 'data') {
        const content = rest.subarray(0, this.#left);
        this.#left -= content.length;
        rest = rest.subarray(content.length);
        if (!keep(content)) return 'full';
        if (this.#left === 0) this.#expect = 'line_end';
        continue;
      }
      const { line, taken } = this.#lines.take(rest);
      rest = rest.subarray(taken);
      if ((line ?? this.#lines.pending).length > LINE_LIMIT) return 'broken';
      if (line === undefined) continue;
      if (this.#expect === 'line_end') {
        if (line !== '') return 'broken';
        this.#expect = 'size';
        continue;
      }
      const digits = SIZE.exec(line)?.[1];
      if (digits === undefined) return 'broken';
      this.#left = parseInt(digits || '0', 16);
      if (this.#left === 0) return 'end';
      this.#expect = 'data';
    }
    return 'more';
  }
}
