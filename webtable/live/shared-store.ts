import { CrawlError, messageOf } from '../../packages/errors/index.js';
import { createLocks } from '../../packages/util/index.js';
import type { ContentStore } from '../content/content-store.js';
import type { TableName } from '../schema.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../store.js';
import { SHARED_LOCK } from './client-lock.js';
import { ConnectionLost } from './connection.js';
import { findAccess, type OpenAccess, type SharedStoreOptions, type TableAccess } from './table-access.js';
import { lockedBy, type TableOwner } from './table-owner.js';
import { readChunk, scanChunks, type Chunk, type ChunkOptions } from './scan-chunks.js';
import { serveTable } from './server.js';
import { CurrentAccess } from './current-access.js';

/**
 * Opens a table, or connects to the process that has it open.
 * @throws CrawlError TABLE_LOCKED; the errors of `open`
 */
export async function openSharedStore(options: SharedStoreOptions): Promise<SharedStore> {
  return new SharedStore(options, await findAccess(options));
}

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
  /** The access through which this process has a lock of another process. Writes under the lock use this access, or fail. */
  #lease: OpenAccess | undefined;
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
    const lease = this.#lease;
    if (lease) return lease.store.write(table, changes);
    await this.#access.at(({ store }) => store.write(table, changes));
  }

  /**
   * Runs a task under a lock: no other task with this lock name runs meanwhile, in this process or another.
   * @throws CrawlError TABLE_LOCKED for any name except `rows` while another process has the table open
   */
  async exclusive<T>(name: string, task: () => Promise<T>): Promise<T> {
    return this.#lock(name, async () => {
      if (this.#own) return task();
      return this.#access.retry(async (access) => {
        if (access.kind === 'local') return this.#access.hold(task);
        if (name !== SHARED_LOCK) throw lockedBy(access.connection.owner, this.directory);
        return access.store.exclusive(name, async () => {
          this.#lease = access;
          try {
            return await task();
          } catch (error) {
            throw error instanceof ConnectionLost ? leaseLost(error) : error;
          } finally {
            this.#lease = undefined;
          }
        });
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
    return this.#access.retry(async (access) => (access.kind === 'remote' ? access.store.status() : undefined));
  }

  async stage(): Promise<string> {
    return this.#access.retry(async ({ store }) => {
      const name = await store.stage?.();
      if (name === undefined) throw new CrawlError('USAGE', 'expected a table in a folder, found one without files');
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

  async #serve(access: TableAccess): Promise<void> {
    if (access.kind !== 'local' || !this.#isServing) return;
    const { name, version, alone = false, status = () => Promise.resolve(null), leaseMs } = this.#options;
    try {
      const serving = serveTable(this.directory, {
        store: access.store,
        owner: { pid: process.pid, name, version, alone },
        exclusive: this.#lock,
        status,
        onWanted: () => this.#access.yield(),
        onChange: () => void (this.outsideChanges += 1),
        ...(leaseMs !== undefined && { leaseMs }),
      });
      access.server = serving.catch(() => undefined);
      await serving;
    } catch (error) {
      // Not every file system supports sockets. The table can be used without a socket.
      this.notServed = messageOf(error);
    }
  }
}

/** The error if the connection was lost under a lock. The task may be half done, so it cannot be repeated in another process. */
function leaseLost(cause: ConnectionLost): CrawlError {
  return new CrawlError('STORE_FAILED', `${cause.message}, or found that this process held a lock for too long`, {
    hint: 'run the same command again: nothing is done twice',
    cause,
  });
}
