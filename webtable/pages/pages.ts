import { FIELD_CODECS, text, type Codec } from './codec.js';
import {
  decodeInlinks,
  inlinkColumn,
  inlinkPosition,
  putInlinks,
  type StoredInlink,
  type StoredInlinks,
} from './inlink-cell.js';
import type { EncodedFields, Field, Page, PageChange, PageRow, PlainField } from './page.js';
import { urlOf } from '../keys/row-key.js';
import { FIELD_COLUMNS, INLINK_CELLS_PREFIX, MARK_COLUMNS, type Mark } from '../schema.js';
import type { Column, ColumnSelector, KeyRange, RowChange, Store, StoredRow } from '../store.js';
import type { ContentLocation, ContentRecord, ContentStore } from '../content/content-store.js';
import { addBodies, bodyGroups, type LocatedRow } from './page-bodies.js';
import { scanSteps } from '../scan-steps.js';

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

/** All cells of inlinks. */
const INLINKS: ColumnSelector = `${INLINK_CELLS_PREFIX}*`;

const MARKS = Object.entries(MARK_COLUMNS) as [Mark, Column][];

/** The column of a field, and the codec of its value. */
interface FieldCell {
  readonly column: Column;
  readonly codec: Codec<unknown>;
}

/** The requested fields, each with its cell. `cell` is absent for a field that consists of several cells. */
type ReadPlan = readonly { readonly field: Field; readonly cell: FieldCell | undefined }[];

/** A Map, because a lookup in an object with this number of properties is slower. */
const FIELD_CELLS: ReadonlyMap<string, FieldCell> = new Map(
  Object.entries(FIELD_COLUMNS).map(([field, column]) => [field, { column, codec: FIELD_CODECS[field as PlainField] }]),
);
const MARK_CELLS: ReadonlyMap<string, Column> = new Map(MARKS);

/** Number of rows that a scan reads at a time. */
const STEP = 500;

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
  async function getMany<F extends Field>(
    keys: readonly string[],
    fields: readonly F[],
  ): Promise<(PageRow<F> | undefined)[]> {
    const rows = await store.get('webpage', keys, selectorsOf(fields));
    const plan = planFields(fields);
    const decoded: (PageRow<F> | undefined)[] = [];
    for (const row of rows) decoded.push(row && decodeRow<F>(row, plan));
    if (!readsBodies(fields)) return decoded;
    const present = decoded.filter((row) => row !== undefined);
    const whole = await withBodies(present, fields);
    const found = new Map(present.map((row, i) => [row, whole[i]]));
    return decoded.map((row) => row && found.get(row));
  }

  /** Adds the bodies at `contentLocation` to rows. */
  async function withBodies<F extends Field>(rows: readonly LocatedRow[], fields: readonly F[]): Promise<PageRow<F>[]> {
    const whole = await addBodies(content(), rows, async (keys) => {
      return (await getMany(keys, ['contentLocation'])).map((row) => row?.contentLocation);
    });
    if ((fields as readonly Field[]).includes('contentLocation')) return whole as unknown as PageRow<F>[];
    return whole.map(({ contentLocation: _, ...row }) => row as unknown as PageRow<F>);
  }

  async function* scan<F extends Field>({ fields, ranges = [{ start: '' }], limit = Infinity }: PageScan<F>) {
    let left = limit;
    const plan = planFields(fields);
    for await (const rows of scanSteps(store, 'webpage', selectorsOf(fields), ranges, Math.min(STEP, left))) {
      for (const row of rows.slice(0, left)) yield decodeRow<F>(row, plan);
      if ((left -= rows.length) <= 0) return;
    }
  }

  /** Writes the bodies, then calls `writeRows`, then discards the bodies that the rows no longer point at. */
  async function withRecords(
    changes: readonly PageChange[],
    writeRows: (changes: readonly RowChange[]) => Promise<void>,
  ): Promise<void> {
    if (changes.length === 0) return;
    const records: ContentRecord[] = [];
    for (const { record } of changes) if (record) records.push(record);
    const places = records.length > 0 ? await content().append(records) : [];
    let at = 0;
    const rows: RowChange[] = [];
    for (const change of changes) {
      const place = change.record && places[at++];
      rows.push(encodeChange(change, change.record?.kind === 'response' ? place : undefined));
    }
    await writeRows(rows);
    const discarded = changes.flatMap(({ discard = [] }) => discard);
    if (discarded.length > 0) await content().discard(discarded);
  }

  return {
    getMany,
    get: async (key, fields) => (await getMany([key], fields))[0],
    async *scan(given) {
      if (!readsBodies(given.fields)) yield* scan(given);
      else for await (const rows of bodyGroups(scan(given))) yield* await withBodies(rows, given.fields);
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
    write: (changes) => withRecords(changes, (rows) => store.write('webpage', rows)),
    writeAsRead: (changes, before) =>
      withRecords(changes, (rows) => {
        const asRead = rows.map((change, i) => ({ ...change, record: before[i]?.record ?? null }));
        return store.write('webpage', asRead);
      }),
    remove: (keys) =>
      store.write(
        'webpage',
        keys.map((key) => ({ key, clear: true })),
      ),
  };
}

