import type { StoredRecord } from '../../core/index.js';
import { surt } from './surt.js';

interface RecordPlace {
  readonly filename: string;
  /** Offset of the record in the file, in bytes. */
  readonly offset: number;
  /** Size of the gzip member of the record, in bytes. */
  readonly length: number;
}

const BLANK_LINE = '\r\n\r\n';

/**
 * Makes the line of a record in a CDXJ index, with a line break. The line has the key, the time in 14 digits, and JSON in the form of
 * `cdxj-indexer`. The lines of an index are sorted by their bytes, which are ASCII.
 * @returns undefined for a record that is not in an index: an index has only records of type response, revisit and resource
 */
export function cdxjLine(
  { headers, block }: Pick<StoredRecord, 'headers' | 'block'>,
  place: RecordPlace,
): string | undefined {
  const type = headers.get('warc-type');
  const url = headers.get('warc-target-uri');
  if (url === undefined || (type !== 'response' && type !== 'revisit' && type !== 'resource')) return undefined;
  const http = type === 'resource' ? undefined : httpOf(block);
  const mime = type === 'revisit' ? 'warc/revisit' : mediaTypeOf(http ? http.contentType : headers.get('content-type'));
  const fields = {
    url,
    mime,
    status: http?.status,
    digest: headers.get('warc-payload-digest'),
    length: String(place.length),
    offset: String(place.offset),
    filename: place.filename,
  };
  const time = (headers.get('warc-date') ?? '').replace(/\D/g, '').slice(0, 14);
  return `${surt(url)} ${time} ${spacedJson(fields)}\n`;
}

function httpOf(block: Uint8Array): { status?: string; contentType?: string } {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.length);
  const end = bytes.indexOf(BLANK_LINE);
  const [statusLine = '', ...lines] = textOf(bytes.subarray(0, end < 0 ? bytes.length : end)).split('\r\n');
  const [, status] = /^\S+\s+(\S+)/.exec(statusLine) ?? [];
  const line = lines.find((each) => /^content-type[ \t]*:/i.test(each));
  return { ...(status && { status }), ...(line !== undefined && { contentType: line.slice(line.indexOf(':') + 1) }) };
}

/** Decodes header lines as UTF-8, or as ISO 8859-1 if they are not valid UTF-8. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  return text.includes('\uFFFD') ? bytes.toString('latin1') : text;
}

function mediaTypeOf(contentType: string | undefined): string | undefined {
  return contentType?.trim().split(/[;\s]/, 1)[0];
}

/** JSON of a flat object in ASCII, with a space after each comma and colon. Undefined values are omitted. */
export function spacedJson(fields: Readonly<Record<string, string | number | undefined>>): string {
  const members = Object.entries(fields).filter(([, value]) => value !== undefined);
  return `{${members.map(([name, value]) => `${asciiJson(name)}: ${asciiJson(value)}`).join(', ')}}`;
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
