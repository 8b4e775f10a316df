/** Types of the records of a target, in the order in which they are joined. */
export const RECORD = {
  /** Data of a host. It sorts before all rows of the host. */
  host: 0,
  row: 1,
  /** The result of an earlier request of the audit. */
  response: 2,
  link: 3,
  canonical: 4,
  alternate: 5,
  /** A sitemap lists the target. */
  listed: 6,
  redirect: 7,
  /** A page with the same content. */
  duplicate: 8,
  /** A page names the target as canonical, besides the one that the crawl stored. */
  named: 9,
} as const;

export interface LinkRecord {
  readonly source: number;
  readonly kind: number;
  readonly rel: number;
  readonly line: number;
  readonly fragment: string;
  readonly anchor: string;
}

const LINK_HEAD = 14;
const ROW_HEAD = 10;

/** Packs a link so that the sources of a target sort in the order of their rows. */
export function packLink({ source, line, kind, rel, fragment, anchor }: LinkRecord): Buffer {
  const fragmentBytes = Buffer.byteLength(fragment);
  const content = Buffer.allocUnsafe(LINK_HEAD + fragmentBytes + Buffer.byteLength(anchor));
  content.writeUInt32BE(source);
  content.writeUInt32BE(line, 4);
  content.writeUInt16BE(kind, 8);
  content.writeUInt16BE(rel, 10);
  content.writeUInt16BE(fragmentBytes, 12);
  content.write(fragment, LINK_HEAD);
  content.write(anchor, LINK_HEAD + fragmentBytes);
  return content;
}

export function readLink(content: Buffer): LinkRecord {
  const fragmentEnd = LINK_HEAD + content.readUInt16BE(12);
  return {
    source: content.readUInt32BE(),
    line: content.readUInt32BE(4),
    kind: content.readUInt16BE(8),
    rel: content.readUInt16BE(10),
    fragment: content.toString('utf8', LINK_HEAD, fragmentEnd),
    anchor: content.toString('utf8', fragmentEnd),
  };
}

export interface RowRecord {
  readonly row: number;
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
  readonly to?: string;
  readonly tries?: number;
  /** Since when requests for the target fail, and when it last worked; in ms since the epoch. */
  readonly since?: number;
  readonly lastOkAt?: number;
}

export function packRow({ row, marks, ids, ownPlaces, ending }: RowRecord): Buffer {
  const head = Buffer.allocUnsafe(ROW_HEAD);
  head.writeUInt32BE(row);
  head.writeUInt16BE(marks, 4);
  head.writeUInt16BE(ids.length, 6);
  head.writeUInt16BE(ownPlaces, 8);
  const idBytes = Buffer.from(ids.buffer, ids.byteOffset, ids.byteLength);
  return Buffer.concat([head, idBytes, ...(ending ? [packJson(ending)] : [])]);
}

export function readRow(content: Buffer): RowRecord {
  const count = content.readUInt16BE(6);
  const idsEnd = ROW_HEAD + 4 * count;
  const bytes = Uint8Array.from(content.subarray(ROW_HEAD, idsEnd));
  return {
    row: content.readUInt32BE(),
    marks: content.readUInt16BE(4),
    ids: new Uint32Array(bytes.buffer, 0, count),
    ownPlaces: content.readUInt16BE(8),
    ...(content.length > idsEnd && { ending: readJson<Ending>(content.subarray(idsEnd)) }),
  };
}

export interface HostNote {
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
export interface ResponseNote {
  readonly at: number;
  readonly code: string;
  readonly http?: number;
  readonly to?: string;
  /** The times of the last failures in succession. */
  readonly failures?: readonly number[];
  readonly since?: number;
  readonly lastOkAt?: number;
}

export function packJson(note: HostNote | ResponseNote | Ending): Buffer {
  return Buffer.from(JSON.stringify(note));
}

export function readJson<T extends HostNote | ResponseNote | Ending>(content: Buffer): T {
  return JSON.parse(content.toString()) as T;
}
