/**
 * The files of Krake. Numbers are big-endian, as `java.io.DataOutputStream` writes them. Each node is a URL. The number of a node, its
 * NodeID, is the position of the URL in the sorted URL mapping.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { CrawlError } from '../../errors/index.js';

const compress = promisify(deflate);

export const KRAKE_FILES = {
  /** For each page: int32 n, the source compressed by zlib to n bytes, int32 n again. */
  content: 'content.bin',
  /** For each page of the content file, by NodeID: int32 NodeID, int64 offset of its record in the content file. */
  offsets: 'offsets.bin',
  /** int32 count, then the SHA-1 of each URL, 20 bytes, sorted. */
  mapping: 'urls.bin',
  /**
   * int32 number of nodes. Then for each node, by NodeID: int32 number of edges, int32 number of in-links among these edges, and an int32
   * NodeID for each edge. In-links come first.
   */
  graph: 'graph.bin',
  /** Not a file of Krake: the URL of each node, one on each line, by NodeID. */
  urls: 'urls.txt',
} as const;

const MAX_INT32 = 2 ** 31 - 1;
export const KEY_BYTES = 20;
export const OFFSET_BYTES = 12;
export const INT_BYTES = 4;

/** The key of a URL in the mapping: the SHA-1 of the URL in UTF-8. */
export function krakeKey(url: string): Buffer {
  return createHash('sha1').update(url, 'utf8').digest();
}

/**
 * The record of a page in the content file. It can be read forwards and backwards.
 * @throws CrawlError BAD_OUTPUT for more than 2^31 - 1 bytes
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
  entry.writeBigInt64BE(BigInt(offset), INT_BYTES);
  return entry;
}

/** The edges of a node. NodeIDs are in ascending order. */
export interface KrakeLinks {
  /** The NodeIDs of the nodes that link to this node. */
  readonly inlinks: ArrayLike<number>;
  /** The NodeIDs of the nodes that this node links to. */
  readonly outlinks: ArrayLike<number>;
}

/** A count or size as int32, in the byte order of the files. @throws CrawlError BAD_OUTPUT */
export function int32(value: number, what: string): Buffer {
  checkInt32(value, what);
  const bytes = Buffer.alloc(INT_BYTES);
  bytes.writeInt32BE(value);
  return bytes;
}

/** @throws CrawlError BAD_OUTPUT for a number above the range of int32 */
export function checkInt32(value: number, what: string): void {
  if (value <= MAX_INT32) return;
  throw new CrawlError('BAD_OUTPUT', `expected at most ${MAX_INT32} ${what} in a file of Krake, found ${value}`, {
    hint: 'export fewer pages at a time, by --host, --domain or --prefix',
  });
}
