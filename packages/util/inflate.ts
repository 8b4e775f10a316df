import type { Transform } from 'node:stream';

/** What came out of a decompressor. */
export interface Inflated {
  readonly output: Uint8Array;
  /** There was more than `limit`, or nobody wanted it. */
  readonly over: boolean;
  /** Bytes of the input that were used. */
  readonly read: number;
  /** Code of the error that ended it; of the output, what came before its last chunk is there. */
  readonly error?: string;
}

/**
 * Decompresses as far as it goes, and never more than a chunk beyond `limit` bytes. It never rejects.
 * @param stream a decompressor of node:zlib, unused; its `chunkSize` is what an error may cost
 * @param isWanted called with the first bytes that come out; false ends it with nothing
 */
export function inflate(
  stream: Transform & { readonly bytesWritten: number },
  input: Uint8Array,
  limit: number,
  isWanted: (head: Uint8Array) => boolean = () => true,
): Promise<Inflated> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const end = (over: boolean, error?: string): void => {
      const output = Buffer.concat(chunks, Math.min(size, limit));
      resolve({ output, over, read: stream.bytesWritten, ...(error !== undefined && { error }) });
      stream.destroy();
    };
    stream.on('data', (chunk: Uint8Array) => {
      if (size === 0 && !isWanted(chunk)) return end(true);
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) end(true);
    });
    stream.on('end', () => end(false));
    stream.on('error', (error: NodeJS.ErrnoException) => end(false, error.code ?? 'unknown'));
    stream.end(input);
  });
}
