const MIN_MEMORY = 4096;
/** Maximum number of bytes that are reserved because a server announces them. */
const MAX_ANNOUNCED = 262_144;

/**
 * Collects a body in one buffer. Therefore many small pieces take no more memory than a few large pieces. The buffer is smaller than twice
 * its content, or has the announced length.
 */
export class BodyBuffer {
  /** Number of bytes that are stored so far. */
  size = 0;
  #memory = new Uint8Array(0);
  readonly #room: number;
  readonly #announced: number;

  /**
   * @param room maximum number of bytes to store, or Infinity
   * @param announced number of bytes that the server announces, or NaN
   */
  constructor(room: number, announced = NaN) {
    this.#room = room;
    this.#announced = announced > 0 ? Math.min(announced, MAX_ANNOUNCED) : MIN_MEMORY;
  }

  /** Stores the bytes for which there is room. Returns false if some bytes did not fit. */
  add(bytes: Uint8Array): boolean {
    const fits = bytes.length <= this.#room - this.size ? bytes : bytes.subarray(0, this.#room - this.size);
    const needed = this.size + fits.length;
    if (needed > this.#memory.length) {
      const wanted = this.#memory.length === 0 ? this.#announced : this.#memory.length * 2;
      const grown = new Uint8Array(Math.min(this.#room, Math.max(needed, wanted)));
      grown.set(this.bytes());
      this.#memory = grown;
    }
    this.#memory.set(fits, this.size);
    this.size = needed;
    return fits.length === bytes.length;
  }

  bytes(): Uint8Array {
    return this.#memory.subarray(0, this.size);
  }
}
