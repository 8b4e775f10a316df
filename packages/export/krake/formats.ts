/**
 * The files of Krake: numbers are big-endian, as `java.io.DataOutputStream` writes them. A node is a URL; its number, the
 * NodeID, is its place in the sorted URL mapping.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { CrawlError } from '../../errors/index.js';

const compress = promisify(deflate);

/** The names of the files in a folder. */
export const KRAKE_FILES = {
  /** For each page: int32 size, the source compressed by zlib to so many bytes, int32 size again. */
  content: 'content.bin',
  /** For each page of the content file, by NodeID: int32 NodeID, int64 offset of its first size. */
  offsets: 'offsets.bin',
  /** int32 count, then the SHA-1 of each URL, 20 bytes, sorted. */
  mapping: 'urls.bin',
  /** int32 nodes; then for each, by NodeID, int32 edges, int32 in-links among them, and an int32 NodeID for each, in-links first. */
  graph: 'graph.bin',
  /** Not of Krake: the URL of each node, a line each, by NodeID. */
  urls: 'urls.txt',
} as const;

/** The largest number of an int32, which no count and no size may exceed. */
export const MOST = 2 ** 31 - 1;
/** Bytes of a key, and of an entry of the offset file. */
export const KEY_BYTES = 20;
export const OFFSET_BYTES = 12;
/** Bytes of an int32. */
export const INT = 4;

/** The key of a URL in the mapping: the SHA-1 of its UTF-8. */
export function krakeKey(url: string): Buffer {
  return createHash('sha1').update(url, 'utf8').digest();
}

/**
 * A page of the content file. It can be read forwards and backwards.
 * @throws CrawlError BAD_OUTPUT beyond 2^31 - 1 bytes
 */
export async function contentRecord(source: Uint8Array): Promise<Buffer> {
  const compressed = await compress(source);
  const size = int32(compressed.length, 'bytes of a compressed page');
  return Buffer.concat([size, compressed, size]);
}

/** An entry of the offset file. @throws CrawlError BAD_OUTPUT */
export function offsetRecord(node: number, offset: number): Buffer {
  const entry = Buffer.alloc(OFFSET_BYTES);
  int32(node, 'pages').copy(entry);
  entry.writeBigInt64BE(BigInt(offset), INT);
  return entry;
}

/** The edges of a node, NodeIDs in ascending order. */
export interface KrakeLinks {
  /** The nodes that link here. */
  readonly inlinks: ArrayLike<number>;
  /** The nodes that are linked from here. */
  readonly outlinks: ArrayLike<number>;
}

/** A count or size as the files hold it. @throws CrawlError BAD_OUTPUT */
export function int32(value: number, what: string): Buffer {
  checkInt32(value, what);
  const bytes = Buffer.alloc(INT);
  bytes.writeInt32BE(value);
  return bytes;
}

/** @throws CrawlError BAD_OUTPUT for more than an int32 can say */
export function checkInt32(value: number, what: string): void {
  if (value <= MOST) return;
  throw new CrawlError('BAD_OUTPUT', `expected at most ${MOST} ${what} in a file of Krake, found ${value}`, {
    hint: 'export fewer pages at a time, by --host, --domain or --prefix',
  });
}
