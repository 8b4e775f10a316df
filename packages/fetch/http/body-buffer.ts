const FIRST_PIECE = 4096;

/**
 * Collects a body in one buffer. Therefore many small pieces take no more memory than a few large pieces. The buffer is always smaller than
 * twice its content.
 */
export class BodyBuffer {
  /** Number of bytes that are stored so far. */
  size = 0;
  #memory = new Uint8Array(0);
  readonly #room: number;

  /** @param room maximum number of bytes to store, or Infinity */
  constructor(room: number) {
    this.#room = room;
  }

  /** Stores the bytes for which there is room. Returns false if some bytes did not fit. */
  add(bytes: Uint8Array): boolean {
    const fits = bytes.length <= this.#room - this.size ? bytes : bytes.subarray(0, this.#room - this.size);
    const needed = this.size + fits.length;
    if (needed > this.#memory.length) {
      const grown = new Uint8Array(Math.min(this.#room, Math.max(needed, FIRST_PIECE, this.#memory.length * 2)));
      grown.set(this.bytes());
      this.#memory = grown;
    }
    this.#memory.set(fits, this.size);
    this.size = needed;
    return fits.length === bytes.length;
  }

  /** Returns the stored bytes. */
  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.size);
  }
}
