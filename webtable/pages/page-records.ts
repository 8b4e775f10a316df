import {
  isSameLocation,
  type ContentLocation,
  type ContentStore,
  type StoredRecord,
} from '../content/content-store.js';
import { contentOf } from '../content/warc-reader.js';
import { urlOf } from '../keys/row-key.js';
import type { Codec } from './codec.js';
import type { Page, PageRow } from './page.js';
import { createTextReader, textOf } from './text-record.js';

export type RowDraft = { readonly key: string; damaged?: string[] } & { -readonly [F in keyof Page]?: Page[F] };

type PlaceField = 'contentLocation' | 'textLocation';

/** A kind of record that a row points at. */
export interface RecordPart {
  readonly at: PlaceField;
  /** The entry in `damaged` of a row whose record is lost. */
  readonly lost: string;
  /** Adds the data of the record to the row. Returns false if it is not a record of the row. */
  add(row: RowDraft, record: StoredRecord): boolean;
}

const LOST_BODY = 'content: the body is missing or not as it was stored';
const LOST_TEXT = 'text: the record is missing or not as it was stored';

/** The bodies of pages. */
export const BODIES: RecordPart = {
  at: 'contentLocation',
  lost: LOST_BODY,
  add(row, record) {
    const found = contentOf(record);
    // If the location now holds another page, the body counts as missing.
    if (!found || found.url !== urlOf(row.key)) return false;
    row.content = Buffer.from(found.body);
    return true;
  },
};

/** Makes the part that reads some fields of text records. */
export function textPart(
  fields: readonly { readonly field: string; readonly column: string; readonly codec: Codec<unknown> }[],
) {
  const reader = createTextReader(fields.map(({ column }) => column));
  const part: RecordPart = {
    at: 'textLocation',
    lost: LOST_TEXT,
    add(row, record) {
      const body = textOf(record, urlOf(row.key));
      const cells = new Map<string, Uint8Array>();
      try {
        if (!body) return false;
        reader.read(body, cells);
      } catch {
        return false;
      }
      for (const { field, column, codec } of fields) {
        const cell = cells.get(column);
        try {
          if (cell) (row as unknown as Record<string, unknown>)[field] = codec.decode(cell);
        } catch {
          (row.damaged ??= []).push(field);
        }
      }
      return true;
    },
  };
  return part;
}

/** Maximum number of reads of a record, if compactions move it meanwhile. */
const TRIES = 5;

/**
 * Adds the data of a record to a row if a compaction has moved the record since the row was read. A record that is missing or damaged adds
 * an entry to `damaged`.
 * @param locate returns the present locations
 */
export async function addMoved(
  content: () => ContentStore,
  row: RowDraft,
  part: RecordPart,
  place: ContentLocation,
  locate: (key: string) => Promise<{ readonly [F in PlaceField]?: ContentLocation } | undefined>,
): Promise<void> {
  for (let n = 1, last = place; n < TRIES; n++) {
    const now = (await locate(row.key))?.[part.at];
    if (!now || isSameLocation(now, last)) break;
    if (row[part.at]) row[part.at] = now;
    const [record] = await content().records([(last = now)]);
    if (record && part.add(row, record)) return;
  }
  (row.damaged ??= []).push(part.lost);
}

/**
 * Whether the body of a row that was read with `content` is lost. The body was stored, but is now missing or replaced, for example after a
 * power failure. The rest of the row can be read.
 */
export function isBodyLost({ damaged = [] }: Pick<PageRow<'content'>, 'damaged'>): boolean {
  return damaged.length > 0 && damaged.every((part) => part === LOST_BODY);
}

/** Whether only records of a row are lost: its body, its text record, or both. */
export function isRecordLost({ damaged = [] }: Pick<PageRow<'content'>, 'damaged'>): boolean {
  return damaged.length > 0 && damaged.every((part) => part === LOST_BODY || part === LOST_TEXT);
}

/** Groups rows so that the records of a group need little memory. A single large record is a group of its own. */
export function* recordGroups<R>(
  rows: Iterable<R>,
  maxBytes: number,
  locationsOf: (row: R) => readonly (ContentLocation | undefined)[],
): Generator<R[]> {
  let group: R[] = [];
  let bytes = 0;
  for (const row of rows) {
    const length = locationsOf(row).reduce((sum, place) => sum + (place?.length ?? 0), 0);
    if (group.length > 0 && bytes + length > maxBytes) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(row);
    bytes += length;
  }
  if (group.length > 0) yield group;
}
