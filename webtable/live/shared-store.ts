import { CrawlError, messageOf } from '../../packages/errors/index.js';
import { createLocks, createOneByOne } from '../../packages/util/index.js';
import { changeChecked, type RowToCheck } from '../change-shared.js';
import type { ContentStore } from '../content/content-store.js';
import type { TableName } from '../schema.js';
import type { CheckedChange, ColumnSelector, OwnerVerb, RowChange, ScanOptions, Store, StoredRow } from '../store.js';
import { findAccess, type OpenAccess, type SharedStoreOptions, type TableAccess } from './table-access.js';
import { lockedBy, type TableOwner } from './table-owner.js';
import { readChunk, scanChunks, type Chunk, type ChunkOptions } from './scan-chunks.js';
import type { Verb } from './handle-request.js';
import { serveTable } from './server.js';
import { CurrentAccess } from './current-access.js';

/**
 * Opens a table, or connects to the process that has it open.
 * @throws CrawlError TABLE_LOCKED; the errors of `open`
 */
export async function openSharedStore(options: SharedStoreOptions): Promise<SharedStore> {
  return new SharedStore(options, await findAccess(options));
}

/** Other processes may change single rows of these tables. Only the process with the table changes the others. */
const SINGLE_ROWS: ReadonlySet<TableName> = new Set(['rule', 'meta']);

/**
 * A table that several processes use. The first process opens the table and serves the others. After that process has ended or was killed,
 * the next process that needs the table opens it, even in the middle of a scan.
 */
export class SharedStore implements Store {
  /** The folder of the table. */
  readonly directory: string;
  /** Number of times that other processes have changed rows while this process had the table open. */
  outsideChanges = 0;
  /** Why this process cannot serve other processes; undefined if it can serve them, or need not. */
  notServed: string | undefined;
  readonly #options: SharedStoreOptions;
  readonly #lock = createLocks();
  readonly #access: CurrentAccess;
  readonly #oneChange = createOneByOne();
  #isServing = false;

  constructor(options: SharedStoreOptions, access: TableAccess) {
    this.#options = options;
    this.directory = options.directory;
    this.#access = new CurrentAccess(options, access, (moved) => this.#serve(moved));
  }

  /** The other process that has the table open; undefined if this process has it open. */
  get owner(): TableOwner | undefined {
    const { current } = this.#access;
    return current.kind === 'remote' ? current.connection.owner : undefined;
  }

  /** The store of the bodies, whichever process has the table open now. */
  get content(): ContentStore | undefined {
    return this.#access.current.store.content;
  }

  /** Starts to serve other processes. Call it when the table is ready for them. */
  async serve(): Promise<void> {
    this.#isServing = this.#options.serve ?? true;
    await this.#serve(this.#access.current);
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    const own = this.#own;
    if (own) return own.get(table, keys, columns);
    return this.#access.retry(({ store }) => store.get(table, keys, columns));
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    const own = this.#own;
    if (own) {
      yield* own.scan(table, options);
      return;
    }
    const next = (chunk: ChunkOptions): Promise<Chunk> =>
      this.#access.retry((access) =>
        access.kind === 'local' ? readChunk(access.store, table, chunk) : access.store.readChunk(table, chunk),
      );
    for await (const row of scanChunks(options, next)) {
      yield row;
      this.#access.assertOpen();
    }
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    await this.#access.retry(({ store }) => store.write(table, changes), false);
  }

  async changeInOwner(table: TableName, changes: readonly CheckedChange[]): Promise<readonly boolean[]> {
    const change = async (access: OpenAccess): Promise<readonly boolean[]> =>
      access.kind === 'local' ? this.#change(access.store, table, changes) : access.store.changeInOwner(table, changes);
    return this.#access.retry(change, false);
  }

  async inOwner<T>(verb: OwnerVerb, args: readonly unknown[], here: () => Promise<T>): Promise<T> {
    const call = async (access: OpenAccess): Promise<T> =>
      access.kind === 'local' ? this.#access.hold(here) : ((await access.store.inOwner(verb, args)) as T);
    return this.#access.retry(call, false);
  }

  /**
   * Runs a task under a lock: no other task with this lock name runs meanwhile in this process.
   * @throws CrawlError TABLE_LOCKED while another process has the table open
   */
  async exclusive<T>(name: string, task: () => Promise<T>): Promise<T> {
    return this.#lock(name, async () => {
      if (this.#own) return task();
      return this.#access.retry(async (access) => {
        if (access.kind === 'remote') throw lockedBy(access.connection.owner, this.directory);
        return this.#access.hold(task);
      });
    });
  }

  /**
   * Opens the table in this process if it is open elsewhere. Then runs a task, and does not yield the table meanwhile.
   * @throws CrawlError TABLE_LOCKED if another process has the table open and does not yield it
   */
  async withoutYielding<T>(task: () => Promise<T>): Promise<T> {
    return this.#access.withoutYielding(task);
  }

  /** The current work of the process that has the table open, as JSON; undefined if this process has it open. */
  async remoteStatus(): Promise<unknown> {
    return this.#access.retry(async (access) => (access.kind === 'remote' ? access.store.call('status') : undefined));
  }

  async stage(): Promise<string> {
    return this.#access.retry(async (access) => {
      const name = await (access.kind === 'local' ? access.store.stage?.() : access.store.call('stage'));
      if (typeof name !== 'string')
        throw new CrawlError('USAGE', 'expected a table in a folder, found one without files');
      return name;
    });
  }

  async close(): Promise<void> {
    await this.#access.close();
  }

  /** The store, if this process has it open and does not yield it. */
  get #own(): Store | undefined {
    const { current } = this.#access;
    return current.kind === 'local' && !this.#options.yields ? current.store : undefined;
  }

  /** Makes changes of single rows, one call after the other, while this process has the table open. */
  #change(store: Store, table: TableName, changes: readonly RowToCheck[]): Promise<readonly boolean[]> {
    return this.#oneChange(() => changeChecked(store, table, changes));
  }

  async #serve(access: TableAccess): Promise<void> {
    if (access.kind !== 'local' || !this.#isServing) return;
    const { name, version, alone = false, status = () => Promise.resolve(null), verbs } = this.#options;
    const { store } = access;
    const owner = { pid: process.pid, name, version, alone };
    const changing = Object.entries<Verb>(verbs ?? {}).map(([verb, run]): [string, Verb] => {
      return [verb, (...args) => this.#forOther(() => run(...args))];
    });
    try {
      const serving = serveTable(this.directory, {
        store,
        owner,
        verbs: { status, stage: async () => store.stage?.(), ...Object.fromEntries(changing) },
        change: (table, changes) =>
          this.#forOther(async () => {
            if (!SINGLE_ROWS.has(table)) throw lockedBy(owner, this.directory);
            return this.#change(store, table, changes);
          }),
        onWanted: () => this.#access.yield(),
        isOpen: () => this.#access.current === access,
      });
      access.server = serving.catch(() => undefined);
      await serving;
    } catch (error) {
      // Not every file system supports sockets. The table can be used without a socket.
      this.notServed = messageOf(error);
    }
  }

  /** Runs a change for another process. The table is not yielded meanwhile. */
  async #forOther<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await this.#access.hold(change);
    } finally {
      this.outsideChanges += 1;
    }
  }
}
