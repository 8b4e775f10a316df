import { CrawlError, messageOf } from '../../packages/errors/index.js';
import { createLocks } from '../stores/locks.js';
import type { ContentStore } from '../content/content-store.js';
import type { TableName } from '../schema.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../store.js';
import { readChunk, scanChunks, type Chunk } from './scan-chunks.js';
import { ConnectionLost } from './connection.js';
import { findOther, findPlace, type OpenPlace, type Place, type SharedStoreOptions } from './find-place.js';
import { lockedBy, type Holder } from './holder.js';
import type { RemoteStore } from './remote-store.js';
import { serveTable } from './server.js';
import { SHARED_LOCK } from './session.js';
import { waitUntilYielded } from './wait-until-yielded.js';

/** How often a process that needs the table alone asks for it. */
const ASK_TIMES = 5;

/**
 * Opens a table, or connects to the process that has it open.
 * @throws CrawlError TABLE_LOCKED, and what `open` throws
 */
export async function openSharedStore(options: SharedStoreOptions): Promise<SharedStore> {
  return new SharedStore(options, await findPlace(options));
}

/**
 * A table that several processes use: the first one opens it and serves the others. When that one ends, or is killed, the next
 * that asks opens the table itself, also in the middle of a scan.
 */
export class SharedStore implements Store {
  /** The folder of the table. */
  readonly directory: string;
  readonly #options: SharedStoreOptions;
  readonly #lock = createLocks();
  #place: Place;
  #moving: Promise<void> | undefined;
  /** Tasks of this process under way for which the table must stay open here. */
  #holds = 0;
  /** Questions under way, and what is called when there are none. */
  #asking = 0;
  #onQuiet = (): void => {};
  /** Under a lock of the other process: what is written goes there or nowhere. */
  #lease: OpenPlace | undefined;
  #isServing = false;
  #closing: Promise<void> | undefined;
  #outsideChanges = 0;
  #notServed: string | undefined;

  constructor(options: SharedStoreOptions, place: Place) {
    this.#options = options;
    this.directory = options.directory;
    this.#place = place;
  }

  /** The other process that has the table open; undefined where this one has. */
  get holder(): Holder | undefined {
    return this.#place.kind === 'remote' ? this.#place.connection.holder : undefined;
  }

  /** How often other processes have changed rows of the table since it was opened here. */
  get outsideChanges(): number {
    return this.#outsideChanges;
  }

  /** Why other processes cannot be served; undefined where they are, or are not to be. */
  get notServed(): string | undefined {
    return this.#notServed;
  }

  /** Where the bodies are, wherever the table is open now. */
  get content(): ContentStore | undefined {
    return this.#place.store.content;
  }

  /** Begins to serve other processes. Call it when the table is ready for them. */
  async serve(): Promise<void> {
    this.#isServing = this.#options.serve ?? true;
    await this.#serve(this.#place);
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    if (this.#place.kind === 'own' && !this.#yields) return this.#place.store.get(table, keys, columns);
    return this.#retry(({ store }) => store.get(table, keys, columns));
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    if (this.#place.kind === 'own' && !this.#yields) {
      yield* this.#place.store.scan(table, options);
      return;
    }
    const next = (batch: Parameters<RemoteStore['readChunk']>[1]): Promise<Chunk> =>
      this.#retry((place) =>
        place.kind === 'own' ? readChunk(place.store, table, batch) : place.store.readChunk(table, batch),
      );
    for await (const row of scanChunks(options, next)) {
      yield row;
      this.#assertOpen();
    }
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    const lease = this.#lease;
    if (lease) return lease.store.write(table, changes);
    await this.#at(({ store }) => store.write(table, changes));
  }

