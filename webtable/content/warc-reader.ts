import type { StoredContent, StoredRecord } from './content-store.js';

const BLANK_LINE = Buffer.from('\r\n\r\n');

/** Reads a record; undefined if the bytes are not exactly one complete record. */
export function readRecord(bytes: Uint8Array): StoredRecord | undefined {
  const found = headerLinesIn(bytes);
  const end = bytes.length - BLANK_LINE.length;
  if (!found || found.start > end || !bufferOf(bytes).subarray(end).equals(BLANK_LINE)) return undefined;
  const { headerLines, start } = found;
  let headers: ReadonlyMap<string, string> | undefined;
  const record: StoredRecord = {
    headerLines,
    get headers() {
      return (headers ??= headersOf(headerLines));
    },
    block: bytes.subarray(start, end),
    bytes,
  };
  // The last header of the records that the crawler writes.
  const isWhole = headerLines.endsWith(`\r\nContent-Length: ${end - start}`);
  return isWhole || Number(record.headers.get('content-length')) === end - start ? record : undefined;
}

/** The headers of the record at the start of these bytes; the rest of the record may be missing. */
export function readHeaders(bytes: Uint8Array): ReadonlyMap<string, string> | undefined {
  const found = headerLinesIn(bytes);
  return found && headersOf(found.headerLines);
}

function headerLinesIn(bytes: Uint8Array): { readonly headerLines: string; readonly start: number } | undefined {
  const data = bufferOf(bytes);
  const end = data.indexOf(BLANK_LINE);
  const headerLines = end < 0 ? '' : data.toString('utf8', 0, end);
  return headerLines.startsWith('WARC/') ? { headerLines, start: end + BLANK_LINE.length } : undefined;
}

function headersOf(headerLines: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of headerLines.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  return headers;
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

/** The body in a record; undefined if it has none. */
export function contentOf({ headers, block }: StoredRecord): StoredContent | undefined {
  const url = headers.get('warc-target-uri');
  const type = headers.get('warc-type');
  if (url === undefined) return undefined;
  if (type === 'resource') return { url, body: block };
  const head = bufferOf(block).indexOf(BLANK_LINE);
  return type === 'response' && head >= 0 ? { url, body: block.subarray(head + BLANK_LINE.length) } : undefined;
}
