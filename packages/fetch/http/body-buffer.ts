const FIRST_PIECE = 4096;

/**
 * Collects a body in one piece of memory: one that comes in very many small pieces takes no more than its bytes. What it
 * takes up stays below twice what it holds.
 */
export class BodyBuffer {
  /** Bytes kept so far. */
  size = 0;
  #memory = new Uint8Array(0);
  readonly #room: number;

  /** @param room bytes to keep at the most, or Infinity */
  constructor(room: number) {
    this.#room = room;
  }

  /** Keeps what there is room for; false when that is not all of it. */
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

  /** What was kept. */
  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.size);
  }
}
