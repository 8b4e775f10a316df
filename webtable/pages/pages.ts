import { FIELD_CODECS, inlinkCodec, text, type Codec } from './codec.js';
import type { EncodedFields, Field, Inlink, Page, PageChange, PageRow, PlainField } from './page.js';
import { urlOf } from '../keys/row-key.js';
import { FIELD_COLUMNS, INLINK_COLUMN_PREFIX, MARK_COLUMNS, type Mark } from '../schema.js';
import type { Column, ColumnSelector, KeyRange, RowChange, Store, StoredRow } from '../store.js';
import type { ContentLocation, ContentRecord, ContentStore } from '../content/content-store.js';
import { addBodies, bodyGroups, type LocatedRow } from './page-bodies.js';
import { scanSteps } from '../scan-steps.js';
import { writeUnchanged } from '../write-unchanged.js';

/** Which rows of the table to read, and what of them. */
export interface PageScan<F extends Field> {
  /** Read one after the other. Absent: the whole table. */
  readonly ranges?: readonly KeyRange[];
  readonly fields: readonly F[];
  /** At most this many rows. */
  readonly limit?: number;
}

/** Between the parts of what a store says of a damaged row. */
const DAMAGE_SEPARATOR = '; ';

const MARKS = Object.entries(MARK_COLUMNS) as [Mark, Column][];

/** Where the value of a field is, and how it is kept. */
interface FieldCell {
  readonly column: Column;
  readonly codec: Codec<unknown>;
}

/** How the fields of a list are read; `cell` is absent for a field that is made of several cells. */
type ReadPlan = readonly { readonly field: Field; readonly cell: FieldCell | undefined }[];

/** A Map is asked in less time than an object with so many properties. */
const FIELD_CELLS: ReadonlyMap<string, FieldCell> = new Map(
  Object.entries(FIELD_COLUMNS).map(([field, column]) => [field, { column, codec: FIELD_CODECS[field as PlainField] }]),
);
const MARK_CELLS: ReadonlyMap<string, Column> = new Map(MARKS);

/** Rows read together by a scan. */
const STEP = 500;

/** The `webpage` table with typed fields. */
export interface Pages {
  /** One row; undefined where it has none of the fields. */
  get<F extends Field>(key: string, fields: readonly F[]): Promise<PageRow<F> | undefined>;
  /** Rows in the order of the keys; undefined where a row has none of the fields. */
  getMany<F extends Field>(keys: readonly string[], fields: readonly F[]): Promise<(PageRow<F> | undefined)[]>;
  /** Rows in key order within each range. Each is whole; nothing of the store is held while the caller works on one. */
  scan<F extends Field>(scan: PageScan<F>): AsyncGenerator<PageRow<F>>;
  /**
   * Makes the changes in order; each is atomic by itself and together they are not. Not for changes of what the frontier goes
   * by, which are made by `changeRows` of the tables.
   */
  write(changes: readonly PageChange[]): Promise<void>;
  /**
   * The same for rows that are still as they were read, each by its version; where the store knows no versions, for all.
   * @returns the keys of the others, which stay as they are
   */
  writeUnchanged(
    changes: readonly PageChange[],
    versions: readonly (string | undefined)[],
  ): Promise<ReadonlySet<string>>;
}

