import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CrawlError } from '../../../packages/errors/index.js';
import { createOneByOne } from '../../../packages/util/index.js';
import { checkChanges, checkTable } from '../../check-changes.js';
import type { ContentStore } from '../../content/content-store.js';
import { checkDatabase, takeSnapshot, type LevelDatabase } from './database.js';
import { toCrawlError } from '../../store-errors.js';
import { isAscending, isHot } from './layout.js';
import { addFamilies, isRanged } from './read/get.js';
import { createRowCache } from './row-cache.js';
import { finishRow, newDraft, planRead } from './read/rows.js';
import { scanRows } from './read/scan.js';
import { stageDatabase } from './stage-files.js';
import { partPath } from './table-folder.js';
import { writeRows } from './write/write.js';
import type { TableName } from '../../schema.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../../store.js';

/** The prefix of folders that hold files for a backup. */
const STAGED = 'backup-';

/**
 * Removes a folder with files for a backup. The folder is renamed first, so that a backup which reads it finds either all files or no
 * folder.
 */
async function removeStaged(path: string): Promise<void> {
  const removed = path.endsWith(REMOVED) ? path : `${path}${REMOVED}`;
  try {
    if (removed !== path) await rename(path, removed);
  } catch (error) {
    // The process that created the file has removed it.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await rm(removed, { recursive: true, force: true });
}

/** The suffix of a staged folder while it is removed. */
const REMOVED = '.removed';

/** The parts of a {@link LevelStore}. */
export interface LevelStoreOptions {
  /** The database with the rows. Its constructor must get the key encoding `utf8` and the value encoding `view` or `buffer`. */
  readonly database: LevelDatabase;
  /** The store of the bodies. Absent: the bodies are in the table `content` of the database. */
  readonly content?: ContentStore;
  /** The folder of database and bodies, for messages. */
  readonly directory?: string;
  /** The database is a copy for reading: each write throws the error `of`, and `remove` is called when the database is closed. */
  readonly copy?: { readonly of: CrawlError; remove(): Promise<void> };
}

/**
 * A store on an abstract-level database. No other writer may use the database. Closing the store also closes the database and the content
 * store.
 *
 * Errors: CLOSED, STORE_FULL, TABLE_LOCKED, TABLE_DAMAGED and STORE_FAILED for all other failures. A cell that cannot be read is no error:
 * its row has a `damaged` member, and filters do not match the cell.
 */
export class LevelStore implements Store {
  readonly content?: ContentStore;
  readonly #database: LevelDatabase;
  readonly directory: string | undefined;
  readonly #copy: LevelStoreOptions['copy'];
  readonly #cache = createRowCache(isHot);
  /** Runs writes one by one, because each write reads old values and merges them with new ones. */
  readonly #oneByOne = createOneByOne();
  #closing: Promise<void> | undefined;

  constructor({ database, content, directory, copy }: LevelStoreOptions) {
    checkDatabase(database);
    this.#database = database;
    if (content) this.content = content;
    this.directory = directory;
    this.#copy = copy;
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
    await this.#betweenWrites(() => writeRows(this.#database, this.#cache, table, changes));
  }

  async stage(): Promise<string> {
    this.#assertOpen();
    const { content, directory } = this;
    if (directory === undefined || !content?.stage) {
      throw new CrawlError('USAGE', 'expected a table in a folder, found one without files of its own');
    }
    const path = resolve(directory);
    const name = `${STAGED}${randomBytes(4).toString('hex')}`;
    await this.#betweenWrites(async () => {
      for (const left of await readdir(path)) if (left.startsWith(STAGED)) await removeStaged(join(path, left));
      await mkdir(join(path, name), { mode: 0o700 });
      // Rows are staged before bodies. A row is written after its body, so the bodies of all staged rows exist.
      await stageDatabase(partPath(path, 'hot'), partPath(join(path, name), 'hot'));
      await content.stage!(partPath(join(path, name), 'content'));
    });
    return name;
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    try {
      await this.#oneByOne(() => Promise.all([this.#database.close(), this.content?.close()]));
      await this.#copy?.remove();
    } catch (error) {
      throw toCrawlError(error, this.directory);
    }
  }

  /** Runs a task after all earlier writes, and before all later ones. */
  async #betweenWrites(task: () => Promise<void>): Promise<void> {
    if (this.#copy) throw this.#copy.of;
    try {
      await this.#oneByOne(async () => {
        await whenOpen(this.#database);
        await task();
      });
    } catch (error) {
      throw toCrawlError(error, this.directory);
    }
  }

  async #ready(): Promise<void> {
    this.#assertOpen();
    await whenOpen(this.#database);
  }

  #assertOpen(): void {
    if (this.#closing) throw new CrawlError('CLOSED', 'the store is closed');
  }
}

/** Waits for a database that is still being opened. A closed database stays closed. */
async function whenOpen(database: LevelDatabase): Promise<void> {
  if (database.status === 'opening') await database.open();
}
