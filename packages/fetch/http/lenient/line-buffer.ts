/** Takes lines off a stream of bytes. Ends of lines are LF; CRs before it belong to the end. */
export interface LineBuffer {
  /** What has come of the line that is not complete yet, each byte one character. */
  readonly pending: string;
  /**
   * Takes bytes up to the end of the line.
   * @returns the line without its end where it is complete, and how many of the bytes were taken
   */
  take(bytes: Buffer): { readonly line?: string; readonly taken: number };
  /** Forgets what is pending, and returns it. */
  clear(): string;
}

/** Makes an empty one. Whoever feeds it sees to its bound: what it holds is what was taken and is not complete. */
export function createLineBuffer(): LineBuffer {
  let pending = '';
  return {
    get pending() {
      return pending;
    },
    take(bytes) {
      const end = bytes.indexOf(0x0a);
      pending += bytes.toString('latin1', 0, end < 0 ? bytes.length : end);
      if (end < 0) return { taken: bytes.length };
      let length = pending.length;
      while (length > 0 && pending.charCodeAt(length - 1) === 0x0d) length--;
      const line = pending.slice(0, length);
      pending = '';
      return { line, taken: end + 1 };
    },
    clear() {
      const text = pending;
      pending = '';
      return text;
    },
  };
}
