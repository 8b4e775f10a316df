import { CellBuffer } from './cell-buffer.js';
import type { CellCodec } from './cell-codec.js';
import { FIELD_CODECS, text } from './codec.js';
import {
  decodeInlinks,
  inlinkColumn,
  inlinkPosition,
  putInlinks,
  type StoredInlink,
  type StoredInlinks,
} from './inlink-cell.js';
import type { Field, PageChange, PageRow, PlainField } from './page.js';
import { urlOf } from '../keys/row-key.js';
import { FIELD_COLUMNS, INLINK_CELLS_PREFIX, MARK_COLUMNS, TEXT_PREFIX, type Mark } from '../schema.js';
import type { Column, ColumnSelector, KeyRange, RowChange, Store, StoredRow } from '../store.js';
import {
  isSameLocation,
  type ContentLocation,
  type ContentRecord,
  type ContentStore,
} from '../content/content-store.js';
import { BODIES, addMoved, recordGroups, textPart, type RecordPart, type RowDraft } from './page-records.js';
import { editedText, isWholeText, textOf, textRecord, type TextEdits } from './text-record.js';
import { removals, scanSteps } from '../scan-steps.js';

/** Which rows of the table to read, and which fields. */
export interface PageScan<F extends Field> {
  /** The ranges are read one after the other. Absent: the whole table. */
  readonly ranges?: readonly KeyRange[];
  readonly fields: readonly F[];
  /** Maximum number of rows. */
  readonly limit?: number;
}

/** What is known of a row that was read, for a change of it. */
export type RowAsRead = Pick<PageRow<never>, 'at' | 'record'>;

/** Separates the parts of a store's message about a damaged row. */
const DAMAGE_SEPARATOR = '; ';

const INLINKS: ColumnSelector = `${INLINK_CELLS_PREFIX}*`;

const MARKS = Object.entries(MARK_COLUMNS) as [Mark, Column][];

/** The column of a field, and the codec of its value. */
interface FieldCell {
  readonly column: Column;
  readonly codec: CellCodec<unknown>;
}

/** How the requested fields are read. */
interface ReadPlan {
  /** The fields in the row, each with its cell. `cell` is absent for a field that consists of several cells. */
  readonly cells: readonly { readonly field: Field; readonly cell: FieldCell | undefined }[];
  readonly records: readonly RecordPart[];
  readonly columns: readonly ColumnSelector[];
}

/** A Map, because a lookup in an object with this number of properties is slower. */
const FIELD_CELLS: ReadonlyMap<string, FieldCell> = new Map(
  Object.entries(FIELD_COLUMNS).map(([field, column]) => [field, { column, codec: FIELD_CODECS[field as PlainField] }]),
);
const MARK_CELLS: ReadonlyMap<string, Column> = new Map(MARKS);

/** Maximum bytes of a buffer that is used again. */
const MAX_SPARE_BYTES = 1_048_576;

const STEP = 500;
/** Maximum bytes of records that are read together. */
const MAX_RECORD_BYTES = 1_048_576;

/** The `webpage` table with typed fields. */
export interface Pages {
  /** Returns one row; undefined if the row has none of the fields. */
  get<F extends Field>(key: string, fields: readonly F[]): Promise<PageRow<F> | undefined>;
  /** Returns the rows in the order of the keys; undefined for a row that has none of the fields. */
  getMany<F extends Field>(keys: readonly string[], fields: readonly F[]): Promise<(PageRow<F> | undefined)[]>;
  /** Yields rows in key order within each range. Each row is complete. The store has nothing open while the caller works on a row. */
  scan<F extends Field>(scan: PageScan<F>): AsyncGenerator<PageRow<F>>;
  /** Returns the stored inlinks of rows in the order of the keys, to prepare new cells. undefined: the inlinks cannot be decoded. */
  storedInlinks(keys: readonly string[]): Promise<(StoredInlinks | undefined)[]>;
  /**
   * Makes the changes in order. Each change is atomic, but the call as a whole is not. Do not change fields on which the frontier depends:
   * for these use `changeRows` of the tables.
   */
  write(changes: readonly PageChange[]): Promise<void>;
  /**
   * Like `write`, for rows that no other task changes meanwhile, so that the store does not read them again. An empty change writes the row
   * as it was read.
   * @param rows the rows as they were read, in the order of the changes; undefined for a row that did not exist
   */
  writeAsRead(changes: readonly PageChange[], rows: readonly (RowAsRead | undefined)[]): Promise<void>;
  /** Removes whole rows. Use `removeRows` of the tables, which also removes their frontier entries. */
  remove(keys: readonly string[]): Promise<void>;
}

