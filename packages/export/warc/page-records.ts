import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import {
  httpHead,
  isPage,
  isRedirect,
  isSameLocation,
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
} from '../../core/index.js';

const zip = promisify(gzip);
const LEVEL = 6;

export const ARCHIVE_FIELDS = [
  'status',
  'redirectTarget',
  'contentLocation',
  'contentVersions',
  'fetchedAt',
  'protocolStatus',
  'title',
  'language',
  'outlinks',
] as const;

export type ArchiveRow = PageRow<(typeof ARCHIVE_FIELDS)[number]>;

export interface ArchiveRecord {
  readonly headers: StoredRecord['headers'];
  readonly block: Uint8Array;
  readonly member: Uint8Array;
  /** Whether the record was made from the row, for a redirect or an error. Such a record has no body. */
  readonly isFromRow?: boolean;
}

interface PageRecords {
  /** The records of the page. If the latest body is missing or damaged, records with bodies are left out. */
  readonly records: readonly ArchiveRecord[];
  readonly isLost: boolean;
  /** Number of earlier bodies that are lost. */
  readonly lostVersions: number;
}

/** A compaction may move the body. */
const MAX_READ_ATTEMPTS = 5;

/**
 * Returns the records of pages: the stored bodies, oldest first; a `revisit` if the last response was "not modified"; `metadata` with
 * title, language and links; and the last response if it was a redirect or an error. Dates and ids come from records and rows, so that the
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
  const response = lastResponseOf(row);
  const last = response ? [{ ...(await archived(readRecord(response)!)), isFromRow: true }] : [];
  if (!latest) return { records: last, lostVersions: 0, isLost: row.contentLocation !== undefined };
  const kept = stored.filter((record) => record !== undefined);
  const made = [revisitOf(row, latest), metadataOf(row, latest)].filter((bytes) => bytes !== undefined);
  const all = [...kept, ...made.map((bytes) => readRecord(bytes)!)];
  return {
    records: [...(await Promise.all(all.map(archived))), ...last],
    lostVersions: stored.length - kept.length,
    isLost: false,
  };
}

/** Returns a record as it is written to a file. A record that is stored as a gzip member is copied unchanged. */
async function archived({ headers, block, bytes, member }: StoredRecord): Promise<ArchiveRecord> {
  return { headers, block, member: member ?? (await compressed(bytes)) };
}

/** Returns the bodies of each row, oldest first. A lost body is undefined. */
async function storedRecords(
  { pages, content }: Pick<Tables, 'pages' | 'content'>,
  rows: readonly ArchiveRow[],
): Promise<(StoredRecord | undefined)[][]> {
  const read = async (wanted: readonly ArchiveRow[]): Promise<(StoredRecord | undefined)[][]> => {
    const locations = wanted.map(locationsOf);
    const records = await content.records(locations.flat());
    let at = 0;
    return locations.map((each, i) => {
      const url = urlOf(wanted[i]!.key);
      return each
        .map(() => records[at++])
        .map((record) => (record?.headers.get('warc-target-uri') === url ? record : undefined));
    });
  };
  const latest = [...rows];
  const found = await read(latest);
  // A compaction may have moved a body after its row was read.
  for (let n = 1; n < MAX_READ_ATTEMPTS; n++) {
    const missing = [...found.keys()].filter((i) => found[i]!.includes(undefined));
    if (missing.length === 0) break;
    const again = await pages.getMany(
      missing.map((i) => rows[i]!.key),
      ['contentLocation', 'contentVersions'],
    );
    const moved = missing.filter((i, k) => again[k] && !sameLocations(locationsOf(again[k]), locationsOf(latest[i]!)));
    for (const [k, i] of missing.entries()) latest[i] = { ...latest[i]!, ...again[k] };
    if (moved.length === 0) break;
    for (const [k, records] of (await read(moved.map((i) => latest[i]!))).entries()) found[moved[k]!] = records;
  }
  return found;
}

function locationsOf({
  contentLocation,
  contentVersions = [],
}: Pick<ArchiveRow, 'contentLocation' | 'contentVersions'>): ContentLocation[] {
  return contentLocation ? [...contentVersions].reverse().concat(contentLocation) : [];
}

function sameLocations(a: readonly ContentLocation[], b: readonly ContentLocation[]): boolean {
  return a.length === b.length && a.every((place, i) => isSameLocation(place, b[i]));
}

function compressed(record: Uint8Array): Promise<Uint8Array> {
  return zip(record, { level: LEVEL });
}

/** The record of the last response, if it was 304. */
function revisitOf({ key, protocolStatus, fetchedAt }: ArchiveRow, { headers }: StoredRecord): Uint8Array | undefined {
  if (protocolStatus?.code !== 'notmodified' || fetchedAt === undefined) return undefined;
  const url = urlOf(key);
  const referred = {
    id: headers.get('warc-record-id') ?? '',
    date: headers.get('warc-date') ?? '',
    payloadDigest: headers.get('warc-payload-digest'),
  };
  // This location is not read, because `referred` has all that the record needs.
  const refersTo = { segment: '', offset: 0, length: 0 };
  const record = { kind: 'revisit', url, date: fetchedAt, refersTo } as const;
  return warcRecord(record, referred, recordId('revisit', url, String(fetchedAt), referred.id));
}

/**
 * The record of the last response, if it was a redirect or an error. The row has the status and the redirect target, but nothing of the
 * body. A redirect whose target the crawl rejected has no record, because programs that read the archive could not follow it.
 */
function lastResponseOf({
  key,
  status,
  protocolStatus,
  fetchedAt,
  redirectTarget,
}: ArchiveRow): Uint8Array | undefined {
  const http = protocolStatus?.http;
  if (fetchedAt === undefined || http === undefined || http < 300 || http === 304) return undefined;
  if (isRedirect(status) ? redirectTarget === undefined : isPage(status) || http < 400) return undefined;
  const url = urlOf(key);
  const head = httpHead(`HTTP/1.1 ${http} ${STATUS_CODES[http] ?? ''}`, [
    ...(redirectTarget === undefined ? [] : [['Location', redirectTarget] as const]),
    ['X-Crawler-Head', 'rebuilt'],
  ]);
  const record = { kind: 'response', url, date: fetchedAt, head, body: Buffer.alloc(0) } as const;
  return warcRecord(record, undefined, recordId('answer', url, String(fetchedAt), String(http), redirectTarget ?? ''));
}

/** The parsed data of a page, as `application/warc-fields` (WARC 1.1, section 6.7). */
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

/** The first record of a file, as a gzip member. @param first the next record; its date is the date of the file */
export function fileHead(filename: string, first: ArchiveRecord): Promise<Uint8Array> {
  const date = first.headers.get('warc-date') ?? '';
  return compressed(warcinfoRecord(filename, Date.parse(date) || 0, recordId('warcinfo', filename, date)));
}

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
