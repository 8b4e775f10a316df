import { CellBuffer } from './cell-buffer.js';

/** FROZEN. Converts the value of a field to bytes and back. `decode` throws if `encode` cannot have written the bytes. */
export interface Codec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

/** FROZEN. A codec that can also write into a buffer with other cells. */
export interface CellCodec<T> extends Codec<T> {
  encodeInto(cells: CellBuffer, value: T): void;
}

/** Values that get bytes of their own are encoded in this buffer first. */
const scratch = new CellBuffer();
const MAX_SCRATCH_BYTES = 65_536;

export function cellCodec<T>(codec: Pick<CellCodec<T>, 'encodeInto' | 'decode'>): CellCodec<T> {
  return {
    ...codec,
    encode(value) {
      scratch.clear();
      codec.encodeInto(scratch, value);
      const bytes = scratch.copy(0);
      if (scratch.bytes.length > MAX_SCRATCH_BYTES) scratch.release();
      return bytes;
    },
  };
}
