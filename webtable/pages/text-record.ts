import type { MetadataRecord, StoredRecord } from '../content/content-store.js';
import { FIELD_COLUMNS, TEXT_PREFIX } from '../schema.js';
import { PackedReader, mergePacked, packedRoom, writePacked } from '../packed-cells.js';
import type { CellBuffer } from './cell-buffer.js';

/** FROZEN. The media type of a text record. Its body has the cells in the format of `packed-cells.ts`. */
const MEDIA_TYPE = 'application/x-webcrawl-cells';

/** The columns of the cells of a text record. */
const COLUMNS = Object.values(FIELD_COLUMNS).filter((column) => column.startsWith(TEXT_PREFIX));

/** Changes of the cells of a text record, by their columns; undefined removes a cell. */
export type TextEdits = Map<string, Uint8Array | undefined>;

/** Whether the edits replace all cells, so that the record before is not needed. */
export function isWholeText(edits: TextEdits): boolean {
  return COLUMNS.every((column) => edits.has(column));
}

/**
 * Makes the edits in the body of a text record.
 * @param before the body of the record before; undefined if there is none
 * @param into the buffer into which a record without one before is written
 * @returns the body of the new record; undefined if no cell is left
 */
export function editedText(before: Uint8Array | undefined, edits: TextEdits, into: CellBuffer): Uint8Array | undefined {
  const columns = [...edits.keys()].sort();
  const changes = {
    qualifiers: columns.map((column) => column.slice(TEXT_PREFIX.length)),
    values: columns.map((column) => edits.get(column)),
  };
  if (before) return mergePacked(before, changes);
  into.reserve(packedRoom(changes));
  const start = into.end;
  into.end = writePacked(into.bytes, start, changes);
  return into.end === start ? undefined : into.bytes.subarray(start, into.end);
}

export function textRecord(of: Pick<MetadataRecord, 'url' | 'date' | 'body' | 'refersTo'>): MetadataRecord {
  return { kind: 'metadata', contentType: MEDIA_TYPE, ...of };
}

/** The body of a text record; undefined if the record is another one. */
export function textOf({ headerLines, block }: StoredRecord, url: string): Uint8Array | undefined {
  const isText = headerLines.includes(`\r\nContent-Type: ${MEDIA_TYPE}\r\n`);
  return isText && headerLines.includes(`\r\nWARC-Target-URI: ${url}\r\n`) ? block : undefined;
}

/** Makes a reader of the cells of some columns. Use it for one read or scan. */
export function createTextReader(columns: readonly string[]): PackedReader {
  return new PackedReader((qualifier) => columns.find((column) => column === TEXT_PREFIX + qualifier));
}
