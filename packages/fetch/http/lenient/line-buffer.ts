/**
 * Splits a stream of bytes into lines. A line ends with LF. The LF, and CRs before it, are removed. The bytes of an incomplete line stay in
 * memory, so the caller must limit their number.
 */
export class LineBuffer {
  /** The incomplete line. Each character is one byte. */
  pending = '';

  /**
   * Reads bytes up to the end of the line.
   * @returns the number of bytes that were read, and the line without its end, if it is complete
   */
  take(bytes: Buffer): { readonly line?: string; readonly taken: number } {
    const end = bytes.indexOf(0x0a);
    this.pending += bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
    if (end < 0) return { taken: bytes.length };
    let { length } = this.pending;
    while (length > 0 && this.pending.charCodeAt(length - 1) === 0x0d) length--;
    return { line: this.clear().slice(0, length), taken: end + 1 };
  }

  /** Removes the incomplete line and returns it. */
  clear(): string {
    const text = this.pending;
    this.pending = '';
    return text;
  }
}
