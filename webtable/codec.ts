import type { Page, PlainField } from './page.js';
import { STATUS_CODES, type Status } from './schema.js';

/** How the value of a field becomes bytes. `decode` throws when the bytes are none that `encode` writes. */
export interface Codec<T> {
  encode(value: T): Uint8Array;
  decode(bytes: Uint8Array): T;
}

const STATUS_BY_CODE = new Map<number, Status>(
  Object.entries(STATUS_CODES).map(([name, code]) => [code, name as Status]),
);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const status: Codec<Status> = {
  encode: (value) => Uint8Array.of(STATUS_CODES[value]),
  decode(bytes) {
    const name = bytes.length === 1 ? STATUS_BY_CODE.get(bytes[0]!) : undefined;
    if (!name) throw new Error('no status code');
    return name;
  },
};

/** IEEE 754 double, big-endian. */
export const number: Codec<number> = {
  encode(value) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(value);
    return bytes;
  },
  decode(bytes) {
    if (bytes.length !== 8) throw new Error('no number');
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0);
  },
};

export const text: Codec<string> = {
  // A lone surrogate, which UTF-8 can not hold, becomes U+FFFD.
  encode: (value) => Buffer.from(value, 'utf8'),
  decode: (bytes) => utf8.decode(bytes),
};

/** JSON of a value that `check` accepts. */
export function json<T>(check: (value: unknown) => boolean): Codec<T> {
  return {
    encode: (value) => Buffer.from(JSON.stringify(value), 'utf8'),
    decode(bytes) {
      const value: unknown = JSON.parse(utf8.decode(bytes));
      if (!check(value)) throw new Error('JSON of another shape');
      return value as T;
    },
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRecordOf =
  (type: 'string' | 'number') =>
  (value: unknown): boolean =>
    isRecord(value) && Object.values(value).every((v) => typeof v === type);
const isCoded = (value: unknown): boolean => isRecord(value) && typeof value.code === 'string';
const isLinkList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((v) => isRecord(v) && typeof v.url === 'string' && typeof v.anchor === 'string');

const raw: Codec<Uint8Array> = { encode: (value) => value, decode: (bytes) => bytes };

/** The value of one inlink cell; the source is in the column's name. */
export const inlinkCodec = json<{ anchor: string; score: number }>(
  (value) => isRecord(value) && typeof value.anchor === 'string' && typeof value.score === 'number',
);

export const FIELD_CODECS: { readonly [F in PlainField]: Codec<Page[F]> } = {
  status,
  fetchTime: number,
  prevFetchTime: number,
  fetchInterval: number,
  retries: number,
  modifiedTime: number,
  score: number,
  cash: number,
  share: number,
  distance: number,
  signature: text,
  prevSignature: text,
  newSignature: text,
  protocolStatus: json(isCoded),
  parseStatus: json(isCoded),
  contentType: text,
  redirect: text,
  redirects: number,
  linked: json(isRecordOf('number')),
  inlinkCount: number,
  metadata: json(isRecordOf('string')),
  outlinks: json(isLinkList),
  title: text,
  text,
  language: text,
  pageMetadata: json(isRecordOf('string')),
  headers: json(isRecordOf('string')),
  content: raw,
};
