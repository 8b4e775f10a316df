import { LineBuffer } from './line-buffer.js';

/** Maximum length of the line before a chunk. The line has the size of the chunk, and may have extensions. */
const LINE_LIMIT = 4096;
const SIZE = /^[ \t]*(?=[0-9a-f])0*([0-9a-f]{0,13})[ \t]*(?:;|$)/i;

/**
 * Removes the transfer coding `chunked`. A line may end with LF alone, and blanks may surround a size. The body is complete after the last
 * chunk. Anything after that chunk is ignored.
 */
export class ChunkedBody {
  readonly #lines = new LineBuffer();
  #expect: 'size' | 'data' | 'line_end' = 'size';
  #left = 0;

  /**
   * Reads the next bytes.
   * @param keep receives the content, and returns whether it needs more
   * @returns `end` after the last chunk; `broken` if the bytes are not in this coding; `full` if `keep` needs no more content
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
