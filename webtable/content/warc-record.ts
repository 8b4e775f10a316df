import { hash, randomUUID } from 'node:crypto';
import type { ContentRecord } from './content-store.js';
import { archivedHead } from './http-head.js';

type WarcHeader = readonly [name: string, value: string];

/** The data of an earlier record that a revisit repeats. A metadata record repeats only the id. */
export interface Referred {
  readonly id: string;
  readonly date?: string;
  readonly payloadDigest?: string | undefined;
}

const NOT_MODIFIED = 'http://netpreserve.org/warc/1.1/revisit/server-not-modified';
const CONFORMS_TO = 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/';
const END = Buffer.from('\r\n\r\n');

/** The record at the start of a file (WARC 1.1, section 6.2). */
export function warcinfoRecord(filename: string, date: number, id?: string): Buffer {
  const fields = Buffer.from(`software: webcrawl\r\nformat: WARC File Format 1.1\r\nconformsTo: ${CONFORMS_TO}\r\n`);
  return recordOf(
    [
      ['WARC-Type', 'warcinfo'],
      ...identity(date, id),
      ['WARC-Filename', filename],
      ['Content-Type', 'application/warc-fields'],
    ],
    fields,
  );
}

/**
 * Makes a record in the format WARC 1.1. A page that was fetched by HTTP is a `response` with the received head, adapted to the decoded
 * body (see {@link archivedHead}). Any other page is a `resource`. An answer 304 is a `revisit`. The record of a page has a digest of its
 * body. It has no digest of its whole block, which would double the cost. The checksum of the member or of the store protects the block.
 * @param referred for a revisit or metadata: data of the earlier record, if that record can be read
 * @param id of the record
 */
export function warcRecord(record: ContentRecord, referred?: Referred, id = newRecordId()): Buffer {
  return Buffer.concat(warcRecordParts(record, referred, id));
}

/** Like {@link warcRecord}, but returns the parts of the record. The part with the body is the body of `record` itself, not a copy. */
export function warcRecordParts(record: ContentRecord, referred?: Referred, id = newRecordId()): Uint8Array[] {
  const { kind, url, date } = record;
  const start: WarcHeader[] = [...identity(date, id), ['WARC-Target-URI', url]];
  if (kind === 'metadata') {
    const headers: WarcHeader[] = [
      ['WARC-Type', 'metadata'],
      ...start,
      ...(referred ? [['WARC-Refers-To', referred.id] as const] : []),
      ['Content-Type', record.contentType],
    ];
    return partsOf(headers, [record.body]);
  }
  const { head } = record;
  if (kind === 'revisit') {
    // A revisit without a head gets the head of the earlier record.
    const block = Buffer.from(head === undefined ? '' : archivedHead(head), 'latin1');
    const headers: WarcHeader[] = [
      ['WARC-Type', 'revisit'],
      ...start,
      ['WARC-Profile', NOT_MODIFIED],
      ...(referred ? refersTo(url, referred) : []),
      ['WARC-Block-Digest', sha1(block)],
      ['Content-Type', 'application/http; msgtype=response'],
    ];
    return partsOf(headers, [block]);
  }
  const { body, contentType, sha1: known, truncated } = record;
  const block = head === undefined ? [body] : [Buffer.from(archivedHead(head, body.length), 'latin1'), body];
  const type = head === undefined ? 'resource' : 'response';
  const media = head === undefined ? safeValue(contentType || 'application/octet-stream') : HTTP_RESPONSE;
  const headers: WarcHeader[] = [
    ['WARC-Type', type],
    ...start,
    ...(truncated ? [['WARC-Truncated', truncated] as const] : []),
    ['WARC-Payload-Digest', known === undefined ? sha1(body) : digestOf(Buffer.from(known, 'hex'))],
    ['Content-Type', media],
  ];
  return partsOf(headers, block);
}

const HTTP_RESPONSE = 'application/http; msgtype=response';

export function newRecordId(): string {
  return `<urn:uuid:${randomUUID()}>`;
}

function identity(date: number, id = newRecordId()): WarcHeader[] {
  return [
    ['WARC-Date', new Date(date).toISOString()],
    ['WARC-Record-ID', id],
  ];
}

function refersTo(url: string, { id, date, payloadDigest }: Referred): WarcHeader[] {
  return [
    ['WARC-Refers-To', id],
    ['WARC-Refers-To-Target-URI', url],
    ...(date === undefined ? [] : [['WARC-Refers-To-Date', date] as const]),
    ...(payloadDigest === undefined ? [] : [['WARC-Payload-Digest', payloadDigest] as const]),
  ];
}

/** Makes a record with these headers and `Content-Length`. The headers must not contain line breaks. */
export function recordOf(headers: readonly WarcHeader[], block: Uint8Array): Buffer {
  return Buffer.concat(partsOf(headers, [block]));
}

function partsOf(headers: readonly WarcHeader[], block: readonly Uint8Array[]): Uint8Array[] {
  const length = block.reduce((sum, part) => sum + part.length, 0);
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return [Buffer.from(`WARC/1.1\r\n${lines}Content-Length: ${length}\r\n\r\n`, 'utf8'), ...block, END];
}

/** Removes the characters from a value that could break a header line. */
function safeValue(value: string): string {
  return value.replace(/[\0-\x1f\x7f]/g, ' ');
}

/** Returns the digest in the form of WARC tools: SHA-1 in Base32 (RFC 4648, section 6). */
export function sha1(bytes: Uint8Array): string {
  return digestOf(hash('sha1', bytes, 'buffer'));
}

function digestOf(hashed: Uint8Array): string {
  return `sha1:${base32(hashed)}`;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes in Base32. The number of bytes must be a multiple of five, so that no padding is needed. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += ALPHABET[(held >>> (bits - 5)) & 31];
    held &= (1 << bits) - 1;
  }
  return text;
}
