/**
 * Types of the sorted records. Sorting brings all records of a target together. A record consists of the row key of the target, a zero, the
 * type, and the content of the record. Row keys are printable ASCII.
 */
export const RECORD = {
  /** Data of a host. It sorts before all rows of the host. */
  host: 0,
  row: 1,
  /** The result of an earlier request of the audit. */
  asked: 2,
  link: 3,
  canonical: 4,
  alternate: 5,
  /** A sitemap lists the target. */
  listed: 6,
  redirect: 7,
  /** A page with the same content. */
  duplicate: 8,
} as const;

/** A link in the form in which it is sorted by target. */
export interface LinkRecord {
  /** The number of the row with the link. */
  readonly source: number;
  readonly kind: number;
  readonly rel: number;
  readonly line: number;
  readonly fragment: string;
  readonly anchor: string;
}

const LINK_HEAD = 14;
const ROW_HEAD = 10;

export function packRecord(key: string, type: number, content: Uint8Array): Buffer {
  const record = Buffer.allocUnsafe(key.length + 2 + content.length);
  record.write(key, 0, 'latin1');
  record[key.length] = 0;
  record[key.length + 1] = type;
  record.set(content, key.length + 2);
  return record;
}

/** @param record a record whose key ends at the first zero */
export function readRecord(record: Buffer): { readonly keyEnd: number; readonly type: number } {
  const keyEnd = record.indexOf(0);
  return { keyEnd, type: record[keyEnd + 1]! };
}

/** Packs a link so that the sources of a target sort in the order of their rows. */
export function packLink(key: string, type: number, link: LinkRecord): Buffer {
  const fragment = Buffer.byteLength(link.fragment);
  const anchor = Buffer.byteLength(link.anchor);
  const at = key.length + 2;
  const record = Buffer.allocUnsafe(at + LINK_HEAD + fragment + anchor);
  record.write(key, 0, 'latin1');
  record[key.length] = 0;
  record[key.length + 1] = type;
  record.writeUInt32BE(link.source, at);
  record.writeUInt32BE(link.line, at + 4);
  record.writeUInt16BE(link.kind, at + 8);
  record.writeUInt16BE(link.rel, at + 10);
  record.writeUInt16BE(fragment, at + 12);
  record.write(link.fragment, at + LINK_HEAD);
  record.write(link.anchor, at + LINK_HEAD + fragment);
  return record;
}

export function readLink(record: Buffer, keyEnd: number): LinkRecord {
  const at = keyEnd + 2;
  const fragment = at + LINK_HEAD + record.readUInt16BE(at + 12);
  return {
    source: record.readUInt32BE(at),
    line: record.readUInt32BE(at + 4),
    kind: record.readUInt16BE(at + 8),
    rel: record.readUInt16BE(at + 10),
    fragment: record.toString('utf8', at + LINK_HEAD, fragment),
    anchor: record.toString('utf8', fragment),
  };
}

/** The data of a target that has a row. */
export interface RowRecord {
  readonly row: number;
  /** Flags of `MARKS`. */
  readonly marks: number;
  readonly ids: Uint32Array;
  /** Number of ids of this page to which links on the same page lead. */
  readonly ownPlaces: number;
  /** How the last request ended. Absent: it returned a page. */
  readonly ending?: Ending;
}

export interface Ending {
  readonly code: string;
  /** A message of the server. Untrusted. */
  readonly message?: string;
  /** The redirect target. */
  readonly to?: string;
  readonly tries?: number;
  /** Since when requests for the target fail, and when it last worked; in ms since the epoch. */
  readonly since?: number;
  readonly lastOkAt?: number;
}

export function packRow(key: string, { row, marks, ids, ownPlaces, ending }: RowRecord): Buffer {
  const head = Buffer.allocUnsafe(ROW_HEAD);
  head.writeUInt32BE(row);
  head.writeUInt16BE(marks, 4);
  head.writeUInt16BE(ids.length, 6);
  head.writeUInt16BE(ownPlaces, 8);
  const idBytes = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength);
  const tail = Buffer.from(ending ? JSON.stringify(ending) : '');
  return packRecord(key, RECORD.row, Buffer.concat([head, idBytes, tail]));
}

export function readRow(record: Buffer, keyEnd: number): RowRecord {
  const at = keyEnd + 2;
  const count = record.readUInt16BE(at + 6);
  const idsEnd = at + ROW_HEAD + 4 * count;
  const bytes = Uint8Array.from(record.subarray(at + ROW_HEAD, idsEnd));
  const ending = record.length > idsEnd ? (JSON.parse(record.toString('utf8', idsEnd)) as Ending) : undefined;
  return {
    row: record.readUInt32BE(at),
    marks: record.readUInt16BE(at + 4),
    ids: new Uint32Array(bytes.buffer, 0, count),
    ownPlaces: record.readUInt16BE(at + 8),
    ...(ending && { ending }),
  };
}

/** Figures of a host. Their record comes before the first row of the host. */
export interface HostNote {
  /** Number of pages that were answered. */
  readonly pages: number;
  readonly seeds: number;
  /** The origins whose sitemaps were read completely. A sitemap lists pages of its own origin. */
  readonly sitemaps: readonly string[];
  /** Number of sitemaps that were not read, or only in part. */
  readonly unreadSitemaps: number;
  /** Whether a sitemap of the host names versions of pages in other languages. */
  readonly alternates: boolean;
}

/** The results of the audit's requests for a URL. Plain data, as stored in the table; times in ms since the epoch. */
export interface AskedNote {
  readonly at: number;
  readonly code: string;
  readonly http?: number;
  /** The last redirect target. */
  readonly to?: string;
  /** The times of the last failures in succession. */
  readonly failures?: readonly number[];
  readonly since?: number;
  readonly lastOkAt?: number;
}

export function packJson(key: string, type: number, note: HostNote | AskedNote): Buffer {
  return packRecord(key, type, Buffer.from(JSON.stringify(note)));
}

export function readJson<T extends HostNote | AskedNote>(record: Buffer, keyEnd: number): T {
  return JSON.parse(record.toString('utf8', keyEnd + 2)) as T;
}
