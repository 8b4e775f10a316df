import { constants, createGunzip } from 'node:zlib';

/** Whether bytes begin as gzip data does. */
export function isGzip(content: Uint8Array): boolean {
  return content[0] === 0x1f && content[1] === 0x8b && content[2] === 8;
}

/**
 * Unpacks gzip data as far as it goes, and no more than `limit` bytes of it. Data that ends early gives what is there;
 * data that is broken (`truncated`) what came some 16 KiB before the fault.
 *
 * @param isWanted called with the first bytes that come out; false ends the unpacking with nothing
 */
export function gunzip(
  packed: Uint8Array,
  limit: number,
  isWanted: (head: Uint8Array) => boolean,
): Promise<{ content: Uint8Array; truncated: boolean }> {
  return new Promise((resolve) => {
    const stream = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    const chunks: Uint8Array[] = [];
    let size = 0;
    const end = (truncated: boolean) => {
      resolve({ content: Buffer.concat(chunks, Math.min(size, limit)), truncated });
      stream.destroy();
    };
    stream.on('data', (chunk: Uint8Array) => {
      if (size === 0 && !isWanted(chunk)) return end(true);
      chunks.push(chunk);
      size += chunk.length;
      if (size > limit) end(true);
    });
    stream.on('end', () => end(false));
    stream.on('error', () => end(true));
    stream.end(packed);
  });
}
