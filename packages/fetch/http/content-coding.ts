import * as zlib from 'node:zlib';
import { inflate, type Inflated } from '../../util/index.js';

/** A body with its content codings undone, and whether anything of it is missing. */
export interface DecodedBody {
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

type Coding = 'gzip' | 'zlib' | 'deflate' | 'br' | 'zstd';

/** More codings than this are not believed: the body stays as received. */
const MAX_CODINGS = 4;
/** Up to here decoding at once is cheaper than a round trip through the thread pool. */
const SYNC_LIMIT = 65_536;

/**
 * How many received bytes are needed to be sure of `limit` decoded ones: a coding makes incompressible content only
 * slightly longer.
 */
export function encodedLimit(limit: number): number {
  return limit + Math.ceil(limit / 256) + 1024;
}

/** The value of `Accept-Encoding`: what this Node can undo. */
export function acceptEncoding(): string {
  return createZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';
}

/** The codings of a `Content-Encoding` in the order of decoding; undefined when one is unknown or they are too many. */
export function contentCodings(header: string | undefined): readonly string[] | undefined {
  const names = (header ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const known = names.every(
    (name) => /^(x-)?gzip$|^deflate$|^br$/.test(name) || (name === 'zstd' && createZstd !== undefined),
  );
  return known && names.length <= MAX_CODINGS ? names.reverse() : undefined;
}

/**
 * Undoes the codings named by `Content-Encoding` and keeps at most `limit` bytes (-1: all); never more than that is
 * expanded at any stage. Of a stream that ends early or breaks, what could be decoded is kept, as truncated. A body
 * that is not in the coding at all is kept as received, as is one in an unknown coding: values like `utf-8` or `none`
 * are common on bodies that are not coded.
 * @param cut the received bytes are only the beginning
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

/** `deflate` should be in the zlib format, but many servers leave its two bytes of header out. */
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

/** undefined: the body is not in this coding. */
async function decodeOne(body: Uint8Array, coding: Coding, room: number): Promise<DecodedBody | undefined> {
  if (coding === 'zstd') {
    return decodeZstd(body, room);
  }
  if (body.length <= SYNC_LIMIT) {
    try {
      const maxOutputLength = Math.max(1, room);
      return { body: SYNC[coding](body, Number.isFinite(room) ? { maxOutputLength } : {}), truncated: false };
    } catch {
      // Too long or broken: what follows finds out which, and keeps the beginning.
    }
  }
  const strict = await inflate(STREAM[coding](), body, room);
  if (strict.error === undefined) return { body: strict.output, truncated: strict.over };

  const endedEarly = strict.error === 'Z_BUF_ERROR';
  // Without a header of its own, anything may look like the beginning of such a stream.
  if (!endedEarly && (coding === 'deflate' || coding === 'br')) return undefined;
  const saved = await salvage(body, coding, room);
  if (saved.output.length === 0) return undefined;
  return { body: saved.output, truncated: endedEarly || saved.over || saved.error !== undefined };
}

/** The zstd decoder of Node, from 22.15 on; undefined where there is none. */
const { createZstdDecompress: createZstd } = zlib as typeof zlib & {
  readonly createZstdDecompress?: (options: object) => ReturnType<typeof zlib.createGunzip>;
};
/** `ZSTD_d_windowLogMax`: each decoder holds a window in memory, of which RFC 9659 allows 8 MiB on the web. */
const PARAMS = { 100: 23 };
/** Ends early without an error (`ZSTD_e_flush`), and loses little to one. */
const LENIENT = { params: PARAMS, finishFlush: 1, chunkSize: 256 };

/** Node reads the first frame only; where more follows, something is missing. */
async function decodeZstd(body: Uint8Array, room: number): Promise<DecodedBody | undefined> {
  if (!createZstd) return undefined;
  const strict = await inflate(createZstd({ params: PARAMS }), body, room);
  if (strict.error === undefined) return { body: strict.output, truncated: strict.over || strict.read < body.length };
  const saved = await inflate(createZstd(LENIENT), body, room);
  return saved.output.length === 0 ? undefined : { body: saved.output, truncated: true };
}

/**
 * Decodes as far as it goes: without checksum and without looking at what follows the stream. Small chunks, because
 * the one in which the error comes is lost.
 */
function salvage(body: Uint8Array, coding: Exclude<Coding, 'zstd'>, room: number): Promise<Inflated> {
  if (coding === 'br') {
    return inflate(zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }), body, room);
  }
  const header = coding === 'gzip' ? gzipHeaderLength(body) : coding === 'zlib' ? 2 : 0;
  const raw = zlib.createInflateRaw({ finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize: 256 });
  return inflate(raw, body.subarray(header), room);
}

/** Bytes before the deflate stream; all of them when it is no gzip header. */
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
