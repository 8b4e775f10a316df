import * as zlib from 'node:zlib';
import { inflate, trimBlanks, type Inflated } from '../../util/index.js';

/** A body without its content codings. `truncated`: a part of the body is missing. */
interface DecodedBody {
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

type Coding = 'gzip' | 'zlib' | 'deflate' | 'br' | 'zstd';

/** Maximum number of codings. A body with more codings is not decoded. */
const MAX_CODINGS = 4;
/** A body up to this number of bytes is decoded synchronously, because a round trip through the thread pool would cost more. */
const SYNC_LIMIT = 65_536;

/**
 * Returns how many received bytes are enough for `limit` decoded bytes. The result is slightly larger than `limit`, because content that
 * cannot be compressed becomes longer by a coding.
 */
export function encodedLimit(limit: number): number {
  return limit + Math.ceil(limit / 256) + 1024;
}

/** Returns the value of `Accept-Encoding`: the codings that this version of Node can decode. */
export function acceptEncoding(): string {
  return createZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';
}

/** Other names in the registry of content codings (RFC 9110, section 16.6.1). A body in one of these codings is not the content. */
const OTHER_REGISTERED = /^(?:(?:x-)?compress|aes128gcm|dcb|dcz|exi|pack200-gzip|zstd)$/;

/**
 * Returns the codings of a `Content-Encoding` in the order of decoding. Returns undefined if a word is no coding that can be decoded, or if
 * there are too many.
 */
export function contentCodings(header: string | undefined): readonly string[] | undefined {
  const names = namedCodings(header);
  return names.every(canDecode) && names.length <= MAX_CODINGS ? names.reverse() : undefined;
}

/**
 * Returns the first registered coding of a `Content-Encoding` that cannot be decoded, or that exceeds the number of codings. The body of
 * such a response is never content.
 */
export function unsupportedCoding(header: string | undefined): string | undefined {
  return namedCodings(header).find((name, i) => (canDecode(name) ? i >= MAX_CODINGS : OTHER_REGISTERED.test(name)));
}

function namedCodings(header: string | undefined): string[] {
  return (header ?? '')
    .toLowerCase()
    .split(',')
    .map(trimBlanks)
    .filter((name) => name !== '' && name !== 'identity');
}

function canDecode(name: string): boolean {
  return /^(?:x-)?gzip$|^deflate$|^br$/.test(name) || (name === 'zstd' && createZstd !== undefined);
}

/**
 * Removes the codings that `Content-Encoding` names. The result has at most `limit` bytes (-1: no limit), and no coding is expanded much
 * beyond the limit. If a stream ends early or is broken, the result is the part that could be decoded, marked as truncated. If a coding is
 * unknown, or the body is not in the named coding, the body stays as received. Unknown codings are frequent: many servers name `utf-8` or
 * `none` for a body without a coding. See {@link unsupportedCoding} for registered codings that cannot be decoded.
 * @param cut whether the received bytes are only the beginning of the body
 */
export async function decodeBody(
  received: Uint8Array,
  header: string | undefined,
  limit: number,
  cut: boolean,
): Promise<DecodedBody> {
  let body = received;
  let truncated = cut;
  const codings = contentCodings(header) ?? [];
  for (const [i, name] of codings.entries()) {
    if (body.length === 0) break;
    const room = limit < 0 ? Infinity : i === codings.length - 1 ? limit : encodedLimit(limit);
    const result = await decodeOne(body, codingOf(name, body), room);
    if (result === undefined) break;
    body = result.body;
    truncated ||= result.truncated;
  }
  if (limit >= 0 && body.length > limit) return { body: body.subarray(0, limit), truncated: true };
  return { body, truncated };
}

/** Returns the coding of a body. A body with `deflate` should be in the zlib format, but many servers omit the zlib header of two bytes. */
function codingOf(name: string, body: Uint8Array): Coding {
  if (name === 'br' || name === 'zstd') return name;
  if (name !== 'deflate') return 'gzip';
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0 ? 'zlib' : 'deflate';
}

const SYNC = {
  gzip: zlib.gunzipSync,
  zlib: zlib.inflateSync,
  deflate: zlib.inflateRawSync,
  br: zlib.brotliDecompressSync,
};
const STREAM = {
  gzip: zlib.createGunzip,
  zlib: zlib.createInflate,
  deflate: zlib.createInflateRaw,
  br: zlib.createBrotliDecompress,
};

/** Decodes one coding of a body. Returns undefined if the body is not in this coding. */
async function decodeOne(body: Uint8Array, coding: Coding, room: number): Promise<DecodedBody | undefined> {
  if (coding === 'zstd') {
    return decodeZstd(body, room);
  }
  if (body.length <= SYNC_LIMIT) {
    try {
      const maxOutputLength = Math.max(1, room);
      return { body: SYNC[coding](body, Number.isFinite(room) ? { maxOutputLength } : {}), truncated: false };
    } catch {
      // The body is too long or broken. The code below finds out the reason, and decodes the beginning.
    }
  }
  const strict = await inflate(STREAM[coding](), body, room);
  if (strict.error === undefined) return { body: strict.output, truncated: strict.over };

  const endedEarly = strict.error === 'Z_BUF_ERROR';
  // A `deflate` or `br` stream has no header, so bytes that are not in this coding may look like a broken stream.
  if (!endedEarly && (coding === 'deflate' || coding === 'br')) return undefined;
  const saved = await salvage(body, coding, room);
  if (saved.output.length === 0) return undefined;
  return { body: saved.output, truncated: endedEarly || saved.over || saved.error !== undefined };
}

/** The zstd decoder of Node from version 22.15 on. undefined in older versions. */
const { createZstdDecompress: createZstd } = zlib as typeof zlib & {
  readonly createZstdDecompress?: (options: object) => ReturnType<typeof zlib.createGunzip>;
};
/** Sets `ZSTD_d_windowLogMax`, the maximum size of the window that each decoder has in memory, to 8 MiB. RFC 9659 allows this size on the web. */
const PARAMS = { 100: 23 };
/** `ZSTD_e_flush` (1) allows that a stream ends early. With small chunks, little output is lost if there is an error. */
const LENIENT = { params: PARAMS, finishFlush: 1, chunkSize: 256 };

/** Decodes a zstd body. Node reads only the first frame. If more bytes follow, the result is marked as truncated. */
async function decodeZstd(body: Uint8Array, room: number): Promise<DecodedBody | undefined> {
  if (!createZstd) return undefined;
  const strict = await inflate(createZstd({ params: PARAMS }), body, room);
  if (strict.error === undefined) return { body: strict.output, truncated: strict.over || strict.read < body.length };
  const saved = await inflate(createZstd(LENIENT), body, room);
  return saved.output.length === 0 ? undefined : { body: saved.output, truncated: true };
}

/**
 * Decodes as much of a broken stream as possible. Neither the checksum nor the bytes after the stream are checked. For gzip and zlib the
 * chunks are small, because the chunk with the error is lost.
 */
function salvage(body: Uint8Array, coding: Exclude<Coding, 'zstd'>, room: number): Promise<Inflated> {
  if (coding === 'br') {
    return inflate(zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }), body, room);
  }
  const header = coding === 'gzip' ? gzipHeaderLength(body) : coding === 'zlib' ? 2 : 0;
  const raw = zlib.createInflateRaw({ finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: 256 });
  return inflate(raw, body.subarray(header), room);
}

/** Returns the number of bytes before the deflate stream. Returns the number of all bytes if there is no gzip header. */
function gzipHeaderLength(body: Uint8Array): number {
  if (body[0] !== 0x1f || body[1] !== 0x8b || body[2] !== 8) return body.length;
  const flags = body[3] ?? 0;
  let at = 10;
  if (flags & 4) at += 2 + (body[at] ?? 0) + 256 * (body[at + 1] ?? 0);
  for (const flag of [8, 16]) {
    if (!(flags & flag)) continue;
    const end = body.indexOf(0, at);
    at = end < 0 ? body.length : end + 1;
  }
  return flags & 2 ? at + 2 : at;
}
