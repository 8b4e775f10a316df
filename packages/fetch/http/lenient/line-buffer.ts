/**
 * Takes lines off a stream of bytes. Ends of lines are LF; CRs before it belong to the end. Whoever feeds it sees to its
 * bound: what it holds is what was taken and is not complete.
 */
export class LineBuffer {
  /** What has come of the line that is not complete yet, each byte one character. */
  pending = '';

  /**
   * Takes bytes up to the end of the line.
   * @returns the line without its end where it is complete, and how many of the bytes were taken
   */
  take(bytes: Buffer): { readonly line?: string; readonly taken: number } {
    const end = bytes.indexOf(0x0a);
    this.pending += bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
    if (end < 0) return { taken: bytes.length };
    let { length } = this.pending;
    while (length > 0 && this.pending.charCodeAt(length - 1) === 0x0d) length--;
    return { line: this.clear().slice(0, length), taken: end + 1 };
  }

  /** Forgets what is pending, and returns it. */
  clear(): string {
    const text = this.pending;
    this.pending = '';
    return text;
  }
}