function selectorsOf(fields: readonly Field[]): ColumnSelector[] {
  const selectors = new Set<ColumnSelector>();
  for (const field of fields) {
    if (field === 'marks') for (const column of Object.values(MARK_COLUMNS)) selectors.add(column);
    else if (field === 'inlinks' || field === 'inlinkCount') selectors.add(INLINKS);
    else selectors.add(FIELD_COLUMNS[field === 'content' ? 'contentLocation' : field]);
  }
  return [...selectors];
}

function readsBodies(fields: readonly Field[]): boolean {
  return fields.includes('content');
}

function planFields(fields: readonly Field[]): ReadPlan {
  const reads: { field: Field; cell: FieldCell | undefined }[] = [];
  for (const field of readsBodies(fields) ? new Set<Field>([...fields, 'contentLocation']) : fields) {
    if (field !== 'content') reads.push({ field, cell: FIELD_CELLS.get(field) });
  }
  return reads;
}

function decodeRow<F extends Field>(row: StoredRow, plan: ReadPlan): PageRow<F> {
  const page: Record<string, unknown> = { key: row.key };
  if (row.at !== undefined) {
    // Not enumerable, so that copies of a row and output for people do not have them.
    Object.defineProperties(page, { at: { value: row.at }, record: { value: row.record } });
  }
  const damaged: string[] = row.damaged?.split(DAMAGE_SEPARATOR) ?? [];
  for (const { field, cell } of plan) {
    try {
      const value = cell ? decodeCell(row, cell) : decodeCells(row, field);
      if (value !== undefined) page[field] = value;
    } catch {
      damaged.push(field);
    }
  }
  if (damaged.length > 0) page.damaged = damaged;
  return page as unknown as PageRow<F>;
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

/**
 * Encodes values as cells, for a change that another process writes, or that is written later.
 * @throws TypeError if a value does not fit its field
 */
export function encodeFields(set: NonNullable<PageChange['set']>): EncodedFields {
  const fields = new Map<PlainField, Uint8Array>();
  for (const name in set) {
    const field = name as PlainField;
    const value = set[field];
    if (value !== undefined) fields.set(field, encodeField(field, value));
  }
  return fields;
}

/**
 * Decodes the values that `encodeFields` has encoded. Values that cannot be decoded are left out, because a plugin may set a value of the
 * wrong type.
 */
export function decodeFields(encoded: EncodedFields): { readonly [F in PlainField]?: Page[F] } {
  const values = new Map<PlainField, unknown>();
  for (const [field, cell] of encoded) {
    try {
      values.set(field, FIELD_CODECS[field].decode(cell));
    } catch {
      // As in a row: a field that cannot be read is absent.
    }
  }
  return Object.fromEntries(values);
}

function encodeChange(change: PageChange, location: ContentLocation | undefined): RowChange {
  const put = new Map<Column, Uint8Array>();
  const remove: Column[] = [];
  for (const field in change.set) {
    const value: unknown = change.set[field as PlainField];
    if (value === undefined) continue;
    const { column, codec } = FIELD_CELLS.get(field)!;
    put.set(column, codec.encode(value));
  }
  for (const [field, cell] of change.encoded ?? []) put.set(FIELD_COLUMNS[field], cell);
  if (location) put.set(FIELD_COLUMNS.contentLocation, encodeField('contentLocation', location));
  for (const field of change.unset ?? []) remove.push(FIELD_COLUMNS[field]);
  for (const mark in change.marks) {
    const batchId = change.marks[mark as Mark];
    if (batchId === null) remove.push(MARK_CELLS.get(mark)!);
    else if (batchId !== undefined) put.set(MARK_CELLS.get(mark)!, text.encode(batchId));
  }
  if (change.inlinks) {
    const { position, links, replaces = [] } = change.inlinks;
    if (links.size > 0) putInlinks(put, position, links);
    for (const column of replaces.map(inlinkColumn)) if (!put.has(column)) remove.push(column);
  }
  return { key: change.key, put, delete: remove };
}

function encodeField<F extends PlainField>(field: F, value: Page[F]): Uint8Array {
  return FIELD_CODECS[field].encode(value);
}
