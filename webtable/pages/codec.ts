import type { ContentLocation } from '../content/content-store.js';
import { decodeLocations, encodeLocations } from '../content/location-codec.js';
import type { Outlink, Page, PlainField } from './page.js';
import { STATUS_CODES, type Status } from '../schema.js';

/** FROZEN. How the value of a field becomes bytes. `decode` throws when the bytes are none that `encode` writes. */
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

/** Eight bytes, and the number that they are. */
const scratch = new Uint8Array(8);
const scratchView = new DataView(scratch.buffer);

/** IEEE 754 double, big-endian. */
export const number: Codec<number> = {
  encode(value) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(value);
    return bytes;
  },
  decode(bytes) {
    if (bytes.length !== 8) throw new Error('no number');
    for (let i = 0; i < 8; i++) scratch[i] = bytes[i]!;
    return scratchView.getFloat64(0);
  },
};

export const text: Codec<string> = {
  // A lone surrogate, which UTF-8 cannot hold, becomes U+FFFD.
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
const isRecordOfText = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((v) => typeof v === 'string');
const isCoded = (value: unknown): boolean => isRecord(value) && typeof value.code === 'string';
/**
 * JSON of one flat array: URL and anchor of each link in turn, followed by an object where more is said of it. It takes
 * half the time of an array of objects to read.
 */
const linkList: Codec<readonly Outlink[]> = {
  encode(links) {
    const flat: unknown[] = [];
    for (const link of links) {
      flat.push(link.url, link.anchor);
      if (Object.keys(link).length === 2) continue;
      const { url: _url, anchor: _anchor, ...said } = link;
      flat.push(said);
    }
    return Buffer.from(JSON.stringify(flat), 'utf8');
  },
  decode(bytes) {
    const flat: unknown = JSON.parse(utf8.decode(bytes));
    if (!Array.isArray(flat)) throw new Error('no list of links');
    const links: Outlink[] = [];
    for (let i = 0; i < flat.length; i += 2) {
      const url: unknown = flat[i];
      const anchor: unknown = flat[i + 1];
      const said: unknown = flat[i + 2];
      if (typeof url !== 'string' || typeof anchor !== 'string') throw new Error('no link');
      if (!isRecord(said)) links.push({ url, anchor });
      else {
        links.push({ ...said, url, anchor });
        i++;
      }
    }
    return links;
  },
};

const contentVersions: Codec<readonly ContentLocation[]> = { encode: encodeLocations, decode: decodeLocations };
const contentAt: Codec<ContentLocation> = {
  encode: (location) => encodeLocations([location]),
  decode(bytes) {
    const [location, ...others] = decodeLocations(bytes);
    if (!location || others.length > 0) throw new Error('no location');
    return location;
  },
};

/** Up to this length a text is written sooner character by character than by a call of what Node has for it. */
const SHORT_ANCHOR = 64;

/** Writes a text, if all of it is ASCII. */
function writeAscii(bytes: Uint8Array, start: number, value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code > 0x7f) return false;
    bytes[start + i] = code;
  }
  return true;
}

/** The value of one inlink cell: the score as a number, then the anchor as text. The source is in the column's name. */
export const inlinkCodec: Codec<{ readonly anchor: string; readonly score: number }> = {
  encode({ anchor, score }) {
    if (anchor.length <= SHORT_ANCHOR) {
      const short = Buffer.allocUnsafe(8 + anchor.length);
      short.writeDoubleBE(score);
      if (writeAscii(short, 8, anchor)) return short;
    }
    const bytes = Buffer.allocUnsafe(8 + Buffer.byteLength(anchor, 'utf8'));
    bytes.writeDoubleBE(score);
    bytes.write(anchor, 8, 'utf8');
    return bytes;
  },
  decode(bytes) {
    return { anchor: text.decode(bytes.subarray(8)), score: number.decode(bytes.subarray(0, 8)) };
  },
};

export const FIELD_CODECS: { readonly [F in PlainField]: Codec<Page[F]> } = {
  status,
  dueAt: number,
  fetchedAt: number,
  fetchInterval: number,
  retries: number,
  modifiedTime: number,
  score: number,
  cash: number,
  cashInFlight: number,
  distance: number,
  distanceInFlight: number,
  signature: text,
  prevSignature: text,
  newSignature: text,
  protocolStatus: json(isCoded),
  parseStatus: json(isCoded),
  contentType: text,
  redirectTarget: text,
  redirectDepth: number,
  linkedUpTo: json(isRecordOfText),
  inlinkBound: number,
  sitemap: json((value) => value === true),
  refusedBy: text,
  metadata: json(isRecordOfText),
  outlinks: linkList,
  title: text,
  text,
  language: text,
  headings: json((value) => Array.isArray(value) && value.every((each) => typeof each === 'string')),
  pageMetadata: json(isRecordOfText),
  custom: json(isRecord),
  headers: json(isRecordOfText),
  contentAt,
  contentVersions,
  rank: number,
  hostRank: number,
  duplicateOf: text,
  fit: json((value) => typeof value === 'boolean'),
  fitBonus: number,
  cutLinks: json((value) => isRecord(value) && Object.values(value).every((count) => typeof count === 'number')),
  bodyBytes: number,
  fetchMs: number,
};
