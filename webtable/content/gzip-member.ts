import { constants, gunzip, gunzipSync, gzip, inflateRawSync } from 'node:zlib';
import { promisify } from 'node:util';

const zip = promisify(gzip);
const unzip = promisify<Uint8Array, Buffer>(gunzip);

/** Up to here decompressing at once is cheaper than a round trip through the thread pool. */
const SYNC_LIMIT = 65_536;
/** What precedes and follows the compressed data in a member as zlib writes it (RFC 1952, section 2.3). */
const HEADER = 10;
const TRAILER = 8;

/** Compresses a record, off the main thread. Level 1: higher ones cost two to five times as much and save a tenth. */
export function compress(bytes: Uint8Array): Promise<Buffer> {
  return zip(bytes, { level: 1 });
}

/** What was compressed; undefined where the bytes are not whole, which their checksum says. */
export async function decompress(member: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return member.length <= SYNC_LIMIT ? gunzipSync(member) : await unzip(member);
  } catch {
    return undefined;
  }
}

/** The beginning of what was compressed, as far as these first bytes of a member say it. */
export function decompressStart(bytes: Uint8Array): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    return undefined;
  }
}

/**
 * The length of the member that these bytes begin with; undefined where its end is not among them.
 * @param bytes of a file that {@link compress} wrote
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
