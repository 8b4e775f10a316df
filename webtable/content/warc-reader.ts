import type { StoredContent, StoredRecord } from './content-store.js';

const BLANK_LINE = Buffer.from('\r\n\r\n');

/** Reads a record; undefined if the bytes are not exactly one complete record. */
export function readRecord(bytes: Uint8Array): StoredRecord | undefined {
  const record = readHeaders(bytes);
  if (!record) return undefined;
  const { headers, start } = record;
  const end = start + Number(headers.get('content-length'));
  if (!(end + 4 === bytes.length) || !Buffer.from(bytes.subarray(end)).equals(BLANK_LINE)) return undefined;
  return { headers, block: bytes.subarray(start, end), bytes };
}

/** The headers of the record at the start of these bytes; the rest of the record may be missing. */
export function readHeaders(bytes: Uint8Array): { headers: Map<string, string>; start: number } | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const end = data.indexOf(BLANK_LINE);
  if (end < 0) return undefined;
  const [version = '', ...lines] = data.toString('utf8', 0, end).split('\r\n');
  if (!version.startsWith('WARC/')) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return { headers, start: end + BLANK_LINE.length };
}

/** The body in a record; undefined if it has none. */
export function contentOf({ headers, block }: StoredRecord): StoredContent | undefined {
  const url = headers.get('warc-target-uri');
  const type = headers.get('warc-type');
  if (url === undefined) return undefined;
  if (type === 'resource') return { url, body: block };
  const head = Buffer.from(block.buffer, block.byteOffset, block.length).indexOf(BLANK_LINE);
  return type === 'response' && head >= 0 ? { url, body: block.subarray(head + BLANK_LINE.length) } : undefined;
}
