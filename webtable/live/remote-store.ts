import { CrawlError } from '../../packages/errors/index.js';
import { checkChanges } from '../check-changes.js';
import type { ContentStore } from '../content/content-store.js';
import type { TableName } from '../schema.js';
import type { ColumnSelector, RowChange, ScanOptions, Store, StoredRow } from '../store.js';
import { scanChunks, type Chunk, type ChunkOptions } from './scan-chunks.js';
import type { Connection } from './connection.js';
import { packChanges, textOf, unpackRows } from './messages.js';

/** Approximate bytes of the changes that are sent together. */
const WRITE_BYTES = 1024 * 1024;

/** A table that another process has open. When that process ends, every call fails with ConnectionLost. */
export class RemoteStore implements Store {
  readonly content?: ContentStore;
  readonly #connection: Connection;
  #lastWrites = new Set<Promise<unknown>>();
  #isClosed = false;

  /** @param content the store of the bodies; absent: the table that the other process has open */
  constructor(connection: Connection, content?: ContentStore) {
    this.#connection = connection;
    if (content) this.content = content;
  }

  async get(
    table: TableName,
    keys: readonly string[],
    columns: readonly ColumnSelector[],
  ): Promise<(StoredRow | undefined)[]> {
    const rows: (StoredRow | undefined)[] = [];
    do {
      const answer = await this.#ask({ op: 'get', table, keys: keys.slice(rows.length), columns });
      rows.push(...unpackRows(answer));
    } while (rows.length < keys.length);
    return rows;
  }

  async *scan(table: TableName, options: ScanOptions): AsyncGenerator<StoredRow> {
    for await (const row of scanChunks(options, (batch) => this.readChunk(table, batch))) {
      yield row;
      this.#assertOpen();
    }
  }

  async readChunk(table: TableName, options: ChunkOptions): Promise<Chunk> {
    const answer = await this.#ask({ op: 'scan', table, ...options });
    return { rows: unpackRows(answer) as StoredRow[], done: answer.head['done'] === true };
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    this.#assertOpen();
    checkChanges(table, changes);
    const writing = this.#write(table, changes);
    this.#lastWrites.add(writing);
    try {
      await writing;
    } finally {
      this.#lastWrites.delete(writing);
    }
  }

  /** Runs a task under a lock of the other process. If the task takes too long, the other process removes the lock. */
  async exclusive<T>(name: string, task: () => Promise<T>): Promise<T> {
    await this.#ask({ op: 'lock', name });
    try {
      return await task();
    } finally {
      // If the connection is lost, the lock is already released.
      await this.#ask({ op: 'unlock' }).catch(() => undefined);
    }
  }

  /** What the other process is doing, as JSON. */
  async status(): Promise<unknown> {
    return (await this.#ask({ op: 'status' })).head['value'];
  }

  async stage(): Promise<string> {
    return textOf((await this.#ask({ op: 'stage' })).head['folder']);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#lastWrites);
    this.#connection.close();
    await this.content?.close();
  }

  async #write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    let blobs: Uint8Array[] = [];
    let some: object[] = [];
    let size = 0;
    // All requests are sent without waiting for answers. The other process writes the changes in the order of the requests.
    const sent: Promise<unknown>[] = [];
    for (const change of changes) {
      some.push(...packChanges([change], blobs));
      size += 100;
      for (const value of change.put?.values() ?? []) size += value.length;
      if (size < WRITE_BYTES) continue;
      sent.push(this.#connection.request({ op: 'write', table, changes: some }, blobs));
      [some, blobs, size] = [[], [], 0];
    }
    if (some.length > 0 || sent.length === 0) {
      sent.push(this.#connection.request({ op: 'write', table, changes: some }, blobs));
    }
    const outcomes = await Promise.allSettled(sent);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  async #ask(head: object) {
    this.#assertOpen();
    return this.#connection.request(head);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new CrawlError('CLOSED', 'the store is closed');
  }
}
