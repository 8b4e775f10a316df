/** Collects a body in one piece of memory: one that comes in very many small pieces takes no more than its bytes. */
export interface BodyBuffer {
  /** Bytes kept so far. */
  readonly size: number;
  /** Keeps what there is room for; false when that is not all of it. */
  add(bytes: Uint8Array): boolean;
  /** What was kept. */
  bytes(): Uint8Array;
}

const FIRST_PIECE = 4096;

/**
 * Makes an empty buffer; what it takes up stays below twice what it holds.
 * @param room bytes to keep at the most, or Infinity
 */
export function createBodyBuffer(room: number): BodyBuffer {
  let memory = new Uint8Array(0);
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(bytes) {
      const fits = bytes.length <= room - size ? bytes : bytes.subarray(0, room - size);
      const needed = size + fits.length;
      if (needed > memory.length) {
        const grown = new Uint8Array(Math.min(room, Math.max(needed, FIRST_PIECE, memory.length * 2)));
        grown.set(memory.subarray(0, size));
        memory = grown;
      }
      memory.set(fits, size);
      size = needed;
      return fits.length === bytes.length;
    },
    bytes: () => memory.subarray(0, size),
  };
}