/** @param content returns the store that has the bodies now */
export function createPages(store: Store, content: () => ContentStore): Pages {
  /** Buffers of earlier changes, for the cells of later ones. */
  const spare: CellBuffer[] = [];

  async function getMany<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
  ): Promise<(PageRow<F> | undefined)[]> {
    const plan = planFields(fields);
    const stored = await store.get('webpage', keys, plan.columns);
    if (plan.records.length === 0) return stored.map((row) => row && asRow<F>(decodeRow(row, plan)));
    const rows: (RowDraft | undefined)[] = [];
    const found = stored.filter((row) => row !== undefined);
    for await (const row of readRows(found, plan)) rows.push(row);
    let next = 0;
    return stored.map((row) => row && asRow<F>(rows[next++]));
  }

  /** Yields the rows in order; undefined for a row that has none of the fields. */
  async function* readRows(rows: readonly StoredRow[], plan: ReadPlan): AsyncGenerator<RowDraft | undefined> {
    const { records: parts } = plan;
    if (parts.length === 0) for (const row of rows) yield decodeRow(row, plan);
    const located = parts.length === 0 ? [] : rows.map((row) => parts.map(({ at }) => placeIn(row, at)));
    let next = 0;
    for (const group of recordGroups(located, MAX_RECORD_BYTES, (places) => places)) {
      const records = content().stream(group.flat().filter((place) => place !== undefined));
      try {
        for (const places of group) {
          const row = decodeRow(rows[next++]!, plan);
          for (const [i, part] of parts.entries()) {
            const place = places[i];
            const record = place && (await records.next()).value;
            if (place && !(record && part.add(row, record))) await addMoved(content, row, part, place, locate);
          }
          yield places.some(Boolean) && isEmpty(row) ? undefined : row;
        }
      } finally {
        await records.return(undefined);
      }
    }
  }

  const locate = async (key: string) => (await getMany([key], ['contentLocation', 'textLocation']))[0];

  /** Writes the records, then calls `writeRows`, then discards the records that the rows no longer point at. */
  async function storeChanges(
    changes: readonly PageChange[],
    writeRows: (changes: readonly RowChange[]) => Promise<void>,
  ): Promise<void> {
    if (changes.length === 0) return;
    const cells = spare.pop() ?? new CellBuffer();
    const drafts = changes.map((change) => encodeChange(change, cells));
    const isReplaced = (i: number): boolean => changes[i]!.record?.kind === 'response' && isWholeText(drafts[i]!.texts);
    const before = await storedTexts(drafts.filter(({ texts }, i) => texts.size > 0 && !isReplaced(i)));
    // The texts are behind the bodies, so that texts of adjacent rows can be read together.
    const [bodies, texts]: [NewRecord[], NewRecord[]] = [[], []];
    const discarded: ContentLocation[] = [];
    for (const [i, { key, record, set, discard = [] }] of changes.entries()) {
      const of = drafts[i]!;
      const isBody = record?.kind === 'response';
      const was = of.texts.size > 0 ? before.get(key) : undefined;
      discarded.push(...discard);
      if (was?.textLocation && !discard.some((place) => isSameLocation(place, was.textLocation)))
        discarded.push(was.textLocation);
      if (of.texts.size > 0) {
        const body = editedText(was?.body, of.texts, cells);
        before.set(key, { ...was, key, textLocation: undefined, body });
        if (!body) of.remove.push(FIELD_COLUMNS.textLocation);
        else {
          const date = set?.fetchedAt ?? was?.fetchedAt ?? 0;
          const refersTo = isBody ? bodies.length : was?.contentLocation;
          texts.push({
            of,
            field: 'textLocation',
            record: textRecord({ url: record?.url ?? urlOf(key), date, body, refersTo }),
          });
        }
      }
      if (record) bodies.push({ of, field: isBody ? 'contentLocation' : undefined, record });
    }
    const added = [...bodies, ...texts];
    const stored = added.length > 0 ? await content().append(added.map(({ record }) => record)) : [];
    for (const [i, { of, field }] of added.entries()) {
      if (field) of.put.set(FIELD_COLUMNS[field], cellOf(cells, FIELD_CODECS[field], stored[i]!));
    }
    await writeRows(drafts.map(({ key, put, remove }) => ({ key, put, delete: remove })));
    if (discarded.length > 0) await content().discard(discarded);
    cells.clear();
    if (cells.bytes.length <= MAX_SPARE_BYTES) spare.push(cells);
  }

  /** Reads what a new text record replaces. The body of the old one is read only if the change keeps some of its cells. */
  async function storedTexts(drafts: readonly ChangeDraft[]): Promise<Map<string, StoredText>> {
    const keys = [...new Set(drafts.map(({ key }) => key))];
    if (keys.length === 0) return new Map();
    const texts = new Map<string, StoredText>();
    for (const row of await getMany(keys, ['textLocation', 'contentLocation', 'fetchedAt']))
      if (row) texts.set(row.key, row);
    const kept = drafts.filter(({ key, texts: edits }) => texts.get(key)?.textLocation && !isWholeText(edits));
    if (kept.length === 0) return texts;
    const records = await content().records(kept.map(({ key }) => texts.get(key)!.textLocation!));
    for (const [i, { key }] of kept.entries()) {
      // A damaged record is replaced by a readable one, which has only the new fields.
      const body = records[i] && textOf(records[i], urlOf(key));
      texts.set(key, { ...texts.get(key)!, body });
    }
    return texts;
  }

  return {
    getMany,
    get: async (key, fields) => (await getMany([key], fields))[0],
    async *scan(given) {
      const plan = planFields(given.fields);
      const { ranges = [{ start: '' }], limit = Infinity } = given;
      let left = limit;
      for await (const rows of scanSteps(store, 'webpage', plan.columns, ranges, Math.min(STEP, left))) {
        for await (const row of readRows(rows.slice(0, left), plan)) if (row) yield asRow(row);
        if ((left -= rows.length) <= 0) return;
      }
    },
    async storedInlinks(keys) {
      const rows = await store.get('webpage', keys, [INLINKS]);
      return rows.map((row) => {
        try {
          return row?.damaged === undefined ? inlinksIn(row) : undefined;
        } catch {
          return undefined;
        }
      });
    },
    write: (changes) => storeChanges(changes, (rows) => store.write('webpage', rows)),
    writeAsRead: (changes, before) =>
      storeChanges(changes, (rows) => {
        const asRead = rows.map((change, i) => ({ ...change, record: before[i]?.record ?? null }));
        return store.write('webpage', asRead);
      }),
    remove: (keys) => store.write('webpage', removals(keys)),
  };
}

