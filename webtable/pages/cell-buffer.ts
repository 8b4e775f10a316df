/** Bytes of a new buffer. The cells of most pages fit into it. */
const FIRST_BYTES = 16_384;

/**
 * A buffer into which cells are written one after another, so that a cell needs no buffer of its own. If the buffer is too small, it is
 * replaced by a larger copy. Views of the earlier buffer stay valid until {@link CellBuffer.clear}.
 */
export class CellBuffer {
  bytes: Buffer<ArrayBuffer>;
  /** The offset after the last cell. */
  end = 0;

  /** @param memory the memory to use; absent: new memory, at the first cell */
  constructor(memory?: ArrayBuffer) {
    this.bytes = memory ? Buffer.from(memory) : Buffer.alloc(0);
  }

  /** Makes room for this number of bytes. The caller writes them at `end`, and moves `end`. */
  reserve(length: number): void {
    const needed = this.end + length;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.bytes.length, FIRST_BYTES));
    larger.set(this.bytes.subarray(0, this.end));
    this.bytes = larger;
  }

  /** Writes a string in UTF-8. A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD. */
  write(value: string): void {
    // A UTF-16 unit has at most three bytes. Long strings are counted, because most of them need one byte for each unit.
    this.reserve(value.length <= FIRST_BYTES / 8 ? 3 * value.length : Buffer.byteLength(value, 'utf8'));
    this.end += this.bytes.write(value, this.end, 'utf8');
  }

  /** A copy of the bytes from an offset on. */
  copy(start: number): Uint8Array {
    return Buffer.from(this.bytes.subarray(start, this.end));
  }

  /** Removes all cells, and frees the memory. Views stay valid. */
  release(): void {
    this.clear();
    this.bytes = Buffer.alloc(0);
  }

  /** Removes all cells. The memory is used again, so all views become invalid. */
  clear(): void {
    this.end = 0;
  }
}
