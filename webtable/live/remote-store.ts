import { CrawlError } from '../../packages/errors/index.js';
import type { RowToCheck } from '../change-shared.js';
import type { ContentStore } from '../content/content-store.js';
import type { TableName } from '../schema.js';
import type { CheckedChange, ColumnSelector, OwnerVerb, RowChange, StoredRow } from '../store.js';
import type { Chunk, ChunkOptions } from './scan-chunks.js';
import type { Connection } from './connection.js';
import { packChanges, unpackRows, type Message } from './messages.js';

/**
 * A table that another process has open. That process makes changes of rows of `rule` and `meta`, and refuses all others. When it ends, every
 * call fails with ConnectionLost.
 */
export class RemoteStore {
  readonly content?: ContentStore;
  readonly #connection: Connection;
  readonly #changing = new Set<Promise<unknown>>();
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
      rows.push(...unpackRows(await this.#request({ op: 'get', table, keys: keys.slice(rows.length), columns })));
    } while (rows.length < keys.length);
    return rows;
  }

  async readChunk(table: TableName, options: ChunkOptions): Promise<Chunk> {
    const response = await this.#request({ op: 'scan', table, ...options });
    return { rows: unpackRows(response) as StoredRow[], done: response.head['done'] === true };
  }

  async write(table: TableName, changes: readonly RowChange[]): Promise<void> {
    await this.#change(
      table,
      changes.map((change) => ({ change })),
    );
  }

  async changeInOwner(table: TableName, changes: readonly CheckedChange[]): Promise<readonly boolean[]> {
    return (await this.#change(table, changes)).head['made'] as readonly boolean[];
  }

  /** Calls a function of the other process. */
  async call(name: string, args: readonly unknown[] = []): Promise<unknown> {
    return (await this.#request({ op: 'verb', name, args })).head['value'];
  }

  /** Calls a function that changes rows. `close` waits for its response. */
  async inOwner(name: OwnerVerb, args: readonly unknown[]): Promise<unknown> {
    return (await this.#tracked(this.#request({ op: 'verb', name, args }))).head['value'];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#changing);
    this.#connection.close();
    await this.content?.close();
  }

  async #change(table: TableName, changes: readonly RowToCheck[]): Promise<Message> {
    const blobs: Uint8Array[] = [];
    return this.#tracked(this.#request({ op: 'change', table, changes: packChanges(changes, blobs) }, blobs));
  }

  #tracked(changing: Promise<Message>): Promise<Message> {
    this.#changing.add(changing);
    return changing.finally(() => this.#changing.delete(changing));
  }

  async #request(head: object, blobs?: readonly Uint8Array[]): Promise<Message> {
    this.#assertOpen();
    return this.#connection.request(head, blobs);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new CrawlError('CLOSED', 'the store is closed');
  }
}