function planFields(fields: readonly Field[]): ReadPlan {
  const columns = new Set<ColumnSelector>();
  const cells: { field: Field; cell: FieldCell | undefined }[] = [];
  const texts: ({ field: Field } & FieldCell)[] = [];
  const records: RecordPart[] = [];
  for (const field of new Set(fields)) {
    const cell = FIELD_CELLS.get(field);
    if (cell?.column.startsWith(TEXT_PREFIX)) texts.push({ field, ...cell });
    else if (field === 'content') records.push(BODIES);
    else {
      cells.push({ field, cell });
      if (field === 'marks') for (const column of Object.values(MARK_COLUMNS)) columns.add(column);
      else columns.add(cell?.column ?? INLINKS);
    }
  }
  if (texts.length > 0) records.push(textPart(texts));
  for (const { at } of records) columns.add(FIELD_COLUMNS[at]);
  return { cells, records, columns: [...columns] };
}

function decodeRow(row: StoredRow, { cells, records }: ReadPlan): RowDraft {
  const page: Record<string, unknown> = { key: row.key };
  if (row.at !== undefined) {
    // Not enumerable, so that copies of a row and output for people do not have them.
    Object.defineProperties(page, { at: { value: row.at }, record: { value: row.record } });
  }
  const damaged: string[] = row.damaged?.split(DAMAGE_SEPARATOR) ?? [];
  for (const { field, cell } of cells) {
    try {
      const value = cell ? decodeCell(row, cell) : decodeCells(row, field);
      if (value !== undefined) page[field] = value;
    } catch {
      damaged.push(field);
    }
  }
  for (const { at } of records) {
    if (placeIn(row, at) === undefined && row.cells.has(FIELD_COLUMNS[at]) && !damaged.includes(at)) damaged.push(at);
  }
  if (damaged.length > 0) page.damaged = damaged;
  return page as unknown as RowDraft;
}

/** The location of a record; undefined if the row has none, or has one that cannot be decoded. */
function placeIn(row: StoredRow, at: RecordPart['at']): ContentLocation | undefined {
  try {
    return decodeCell(row, FIELD_CELLS.get(at)!) as ContentLocation | undefined;
  } catch {
    return undefined;
  }
}

