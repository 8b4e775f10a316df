import type { Transform } from 'node:stream';

export interface Inflated {
  readonly output: Uint8Array;
  /** Whether the output was longer than `limit`, or the caller stopped the work. */
  readonly over: boolean;
  readonly read: number;
  /** Code of the error that ended the work. The output then lacks its last chunk. */
  readonly error?: string;
}

/**
 * Decompresses as far as possible, and never more than one chunk beyond `limit` bytes. It never rejects.
 * @param stream an unused decompressor of node:zlib; after an error, up to `chunkSize` bytes of output are missing
 * @param isWanted called with the first bytes of output; if it returns false, the work ends without output
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
