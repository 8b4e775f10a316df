/** FROZEN. A byte holds seven bits of a number, the lowest bits first. The eighth bit says that more bytes follow. */
const [BITS, MORE] = [0x7f, 0x80];

/** Maximum bytes of a number. */
export const MAX_VARINT_BYTES = 8;

/** A position in an array of bytes. Each read moves the position. */
export interface ByteReader {
  readonly bytes: Uint8Array;
  at: number;
}

/** Writes a whole number, at least 0, in at most {@link MAX_VARINT_BYTES} bytes. @returns the offset after it */
export function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start;
  let rest = value;
  for (; rest > BITS; rest = Math.floor(rest / MORE)) bytes[at++] = (rest % MORE) + MORE;
  bytes[at++] = rest;
  return at;
}

/** Reads a number. @throws Error if it does not end, or is longer than eight bytes */
export function takeVarint(reader: ByteReader): number {
  let value = 0;
  for (let factor = 1; ; factor *= MORE) {
    const byte = reader.bytes[reader.at++];
    if (byte === undefined || factor > 2 ** 49) throw new Error('no number');
    value += (byte & BITS) * factor;
    if (byte <= BITS) return value;
  }
}