/** Whether a row has none of the requested fields: its text record has only others. */
function isEmpty(row: RowDraft): boolean {
  for (const name in row) if (name !== 'key') return false;
  return true;
}

function asRow<F extends Field>(row: RowDraft): PageRow<F>;
function asRow<F extends Field>(row: RowDraft | undefined): PageRow<F> | undefined;
function asRow(row: RowDraft | undefined): unknown {
  return row;
}

function decodeCell(row: StoredRow, { column, codec }: FieldCell): unknown {
  const bytes = row.cells.get(column);
  return bytes && codec.decode(bytes);
}

/** Decodes a field that consists of several cells. */
function decodeCells(row: StoredRow, field: Field): unknown {
  if (field === 'marks') {
    let marks: Partial<Record<Mark, string>> | undefined;
    for (const [mark, column] of MARKS) {
      const cell = row.cells.get(column);
      if (cell) (marks ??= {})[mark] = text.decode(cell);
    }
    return marks;
  }
  if (field === 'inlinks') {
    const { links } = inlinksIn(row);
    const sources = [...links.keys()].sort();
    return sources.length > 0 ? sources.map((source) => ({ url: urlOf(source), ...links.get(source)! })) : undefined;
  }
  if (field === 'inlinkCount') return inlinksIn(row).links.size || undefined;
  return undefined;
}

/** @throws Error if a cell cannot be decoded */
function inlinksIn(row: StoredRow | undefined): StoredInlinks {
  const links = new Map<string, StoredInlink>();
  const positions: number[] = [];
  for (const [column, cell] of row?.cells ?? []) {
    if (!column.startsWith(INLINK_CELLS_PREFIX)) continue;
    positions.push(inlinkPosition(column));
    decodeInlinks(cell, links);
  }
  return { links, positions };
}

/** The text record that a row has before a change, as far as the change needs it. */
interface StoredText extends Omit<PageRow<'textLocation' | 'contentLocation' | 'fetchedAt'>, 'textLocation'> {
  readonly textLocation?: ContentLocation | undefined;
  readonly body?: Uint8Array | undefined;
}

/** A change of a row, and of the cells of its text record. */
interface ChangeDraft {
  readonly key: string;
  readonly put: Map<Column, Uint8Array>;
  readonly remove: Column[];
  readonly texts: TextEdits;
}

/** A record to store, and the field of its row that gets the location; no field for a revisit. */
interface NewRecord {
  readonly of: ChangeDraft;
  readonly field: 'contentLocation' | 'textLocation' | undefined;
  readonly record: ContentRecord;
}

/** Encodes a change. Its cells are views of the buffer. */
function encodeChange(change: PageChange, cells: CellBuffer): ChangeDraft {
  const draft: ChangeDraft = { key: change.key, put: new Map(), remove: [], texts: new Map() };
  const { put, remove } = draft;
  for (const field in change.set) {
    const value: unknown = change.set[field as PlainField];
    if (value === undefined) continue;
    const { column, codec } = FIELD_CELLS.get(field)!;
    putCell(draft, column, cellOf(cells, codec, value));
  }
  for (const [field, cell] of change.encoded ?? []) putCell(draft, FIELD_COLUMNS[field], cell);
  for (const field of change.unset ?? []) {
    const column = FIELD_COLUMNS[field];
    if (column.startsWith(TEXT_PREFIX)) draft.texts.set(column, undefined);
    else remove.push(column);
  }
  for (const mark in change.marks) {
    const batchId = change.marks[mark as Mark];
    if (batchId === null) remove.push(MARK_CELLS.get(mark)!);
    else if (batchId !== undefined) put.set(MARK_CELLS.get(mark)!, cellOf(cells, text, batchId));
  }
  if (change.inlinks) {
    const { position, links, replaces = [] } = change.inlinks;
    if (links.size > 0) putInlinks(put, position, links);
    for (const column of replaces.map(inlinkColumn)) if (!put.has(column)) remove.push(column);
  }
  return draft;
}

function cellOf<T>(cells: CellBuffer, codec: CellCodec<T>, value: T): Uint8Array {
  const start = cells.end;
  codec.encodeInto(cells, value);
  return cells.bytes.subarray(start, cells.end);
}

function putCell({ put, texts }: ChangeDraft, column: Column, cell: Uint8Array): void {
  if (column.startsWith(TEXT_PREFIX)) texts.set(column, cell);
  else put.set(column, cell);
}
