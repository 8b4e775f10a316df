import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  isSamePlace,
  readRecord,
  recordOf,
  sha1,
  urlOf,
  warcRecord,
  warcinfoRecord,
  type ContentLocation,
  type PageRow,
  type StoredRecord,
  type Tables,
} from '../../../webtable/index.js';

const zip = promisify(gzip);
const LEVEL = 6;

/** What of a row goes into an archive. */
export const ARCHIVE_FIELDS = [
  'contentAt',
  'contentVersions',
  'fetchedAt',
  'protocolStatus',
  'title',
  'language',
  'outlinks',
] as const;

/** A row with these fields. */
export type ArchiveRow = PageRow<(typeof ARCHIVE_FIELDS)[number]>;

/** A record as it goes into a file. */
export interface ArchiveRecord {
  readonly headers: StoredRecord['headers'];
  readonly block: Uint8Array;
  /** The gzip member. */
  readonly member: Uint8Array;
}

/** The records of a page, in order, and what is not among them. */
export interface PageRecords {
  /** None where the latest body is missing or not as it was stored. */
  readonly records: readonly ArchiveRecord[];
  /** Earlier bodies that are. */
  readonly lostVersions: number;
}

/** How often a body is looked for again that has moved meanwhile. */
const TRIES = 5;

/**
 * The records of pages as they were stored: of each the bodies that are kept, oldest first; a `revisit` where the last answer
 * was that nothing has changed; and `metadata` with title, language and links. Dates and ids are of the records and rows, so that the
 * same rows give the same bytes.
 */
export async function pageRecords(
  tables: Pick<Tables, 'pages' | 'content'>,
  rows: readonly ArchiveRow[],
): Promise<PageRecords[]> {
  const found = await storedRecords(tables, rows);
  return Promise.all(rows.map((row, i) => recordsOf(row, found[i]!)));
}

async function recordsOf(row: ArchiveRow, stored: readonly (StoredRecord | undefined)[]): Promise<PageRecords> {
  const latest = stored.at(-1);
  if (!latest) return { records: [], lostVersions: 0 };
  const kept = stored.filter((record) => record !== undefined);
  const made = [revisitOf(row, latest), metadataOf(row, latest)].filter((bytes) => bytes !== undefined);
  const all = [...kept, ...made.map((bytes) => readRecord(bytes)!)];
  return {
    records: await Promise.all(all.map(archived)),
    lostVersions: stored.length - kept.length,
  };
}

/** A member that is compressed already is copied as it is. */
async function archived({ headers, block, bytes, member }: StoredRecord): Promise<ArchiveRecord> {
  return { headers, block, member: member ?? (await compressed(bytes)) };
}

/** The bodies of each row, oldest first; undefined for one that is lost. */
async function storedRecords(
  { pages, content }: Pick<Tables, 'pages' | 'content'>,
  rows: readonly ArchiveRow[],
): Promise<(StoredRecord | undefined)[][]> {
  const read = async (wanted: readonly ArchiveRow[]): Promise<(StoredRecord | undefined)[][]> => {
    const places = wanted.map(placesOf);
    const records = await content.records(places.flat());
    let at = 0;
    return places.map((each, i) => {
      const url = urlOf(wanted[i]!.key);
      return each
        .map(() => records[at++])
        .map((record) => (record?.headers.get('warc-target-uri') === url ? record : undefined));
    });
  };
  const latest = [...rows];
  const found = await read(latest);
  // A compaction may have moved a body since its row was read.
  for (let n = 1; n < TRIES; n++) {
    const missing = [...found.keys()].filter((i) => found[i]!.includes(undefined));
    if (missing.length === 0) break;
    const again = await pages.getMany(
      missing.map((i) => rows[i]!.key),
      ['contentAt', 'contentVersions'],
    );
    const moved = missing.filter((i, k) => again[k] && !samePlaces(placesOf(again[k]), placesOf(latest[i]!)));
    for (const [k, i] of missing.entries()) latest[i] = { ...latest[i]!, ...again[k] };
    if (moved.length === 0) break;
    for (const [k, records] of (await read(moved.map((i) => latest[i]!))).entries()) found[moved[k]!] = records;
  }
  return found;
}

function placesOf({
  contentAt,
  contentVersions = [],
}: Pick<ArchiveRow, 'contentAt' | 'contentVersions'>): ContentLocation[] {
  return contentAt ? [...contentVersions].reverse().concat(contentAt) : [];
}

function samePlaces(a: readonly ContentLocation[], b: readonly ContentLocation[]): boolean {
  return a.length === b.length && a.every((place, i) => isSamePlace(place, b[i]));
}

/** A gzip member of a record. */
function compressed(record: Uint8Array): Promise<Uint8Array> {
  return zip(record, { level: LEVEL });
}

/** The record of the last answer, where that was 304. */
function revisitOf({ key, protocolStatus, fetchedAt }: ArchiveRow, { headers }: StoredRecord): Uint8Array | undefined {
  if (protocolStatus?.code !== 'notmodified' || fetchedAt === undefined) return undefined;
  const url = urlOf(key);
  const referred = {
    id: headers.get('warc-record-id') ?? '',
    date: headers.get('warc-date') ?? '',
    payloadDigest: headers.get('warc-payload-digest'),
  };
  // The row does not keep the head of the 304.
  const refersTo = { segment: '', offset: 0, length: 0 };
  const record = { kind: 'revisit', url, date: fetchedAt, refersTo } as const;
  return warcRecord(record, referred, recordId('revisit', url, String(fetchedAt), referred.id));
}

/** What was parsed of a page, as `application/warc-fields` (WARC 1.1, section 6.7). */
function metadataOf(
  { key, title, language, outlinks = [] }: ArchiveRow,
  { headers }: StoredRecord,
): Uint8Array | undefined {
  const lines = [
    ...(title ? [`title: ${oneLine(title)}`] : []),
    ...(language ? [`language: ${oneLine(language)}`] : []),
    ...outlinks.map(({ url }) => `outlink: ${oneLine(url)}`),
  ];
  if (lines.length === 0) return undefined;
  const block = Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
  const digest = sha1(block);
  const about = headers.get('warc-record-id') ?? '';
  const url = urlOf(key);
  return recordOf(
    [
      ['WARC-Type', 'metadata'],
      ['WARC-Date', headers.get('warc-date') ?? ''],
      ['WARC-Record-ID', recordId('metadata', url, about, digest)],
      ['WARC-Target-URI', url],
      ['WARC-Refers-To', about],
      ['WARC-Block-Digest', digest],
      ['Content-Type', 'application/warc-fields'],
    ],
    block,
  );
}

/** The record at the head of a file, as a gzip member. @param first the first record behind it, which dates the file */
export function fileHead(filename: string, first: ArchiveRecord): Promise<Uint8Array> {
  const date = first.headers.get('warc-date') ?? '';
  return compressed(warcinfoRecord(filename, Date.parse(date) || 0, recordId('warcinfo', filename, date)));
}

/** An id by what it stands for: a UUID of version 8 (RFC 9562, section 5.8) from SHA-256. */
function recordId(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex', 0, 16);
  return `<urn:uuid:${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}>`;
}

function oneLine(text: string): string {
  return text.replace(/[\0-\x1f\x7f]+/g, ' ').trim();
}
