import { constants, crc32, gunzip, gunzipSync, gzip, inflateRawSync } from 'node:zlib';
import { promisify } from 'node:util';

const zip = promisify(gzip);
const unzip = promisify<Uint8Array, Buffer>(gunzip);

/** Up to this number of bytes, it is cheaper to decompress synchronously than in the thread pool. */
const SYNC_LIMIT = 65_536;
/** Number of bytes that zlib writes before and after the compressed data of a member (RFC 1952, section 2.3). */
const HEADER = 10;
const TRAILER = 8;

/** Maximum number of bytes in a stored block, and the number of bytes of its header (RFC 1951, section 3.2.4). */
const BLOCK = 65_535;
const BLOCK_HEADER = 5;
/** Deflate, no flags, no time, an unknown system. */
const MEMBER_HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/**
 * Writes a record as a gzip member without compression. This saves a crawl a tenth of its CPU, compared with the lowest level of
 * compression. A compaction compresses the record later.
 * @param parts of the record, in order
 */
export function store(parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const blocks = Math.max(1, Math.ceil(length / BLOCK));
  const member = Buffer.allocUnsafeSlow(HEADER + blocks * BLOCK_HEADER + length + TRAILER);
  member.set(MEMBER_HEADER);
  for (let n = 0; n < blocks; n++) {
    const at = HEADER + n * (BLOCK_HEADER + BLOCK);
    const size = Math.min(BLOCK, length - n * BLOCK);
    member.writeUInt8(n === blocks - 1 ? 1 : 0, at);
    member.writeUInt16LE(size, at + 1);
    member.writeUInt16LE(size ^ 0xffff, at + 3);
  }
  let checksum = 0;
  let done = 0;
  for (const part of parts) {
    // An empty part may have no address, and zlib would then restart the checksum.
    if (part.length > 0) checksum = crc32(part, checksum);
    for (let from = 0; from < part.length;) {
      const piece = part.subarray(from, from + BLOCK - (done % BLOCK));
      member.set(piece, HEADER + (Math.floor(done / BLOCK) + 1) * BLOCK_HEADER + done);
      from += piece.length;
      done += piece.length;
    }
  }
  const at = member.length - TRAILER;
  member.writeUInt32LE(checksum, at);
  member.writeUInt32LE(length % 2 ** 32, at + 4);
  return member;
}

/** Whether these bytes begin a member that {@link store} made. */
export function isStored(member: Uint8Array): boolean {
  return member.length > HEADER && ((member[HEADER]! >> 1) & 3) === 0;
}

/** Compresses a record in the thread pool, at level 1. Higher levels take two to five times as long and save only a tenth of the bytes. */
export function compress(bytes: Uint8Array): Promise<Buffer> {
  return zip(bytes, { level: 1 });
}

/** The decompressed bytes; undefined if the member is not complete or its checksum is wrong. */
export async function decompress(member: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return member.length <= SYNC_LIMIT ? gunzipSync(member) : await unzip(member);
  } catch {
    return undefined;
  }
}

/** Decompresses the first bytes of a member, as far as possible. */
export function decompressStart(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return undefined;
  }
}

/**
 * Returns the length of the member at the start of these bytes; undefined if the member does not end within them.
 * @param bytes of a file of such members
 */
export function memberLength(bytes: Uint8Array): number | undefined {
  if (bytes.length < HEADER + TRAILER || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[3] !== 0) return undefined;
  try {
    const { engine } = inflateRawSync(bytes.subarray(HEADER), { info: true }) as unknown as {
      engine: { bytesWritten: number };
    };
    const length = HEADER + engine.bytesWritten + TRAILER;
    return length <= bytes.length ? length : undefined;
  } catch {
    return undefined;
  }
}
