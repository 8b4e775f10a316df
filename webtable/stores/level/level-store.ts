import { CrawlError } from '../../../packages/errors/index.js';
import { checkChanges, checkTable } from '../../check-changes.js';
import type { ContentStore } from '../../content/content-store.js';
import { checkDatabase, takeSnapshot, type LevelDatabase } from './database.js';
import { toCrawlError } from '../../store-errors.js';
import { isAscending, isHot } from './layout.js';
import { addFamilies, isRanged } from './read/get.js';
import { createRowCache } from './row-cache.js';
import { finishRow, newDraft, planRead } from './read/rows.js';
import { scanRows } from './read/scan.js';
import { writeRows } from './write/write.js';
import type { TableName } from '../../schema.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../../store.js';

/** What a {@link LevelStore} is made of. */
export interface LevelStoreOptions {
  /** Where the rows are. Key encoding `utf8`, value encoding `view` or `buffer`, given to its constructor. */
  readonly database: LevelDatabase;
  /** Where bodies go; the table `content` of the database when absent. */
  readonly content?: ContentStore;
  /** Where both are, for messages. */
  readonly directory?: string;
}

/**
 * A store on an abstract-level database, which nothing else may write to. It closes what it is made of when it is closed.
 *
 * Errors: CLOSED, STORE_FULL, TABLE_LOCKED, TABLE_DAMAGED and, for all else, STORE_FAILED. A cell that cannot be read
 * makes its row `damaged` and no error; it does not pass a filter.
 */
export class LevelStore implements Store {
  readonly content?: ContentStore;
  readonly #database: LevelDatabase;
  readonly directory: string | undefined;
  readonly #cache = createRowCache(isHot);
  /** Ends with the last write that was asked for. Writes read what they merge with, so they run one by one. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor({ database, content, directory }: LevelStoreOptions) {
    checkDatabase(database);
    this.#database = database;
    if (content) this.content = content;
    this.directory = directory;
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    checkTable(table);
    const families = planRead(table, columns);
    try {
      await this.#ready();
      const snapshot = takeSnapshot(this.#database, !families.some(isRanged));
      try {
        const isEachOnce = isAscending(keys);
        const drafts = (isEachOnce ? keys : [...new Set(keys)]).map(newDraft);
        await addFamilies(snapshot, this.#cache, families, drafts);
        if (isEachOnce) return drafts.map(finishRow);
        const rows = new Map<string, StoredRow | undefined>();
        for (const draft of drafts) rows.set(draft.key, finishRow(draft));
        const found: (StoredRow | undefined)[] = [];
        for (const key of keys) found.push(rows.get(key));
        return found;
      } finally {
        await snapshot.close();
      }
    } catch (error) {
      throw toCrawlError(error, this.directory);
    }
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    checkTable(table);
    try {
      await this.#ready();
      const families = planRead(table, options.columns);
      const snapshot = takeSnapshot(this.#database, (options.ranges?.length ?? 1) === 1 && families.length === 1);
      try {
        for await (const row of scanRows(snapshot, families, options)) {
          yield row;
          this.#assertOpen();
        }
      } finally {
        await snapshot.close();
      }
    } catch (error) {
      throw toCrawlError(error, this.directory);
    }
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    this.#assertOpen();
    checkChanges(table, changes);
    const write = this.#lastWrite.then(async () => {
      await whenOpen(this.#database);
      await writeRows(this.#database, this.#cache, table, changes);
    });
    this.#lastWrite = write.catch(() => undefined);
    try {
      await write;
    } catch (error) {
      throw toCrawlError(error, this.directory);
    }
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    await this.#lastWrite;
    try {
      await Promise.all([this.#database.close(), this.content?.close()]);
    } catch (error) {
      throw toCrawlError(error, this.directory);
    }
  }

  async #ready(): Promise<void> {
    this.#assertOpen();
    await whenOpen(this.#database);
  }

  #assertOpen(): void {
    if (this.#closing) throw new CrawlError('CLOSED', 'expected an open store, found it closed');
  }
}

/** Waits for a database that is still being opened. One that was closed stays so. */
async function whenOpen(database: LevelDatabase): Promise<void> {
  if (database.status === 'opening') await database.open();
}