  /**
   * Runs a task when nobody else runs one of this name, in this process or another.
   * @throws CrawlError TABLE_LOCKED for any name but `rows` while another process has the table open
   */
  async exclusive<T>(name: string, task: () => Promise<T>): Promise<T> {
    return this.#lock(name, async () => {
      if (this.#place.kind === 'own' && !this.#yields) return task();
      return this.#retry(async (place) => {
        if (place.kind === 'own') return this.#hold(task);
        if (name !== SHARED_LOCK) throw lockedBy(place.connection.holder, this.#options.directory);
        return place.store.exclusive(name, async () => {
          this.#lease = place;
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
   * Runs a task while the table is open here, and is yielded to nobody.
   * @throws CrawlError TABLE_LOCKED where another process has the table open and does not yield it
   */
  async holdAlone<T>(task: () => Promise<T>): Promise<T> {
    return this.#hold(async () => {
      await this.#takeBack();
      return task();
    });
  }

  /** What goes on in the process that has the table open, as JSON; undefined where that is this one. */
  async remoteStatus(): Promise<unknown> {
    return this.#retry(async (place) => (place.kind === 'remote' ? place.store.status() : undefined));
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    await this.#moving?.catch(() => undefined);
    const place = this.#place;
    try {
      if (place.kind === 'own') await (await place.server)?.close();
      if (place.kind === 'given') await place.released;
    } finally {
      await place.store.close();
    }
  }

  async #takeBack(): Promise<void> {
    for (let times = 0; ; times += 1) {
      const place = await this.#at((place) => Promise.resolve(place));
      if (place.kind === 'own') return;
      const { connection } = place;
      if (times === ASK_TIMES || !(await waitUntilYielded(connection)))
        throw lockedBy(connection.holder, this.#options.directory);
    }
  }

  /** Asks where the table is now, and again where that process ended meanwhile. Only for what may be asked twice. */
  async #retry<T>(ask: (place: OpenPlace) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await this.#at(ask);
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
    }
  }

  /** Asks where the table is now. It stays there until the answer. */
  async #at<T>(ask: (place: OpenPlace) => Promise<T>): Promise<T> {
    let place: OpenPlace | undefined;
    // It may be yielded again before the one who waits for it goes on.
    while (!(place = this.#openPlace()))
      await (this.#moving ??= this.#move().finally(() => (this.#moving = undefined)));
    this.#asking += 1;
    try {
      return await ask(place);
    } finally {
      this.#asking -= 1;
      if (this.#asking === 0) this.#onQuiet();
    }
  }

  async #hold<T>(task: () => Promise<T>): Promise<T> {
    this.#holds += 1;
    try {
      return await task();
    } finally {
      this.#holds -= 1;
    }
  }

  get #yields(): boolean {
    return this.#options.yields ?? false;
  }

  /** Closes the table for another process as soon as no question is under way; those that come later wait for that one. */
  #yield(): boolean {
    const place = this.#place;
    // What is done under a hold asks further, and ends before the table can be closed.
    if (!this.#yields || this.#closing || this.#holds > 0) return false;
    if (place.kind !== 'own') return true;
    const release = async (): Promise<void> => {
      if (this.#asking > 0) await new Promise<void>((resolve) => (this.#onQuiet = resolve));
      // Another process can ask as soon as it is listened for, before the server is there.
      const server = await place.server;
      try {
        await server?.drain();
        await place.store.close();
      } finally {
        await server?.close(true);
      }
    };
    const content = this.#options.content?.();
    const store = { ...(content && { content }), close: async () => content?.close() };
    const released = release();
    // Who asks next gets the error; until then nobody waits for it.
    released.catch(() => undefined);
    this.#place = { kind: 'given', store, released };
    return true;
  }

  /** undefined: the table is not where it was. */
  #openPlace(): OpenPlace | undefined {
    const place = this.#place;
    if (place.kind === 'own') return place;
    this.#assertOpen();
    return place.kind === 'remote' && !place.connection.isLost ? place : undefined;
  }

  /** The process that had the table open is gone, or has yielded it: opens it here, or finds the one that has it now. */
  async #move(): Promise<void> {
    const before = this.#place;
    const options = { ...this.#options, alone: false, wait: 0 };
    if (before.kind === 'given') await before.released;
    // Under a hold it was this process that asked for it.
    const isLeft =
      before.kind === 'given' || (before.kind === 'remote' && before.connection.hasYielded && this.#holds === 0);
    const place = (isLeft && (await findOther(options))) || (await findPlace(options));
    this.#place = place;
    if (this.#isServing) await this.#serve(place);
  }

  async #serve(place: Place): Promise<void> {
    if (place.kind !== 'own' || !this.#isServing) return;
    const { directory, status = () => Promise.resolve(null), leaseMs } = this.#options;
    try {
      const serving = serveTable(directory, {
        store: place.store,
        holder: holderOf(this.#options),
        exclusive: this.#lock,
        status,
        onWanted: () => this.#yield(),
        onChange: () => void (this.#outsideChanges += 1),
        ...(leaseMs !== undefined && { leaseMs }),
      });
      place.server = serving.catch(() => undefined);
      await serving;
    } catch (error) {
      // Not every file system has sockets; the table itself is as good without.
      this.#notServed = messageOf(error);
    }
  }

  #assertOpen(): void {
    if (this.#closing) throw new CrawlError('CLOSED', 'expected an open store, found it closed');
  }
}

/** What was begun under a lock cannot be begun again elsewhere: it may be half done. */
function leaseLost(cause: ConnectionLost): CrawlError {
  return new CrawlError('STORE_FAILED', `${cause.message}, or found that it took back a lock that was held too long`, {
    hint: 'run the same command again: nothing is done twice',
    cause,
  });
}

function holderOf({ name, version, alone = false }: SharedStoreOptions): Holder {
  return { pid: process.pid, name, version, alone };
}
