import type { ContentLocation } from '../content/content-store.js';
import { decodeLocations, encodeLocations } from '../content/location-codec.js';
import type { CellBuffer } from './cell-buffer.js';
import { cellCodec, type CellCodec, type Codec } from './cell-codec.js';
import type { LanguageSource, Outlink, Page, PlainField } from './page.js';
import { STATUS_CODES, type Status } from '../schema.js';
import type { Column, StoredRow } from '../store.js';
import { CrawlError } from '../../packages/errors/index.js';
import { loggedState, pageDigest } from './digest.js';
import { textRanges } from './range-codec.js';

export type { Codec } from './cell-codec.js';

const STATUS_BY_CODE = new Map<number, Status>(
  Object.entries(STATUS_CODES).map(([name, code]) => [code, name as Status]),
);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const status = cellCodec<Status>({
  encodeInto(cells, value) {
    cells.reserve(1);
    cells.bytes[cells.end++] = STATUS_CODES[value];
  },
  decode(bytes) {
    const name = bytes.length === 1 ? STATUS_BY_CODE.get(bytes[0]!) : undefined;
    if (!name) throw new Error('no status code');
    return name;
  },
});

/** Eight bytes, and a view of them as a number. */
const scratch = new Uint8Array(8);
const scratchView = new DataView(scratch.buffer);

/** IEEE 754 double, big-endian. */
export const number = cellCodec<number>({
  encodeInto(cells, value) {
    cells.reserve(8);
    cells.end = cells.bytes.writeDoubleBE(value, cells.end);
  },
  decode(bytes) {
    if (bytes.length !== 8) throw new Error('no number');
    for (let i = 0; i < 8; i++) scratch[i] = bytes[i]!;
    return scratchView.getFloat64(0);
  },
});

export const text = cellCodec<string>({
  encodeInto: (cells, value) => cells.write(value),
  decode: (bytes) => utf8.decode(bytes),
});

/** JSON in UTF-8. As in {@link text}, a lone surrogate becomes U+FFFD: `JSON.stringify` writes it as an escape, which many programs refuse. */
function writeJson(cells: CellBuffer, value: unknown): void {
  const written = JSON.stringify(value);
  const escape = /\\(?:ud[89a-f][0-9a-f]{2}|.)/g;
  cells.write(
    written.includes('\\ud') ? written.replace(escape, (found) => (found.length > 2 ? '\ufffd' : found)) : written,
  );
}

/** Stores a value as JSON. `decode` throws if `check` refuses the value. */
export function json<T>(check: (value: unknown) => boolean): CellCodec<T> {
  return cellCodec<T>({
    encodeInto: writeJson,
    decode(bytes) {
      const value: unknown = JSON.parse(utf8.decode(bytes));
      if (!check(value)) throw new Error('JSON of another shape');
      return value as T;
    },
  });
}

/** Returns the value of a row of table `meta`; undefined if it has none. @throws CrawlError TABLE_DAMAGED if it cannot be read */
export function metaValue<T>(row: StoredRow | undefined, column: Column, codec: Codec<T>): T | undefined {
  const cell = row?.cells.get(column);
  if (!cell) return undefined;
  try {
    return codec.decode(cell);
  } catch {
    throw new CrawlError(
      'TABLE_DAMAGED',
      `expected to read the row ${row!.key} of table meta, found something else in it`,
    );
  }
}

/** Returns the value of a row of any table, for data that can be lost: undefined if the row has none, or if it cannot be read. */
export function readableValue<T>(row: StoredRow | undefined, column: Column, codec: Codec<T>): T | undefined {
  const cell = row?.cells.get(column);
  try {
    return cell && codec.decode(cell);
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRecordOfText = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((v) => typeof v === 'string');
const isCoded = (value: unknown): boolean => isRecord(value) && typeof value.code === 'string';
/**
 * FROZEN. Stores links as JSON of one flat array: URL and anchor of each link in turn. A link with more fields has an object after its
 * anchor. This array is read in half the time of an array of objects.
 */
const linkList = cellCodec<readonly Outlink[]>({
  encodeInto(cells, links) {
    const flat: unknown[] = [];
    for (const link of links) {
      flat.push(link.url, link.anchor);
      if (Object.keys(link).length === 2) continue;
      const { url: _url, anchor: _anchor, ...said } = link;
      flat.push(said);
    }
    writeJson(cells, flat);
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
});

const languageSource = cellCodec<LanguageSource>({
  encodeInto: text.encodeInto,
  decode(bytes) {
    const source = text.decode(bytes);
    if (source !== 'stated' && source !== 'detected') throw new Error('no source of a language');
    return source;
  },
});

const contentVersions = cellCodec<readonly ContentLocation[]>({
  encodeInto: (cells, locations) => cells.write(encodeLocations(locations)),
  decode: decodeLocations,
});
const contentLocation = cellCodec<ContentLocation>({
  encodeInto: (cells, location) => cells.write(encodeLocations([location])),
  decode(bytes) {
    const [location, ...others] = decodeLocations(bytes);
    if (!location || others.length > 0) throw new Error('no location');
    return location;
  },
});

/** Writes a text if it contains only ASCII. Returns whether the text was written. */
export function writeAscii(bytes: Uint8Array, start: number, value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code > 0x7f) return false;
    bytes[start + i] = code;
  }
  return true;
}

export const FIELD_CODECS: { readonly [F in PlainField]: CellCodec<Page[F]> } = {
  status,
  dueAt: number,
  fetchedAt: number,
  fetchInterval: number,
  retries: number,
  modifiedAt: number,
  firstSeenAt: number,
  changedAt: number,
  bytesChangedAt: number,
  duplicateAt: number,
  foundAs: text,
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
  inlinksFolded: number,
  sitemap: json((value) => value === true),
  refusedBy: text,
  metadata: json(isRecordOfText),
  outlinks: linkList,
  title: text,
  text,
  textRanges,
  language: text,
  languageSource,
  headings: json((value) => Array.isArray(value) && value.every((each) => typeof each === 'string')),
  pageMetadata: json(isRecordOfText),
  custom: json(isRecord),
  headers: json(isRecordOfText),
  contentLocation,
  textLocation: contentLocation,
  contentVersions,
  rank: number,
  hostRank: number,
  duplicateOf: text,
  relevant: json((value) => typeof value === 'boolean'),
  relevantBonus: number,
  rejectedLinks: json((value) => isRecord(value) && Object.values(value).every((count) => typeof count === 'number')),
  bodyBytes: number,
  fetchMs: number,
  digest: pageDigest,
  changedLinks: json((value) => isRecord(value) && Array.isArray(value.added) && Array.isArray(value.removed)),
  logged: loggedState,
};
