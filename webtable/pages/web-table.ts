import { CrawlError } from '../../packages/errors/index.js';
import type { ContentLocation, ContentStore } from '../content/content-store.js';
import { RowContent } from '../content/row-content.js';
import { addBodies, bodyGroups, type LocatedRow } from './page-bodies.js';
import { FIELD_CODECS, inlinkCodec, text } from './codec.js';
import type { EncodedFields, Field, Inlink, Page, PageChange, PageRow, PlainField } from './page.js';
import { createLocks, type Exclusive } from '../stores/locks.js';
import { batchFences } from '../tables/batches.js';
import { YieldingStore, createEventLoopTurns } from '../stores/event-loop-turns.js';
import { writeFences } from '../tables/fences.js';
import { frontierFences } from '../tables/frontier-keys.js';
import { ALL_SLOTS } from '../keys/partition.js';
import { urlOf } from '../keys/row-key.js';
import {
  FIELD_COLUMNS,
  INDEX_COLUMNS,
  INLINK_COLUMN_PREFIX,
  MARK_COLUMNS,
  SCHEMA_VERSION,
  type Mark,
} from '../schema.js';
import type { Column, ColumnSelector, KeyRange, RowChange, Store, StoredRow } from '../store.js';

/** Which rows of the table to read, and what of them. */
export interface PageScan<F extends Field> {
  /** Read one after the other. Absent: the whole table. */
  readonly ranges?: readonly KeyRange[];
  readonly fields: readonly F[];
  /** Only rows on which this mark holds this batch id. */
  readonly mark?: { readonly name: Mark; readonly batchId: string };
  /** At most this many rows. */
  readonly limit?: number;
}

/** The locks of each store that has none of its own, so that two tables on one store share them. */
const LOCKS = new WeakMap<Store, Exclusive>();

/** Between the parts of what a store says of a damaged row. */
const DAMAGE_SEPARATOR = '; ';

const MARKS = Object.entries(MARK_COLUMNS) as [Mark, Column][];

/** The `webpage` table with typed fields. Reading and writing rows is all it does; it knows no job. */
export class WebTable {
  /** The store beneath, where the index tables live too. It gives the event loop its turns. */
  readonly store: Store;
  /** For work that goes on for long without the store. */
  readonly turns = createEventLoopTurns();
  /** The store that the table was opened on, without that. */
  readonly given: Store;
  readonly #exclusive: Exclusive;
  readonly #rowContent: ContentStore;

  private constructor(store: Store) {
    const given = store instanceof YieldingStore ? store.inner : store;
    this.given = given;
    this.store = new YieldingStore(given, this.turns);
    this.#rowContent = new RowContent(this.store);
    this.#exclusive = given.exclusive?.bind(given) ?? LOCKS.get(given) ?? createLocks();
    LOCKS.set(given, this.#exclusive);
  }

  /**
   * The table on a store. A store that is new is given the schema version.
   * @throws CrawlError TABLE_VERSION when it was written by another version
   */
  static async open(store: Store): Promise<WebTable> {
    const [row] = await store.get('meta', ['schema'], [INDEX_COLUMNS.schemaVersion]);
    const cell = row?.cells.get(INDEX_COLUMNS.schemaVersion);
    const found = cell && text.decode(cell);
    if (found === undefined) {
      await writeFences(store, 'frontier', ALL_SLOTS.flatMap(frontierFences));
      await writeFences(store, 'batch', batchFences());
      await store.write('meta', [
        { key: 'schema', put: new Map([[INDEX_COLUMNS.schemaVersion, text.encode(String(SCHEMA_VERSION))]]) },
      ]);
    } else if (found !== String(SCHEMA_VERSION)) {
      throw new CrawlError('TABLE_VERSION', `expected a table of schema version ${SCHEMA_VERSION}, found ${found}`, {
        hint: 'use the version of webcrawl that wrote it, or crawl into a new table',
      });
    }
    return new WebTable(store);
  }

  /** One row; undefined where it has none of the fields. */
  async get<F extends Field>(key: string, fields: readonly F[]): Promise<PageRow<F> | undefined> {
    return (await this.getMany([key], fields))[0];
  }

  /** Rows in the order of the keys; undefined where a row has none of the fields. */
  async getMany<F extends Field>(keys: readonly string[], fields: readonly F[]): Promise<(PageRow<F> | undefined)[]> {
    const rows = await this.store.get('webpage', keys, selectorsOf(fields));
    const decoded = rows.map((row) => row && decodeRow(row, fields));
    if (!readsBodies(fields)) return decoded;
    const present = decoded.filter((row) => row !== undefined);
    const whole = await this.#addBodies(present, fields);
    const found = new Map(present.map((row, i) => [row, whole[i]]));
    return decoded.map((row) => row && found.get(row));
  }

  /** Rows in key order within each range, each whole as of one moment. */
  async *scan<F extends Field>(scan: PageScan<F>): AsyncGenerator<PageRow<F>> {
    const rows = this.store.scan('webpage', {
      columns: selectorsOf(scan.fields),
      ...(scan.ranges && { ranges: scan.ranges }),
      ...(scan.limit !== undefined && { limit: scan.limit }),
      ...(scan.mark && {
        where: { column: MARK_COLUMNS[scan.mark.name], equals: text.encode(scan.mark.batchId) },
      }),
    });
    if (!readsBodies(scan.fields)) {
      for await (const row of rows) yield decodeRow(row, scan.fields);
      return;
    }
    for await (const group of bodyGroups(decodedRows(rows, scan.fields))) {
      yield* await this.#addBodies(group, scan.fields);
    }
  }

  /** Adds what is at `contentAt` to rows. */
  async #addBodies<F extends Field>(rows: readonly LocatedRow[], fields: readonly F[]): Promise<PageRow<F>[]> {
    const whole = await addBodies(this.content, rows, async (keys) => {
      const found = await this.getMany(keys, ['contentAt']);
      return found.map((row) => row?.contentAt);
    });
    if ((fields as readonly Field[]).includes('contentAt')) return whole as unknown as PageRow<F>[];
    return whole.map(({ contentAt: _, ...row }) => row as unknown as PageRow<F>);
  }

