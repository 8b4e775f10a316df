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
const MEMBER_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

/**
 * Returns a record as a gzip member without compression. This saves a crawl a tenth of its CPU, compared with the lowest level of
 * compression. A compaction compresses the record later.
 * @param record its parts, in order
 * @returns the parts of the member, in order. The bytes of the record are not copied.
 */
export function store(record: readonly Uint8Array[]): Uint8Array[] {
  const length = record.reduce((sum, part) => sum + part.length, 0);
  const member: Uint8Array[] = [MEMBER_HEADER];
  let checksum = 0;
  let done = 0;
  for (const part of record) {
    // An empty part may have no address, and zlib would then restart the checksum.
    if (part.length > 0) checksum = crc32(part, checksum);
    for (let from = 0; from < part.length;) {
      if (done % BLOCK === 0) member.push(blockHeader(length - done));
      const piece = part.subarray(from, from + BLOCK - (done % BLOCK));
      member.push(piece);
      from += piece.length;
      done += piece.length;
    }
  }
  if (length === 0) member.push(blockHeader(0));
  const trailer = Buffer.allocUnsafe(TRAILER);
  trailer.writeUInt32LE(checksum, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  member.push(trailer);
  return member;
}

/** @param left number of bytes from the start of the block to the end of the record */
function blockHeader(left: number): Buffer {
  const size = Math.min(BLOCK, left);
  const header = Buffer.allocUnsafe(BLOCK_HEADER);
  header.writeUInt8(left <= BLOCK ? 1 : 0, 0);
  header.writeUInt16LE(size, 1);
  header.writeUInt16LE(size ^ 0xffff, 3);
  return header;
}

/** Reverses {@link store}, in a tenth of the time of zlib. A record in one block is not copied. undefined: {@link store} did not make it. */
function unstore(given: Uint8Array): Uint8Array | undefined {
  const member = Buffer.from(given.buffer, given.byteOffset, given.length);
  const end = member.length - TRAILER;
  const blocks: Uint8Array[] = [];
  let at = HEADER;
  for (let isLast = false; !isLast;) {
    if (at + BLOCK_HEADER > end || member[at]! > 1) return undefined;
    const size = member.readUInt16LE(at + 1);
    if ((size ^ 0xffff) !== member.readUInt16LE(at + 3) || at + BLOCK_HEADER + size > end) return undefined;
    isLast = member[at] === 1;
    blocks.push(member.subarray(at + BLOCK_HEADER, (at += BLOCK_HEADER + size)));
  }
  const record = blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks);
  const isWhole =
    at === end &&
    MEMBER_HEADER.every((byte, i) => member[i] === byte) &&
    (record.length === 0 ? 0 : crc32(record)) === member.readUInt32LE(end) &&
    record.length % 2 ** 32 === member.readUInt32LE(end + 4);
  return isWhole ? record : undefined;
}

/** Whether these bytes begin a member that {@link store} made. */
export function isStored(member: Uint8Array): boolean {
  return member.length > HEADER && ((member[HEADER]! >> 1) & 3) === 0;
}

/** Compresses a record in the thread pool, at level 1. Higher levels take two to five times as long and save only a tenth of the bytes. */
export function compress(bytes: Uint8Array): Promise<Buffer> {
  return zip(bytes, { level: 1 });
}

/**
 * The decompressed bytes; undefined if the member is not complete or its checksum is wrong. Only a large compressed member takes a promise,
 * because a promise for each member would cost more than the checksum.
 */
export function decompress(member: Uint8Array): Uint8Array | undefined | Promise<Uint8Array | undefined> {
  const stored = isStored(member) ? unstore(member) : undefined;
  if (stored) return stored;
  if (member.length > SYNC_LIMIT) return unzip(member).catch(() => undefined);
  try {
    return gunzipSync(member);
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
