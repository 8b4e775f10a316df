import { CrawlError } from '../../../packages/errors/index.js';
import { checkChanges, checkTable } from '../../check-changes.js';
import { addBodies } from './read/bodies.js';
import { checkDatabase, takeSnapshot, withoutSnapshot, type LevelDatabase } from './database.js';
import { toCrawlError } from './errors.js';
import { addFamilies, isRanged } from './read/get.js';
import { layoutOf } from './layout.js';
import { finishRow, newDraft, planRead } from './read/rows.js';
import { scanRows } from './read/scan.js';
import { writeRows } from './write/write.js';
import type { TableName } from '../../schema.js';
import { splitColumn } from '../../selectors.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../../store.js';

/** The databases of a {@link LevelStore}. */
export interface LevelStoreOptions {
  /** Key encoding `utf8`, value encoding `view` or `buffer`, given to its constructor. */
  readonly hot: LevelDatabase;
  /** Where bodies go; the hot database when absent. */
  readonly content?: LevelDatabase;
  /** Where the databases are, for messages. */
  readonly directory?: string;
}

/**
 * A store on abstract-level databases, which nothing else may write to. It closes them when it is closed.
 *
 * Errors: CLOSED, STORE_FULL, TABLE_LOCKED, TABLE_DAMAGED and, for all else, STORE_FAILED. A cell that cannot be read
 * makes its row `damaged` and no error; it does not pass a filter.
 */
export class LevelStore implements Store {
  readonly #hot: LevelDatabase;
  readonly #content: LevelDatabase;
  readonly #directory: string | undefined;
  /** Ends with the last write that was asked for. Writes read what they merge with, so they run one by one. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor({ hot, content = hot, directory }: LevelStoreOptions) {
    checkDatabase(hot);
    checkDatabase(content);
    this.#hot = hot;
    this.#content = content;
    this.#directory = directory;
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    checkTable(table);
    const plan = planRead(table, columns);
    try {
      const isOneRead = !plan.body && !plan.families.some(isRanged) && this.#hot.supports.implicitSnapshots;
      await this.#ready();
      const snapshot = isOneRead
        ? withoutSnapshot(this.#hot, this.#content)
        : takeSnapshot(this.#hot, this.#content, { bodies: plan.body !== undefined });
      try {
        const drafts = [...new Set(keys)].map(newDraft);
        await addFamilies(snapshot, plan.families, drafts);
        if (plan.body) await addBodies(snapshot, plan.body, drafts);
        const rows = new Map(drafts.map((draft) => [draft.key, finishRow(draft)]));
        return keys.map((key) => rows.get(key));
      } finally {
        await snapshot.close();
      }
    } catch (error) {
      throw toCrawlError(error, this.#directory);
    }
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    checkTable(table);
    try {
      const { name } = layoutOf(table).body ?? {};
      const bodies = options.columns.some((column) => splitColumn(column)[0] === name);
      await this.#ready();
      // A single iterator reads as of one moment by itself.
      const isOneRead = (options.ranges?.length ?? 1) === 1 && planRead(table, options.columns).families.length === 1;
      const snapshot =
        isOneRead && !bodies && this.#hot.supports.implicitSnapshots
          ? withoutSnapshot(this.#hot, this.#content)
          : takeSnapshot(this.#hot, this.#content, { bodies });
      try {
        for await (const row of scanRows(snapshot, table, options)) {
          yield row;
          this.#assertOpen();
        }
      } finally {
        await snapshot.close();
      }
    } catch (error) {
      throw toCrawlError(error, this.#directory);
    }
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    this.#assertOpen();
    checkChanges(table, changes);
    const write = this.#lastWrite.then(async () => {
      await openBoth(this.#hot, this.#content);
      await writeRows(this.#hot, this.#content, table, changes);
    });
    this.#lastWrite = write.catch(() => undefined);
    try {
      await write;
    } catch (error) {
      throw toCrawlError(error, this.#directory);
    }
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    await this.#lastWrite;
    try {
      await Promise.all([this.#hot.close(), this.#content.close()]);
    } catch (error) {
      throw toCrawlError(error, this.#directory);
    }
  }

  async #ready(): Promise<void> {
    this.#assertOpen();
    await openBoth(this.#hot, this.#content);
  }

  #assertOpen(): void {
    if (this.#closing) throw new CrawlError('CLOSED', 'expected an open store, found it closed');
  }
}

/** Waits for databases that are still being opened. One that was closed stays so. */
async function openBoth(...databases: readonly LevelDatabase[]): Promise<void> {
  for (const database of databases) if (database.status === 'opening') await database.open();
}