/** @param content where the bodies are now */
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

  /** Adds what is at `contentAt` to rows. */
  async function withBodies<F extends Field>(rows: readonly LocatedRow[], fields: readonly F[]): Promise<PageRow<F>[]> {
    const whole = await addBodies(content(), rows, async (keys) => {
      return (await getMany(keys, ['contentAt'])).map((row) => row?.contentAt);
    });
    if ((fields as readonly Field[]).includes('contentAt')) return whole as unknown as PageRow<F>[];
    return whole.map(({ contentAt: _, ...row }) => row as unknown as PageRow<F>);
  }

  async function* scan<F extends Field>({ fields, ranges = [{ start: '' }], limit = Infinity }: PageScan<F>) {
    let left = limit;
    const plan = planFields(fields);
    for await (const rows of scanSteps(store, 'webpage', selectorsOf(fields), ranges, Math.min(STEP, left))) {
      for (const row of rows.slice(0, left)) yield decodeRow<F>(row, plan);
      if ((left -= rows.length) <= 0) return;
    }
  }

  /** Bodies first, then what `writeRows` makes of the rows, then the bodies that these do not need any more. */
  async function withRecords(
    changes: readonly PageChange[],
    writeRows: (changes: readonly RowChange[]) => Promise<ReadonlySet<string>>,
  ): Promise<ReadonlySet<string>> {
    if (changes.length === 0) return new Set();
    const records: ContentRecord[] = [];
    for (const { record } of changes) if (record) records.push(record);
    const places = records.length > 0 ? await content().append(records) : [];
    let at = 0;
    const rows: RowChange[] = [];
    for (const change of changes) {
      const place = change.record && places[at++];
      rows.push(encodeChange(change, change.record?.kind === 'response' ? place : undefined));
    }
    const lost = await writeRows(rows);
    const discarded: ContentLocation[] = [];
    for (const { key, discard } of changes) if (discard && !lost.has(key)) discarded.push(...discard);
    if (discarded.length > 0) await content().discard(discarded);
    return lost;
  }

  return {
    getMany,
    get: async (key, fields) => (await getMany([key], fields))[0],
    async *scan(given) {
      if (!readsBodies(given.fields)) yield* scan(given);
      else for await (const rows of bodyGroups(scan(given))) yield* await withBodies(rows, given.fields);
    },
    async write(changes) {
      await withRecords(changes, async (rows) => {
        await store.write('webpage', rows);
        return new Set();
      });
    },
    writeUnchanged: (changes, versions) =>
      withRecords(changes, (rows) => {
        const versioned = rows.map((change, i) => ({ change, version: versions[i] }));
        return writeUnchanged(store, 'webpage', versioned);
      }),
  };
}

function selectorsOf(fields: readonly Field[]): ColumnSelector[] {
  const selectors = new Set<ColumnSelector>();
  for (const field of fields) {
    if (field === 'marks') for (const column of Object.values(MARK_COLUMNS)) selectors.add(column);
    else if (field === 'inlinks' || field === 'inlinkCount') selectors.add(`${INLINK_COLUMN_PREFIX}*`);
    else selectors.add(FIELD_COLUMNS[field === 'content' ? 'contentAt' : field]);
  }
  return [...selectors];
}

function readsBodies(fields: readonly Field[]): boolean {
  return fields.includes('content');
}

function planFields(fields: readonly Field[]): ReadPlan {
  const reads: { field: Field; cell: FieldCell | undefined }[] = [];
  for (const field of readsBodies(fields) ? new Set<Field>([...fields, 'contentAt']) : fields) {
    if (field !== 'content') reads.push({ field, cell: FIELD_CELLS.get(field) });
  }
  return reads;
}

function decodeRow<F extends Field>(row: StoredRow, plan: ReadPlan): PageRow<F> {
  const page: Record<string, unknown> = { key: row.key };
  if (row.version !== undefined) page.version = row.version;
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

/** A field that is made of several cells. */
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
    const inlinks: Inlink[] = [];
    for (const [column, cell] of row.cells) {
      if (!column.startsWith(INLINK_COLUMN_PREFIX)) continue;
      inlinks.push({ url: urlOf(column.slice(INLINK_COLUMN_PREFIX.length)), ...inlinkCodec.decode(cell) });
    }
    return inlinks.length > 0 ? inlinks : undefined;
  }
  if (field === 'inlinkCount') {
    let count = 0;
    for (const column of row.cells.keys()) if (column.startsWith(INLINK_COLUMN_PREFIX)) count += 1;
    return count > 0 ? count : undefined;
  }
  return undefined;
}

/**
 * The cells that hold these values, for a change that is written elsewhere or later.
 * @throws TypeError when a value is none of its field
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
  if (location) put.set(FIELD_COLUMNS.contentAt, encodeField('contentAt', location));
  for (const field of change.unset ?? []) remove.push(FIELD_COLUMNS[field]);
  for (const mark in change.marks) {
    const batchId = change.marks[mark as Mark];
    if (batchId === null) remove.push(MARK_CELLS.get(mark)!);
    else if (batchId !== undefined) put.set(MARK_CELLS.get(mark)!, text.encode(batchId));
  }
  if (change.inlinks) {
    for (const [source, inlink] of change.inlinks) {
      if (inlink) put.set(`${INLINK_COLUMN_PREFIX}${source}`, inlinkCodec.encode(inlink));
      else remove.push(`${INLINK_COLUMN_PREFIX}${source}`);
    }
  }
  return { key: change.key, put, delete: remove };
}

function encodeField<F extends PlainField>(field: F, value: Page[F]): Uint8Array {
  return FIELD_CODECS[field].encode(value);
}