  /** Makes the changes in order; each is atomic by itself and together they are not. */
  async write(changes: readonly PageChange[]): Promise<void> {
    if (changes.length === 0) return;
    const recorded = changes.filter(({ record }) => record);
    const locations = recorded.length > 0 ? await this.content.append(recorded.map(({ record }) => record!)) : [];
    const places = new Map(recorded.map((change, i) => [change, locations[i]]));
    const placeOf = (change: PageChange): ContentLocation | undefined =>
      change.record?.kind === 'response' ? places.get(change) : undefined;
    await this.store.write(
      'webpage',
      changes.map((change) => encodeChange(change, placeOf(change))),
    );
    const discarded = changes.flatMap(({ discard = [] }) => discard);
    if (discarded.length > 0) await this.content.discard(discarded);
  }

  /** Removes whole rows, links and bodies too; each is atomic by itself. What indexes say of them stays. */
  async remove(keys: readonly string[]): Promise<void> {
    if (keys.length > 0)
      await this.store.write(
        'webpage',
        keys.map((key) => ({ key, clear: true })),
      );
  }

  /**
   * Runs `task` when every earlier task of this name on this store has ended: within this process, and on a store that other
   * processes use too ({@link Store.exclusive}) in those as well.
   */
  exclusive<T>(name: string, task: () => Promise<T>): Promise<T> {
    return this.#exclusive(name, task);
  }

  /** Where the bodies of the rows are. */
  get content(): ContentStore {
    return this.given.content ?? this.#rowContent;
  }

  /** Closes the store. */
  async close(): Promise<void> {
    await this.store.close();
  }
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

async function* decodedRows(rows: AsyncIterable<StoredRow>, fields: readonly Field[]): AsyncGenerator<LocatedRow> {
  for await (const row of rows) yield decodeRow(row, fields);
}

function decodeRow<F extends Field>(row: StoredRow, fields: readonly F[]): PageRow<F> {
  const page: Record<string, unknown> = { key: row.key };
  const damaged: string[] = row.damaged?.split(DAMAGE_SEPARATOR) ?? [];
  for (const field of readsBodies(fields) ? new Set<Field>([...fields, 'contentAt']) : fields) {
    if (field === 'content') continue;
    try {
      const value = decodeField(row, field);
      if (value !== undefined) page[field] = value;
    } catch {
      damaged.push(field);
    }
  }
  if (damaged.length > 0) page.damaged = damaged;
  return page as unknown as PageRow<F>;
}

function decodeField(row: StoredRow, field: Exclude<Field, 'content'>): unknown {
  if (field === 'marks') {
    const marks: Partial<Record<Mark, string>> = {};
    for (const [mark, column] of MARKS) {
      const cell = row.cells.get(column);
      if (cell) marks[mark] = text.decode(cell);
    }
    return Object.keys(marks).length > 0 ? marks : undefined;
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
  const cell = row.cells.get(FIELD_COLUMNS[field]);
  return cell && FIELD_CODECS[field].decode(cell);
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
    const value = change.set[field as PlainField];
    if (value !== undefined) put.set(FIELD_COLUMNS[field as PlainField], encodeField(field as PlainField, value));
  }
  for (const [field, cell] of change.encoded ?? []) put.set(FIELD_COLUMNS[field], cell);
  if (location) put.set(FIELD_COLUMNS.contentAt, encodeField('contentAt', location));
  for (const field of change.unset ?? []) remove.push(FIELD_COLUMNS[field]);
  for (const mark in change.marks) {
    const batchId = change.marks[mark as Mark];
    if (batchId === null) remove.push(MARK_COLUMNS[mark as Mark]);
    else if (batchId !== undefined) put.set(MARK_COLUMNS[mark as Mark], text.encode(batchId));
  }
  for (const [source, inlink] of change.inlinks ?? []) {
    if (inlink) put.set(`${INLINK_COLUMN_PREFIX}${source}`, inlinkCodec.encode(inlink));
    else remove.push(`${INLINK_COLUMN_PREFIX}${source}`);
  }
  return { key: change.key, put, delete: remove };
}

function encodeField<F extends PlainField>(field: F, value: Page[F]): Uint8Array {
  return FIELD_CODECS[field].encode(value);
}
