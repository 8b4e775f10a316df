import * as zlib from 'node:zlib';

type Encode = (content: Uint8Array, options?: { readonly params: Readonly<Record<number, number>> }) => Buffer;

/** zstd, if this Node has it: from 22.15 on. */
export const { zstdCompressSync } = zlib as typeof zlib & { readonly zstdCompressSync?: Encode };
