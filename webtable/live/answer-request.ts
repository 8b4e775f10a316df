import { CrawlError } from '../../packages/errors/index.js';
import type { Exclusive } from '../../packages/util/index.js';
import type { TableName } from '../schema.js';
import type { Store, StoredRow } from '../store.js';
import type { ClientLock } from './client-lock.js';
import type { TableOwner } from './table-owner.js';
import { MAX_ANSWER, listOf, packRows, sizeOf, textOf, unpackChanges, type Message } from './messages.js';
import { readChunk } from './scan-chunks.js';

/** What a process that has a table open offers to other processes. */
export interface Service {
  readonly store: Store;
  readonly owner: TableOwner;
  readonly exclusive: Exclusive;
  /** What this process is doing, as JSON. */
  readonly status: () => Promise<unknown>;
  /**
   * Called when another process needs the table alone; returns whether this process will close the table. Absent: this process never closes
   * it for another one.
   */
  readonly onWanted?: () => boolean;
  /** Called when another process has changed rows. */
  readonly onChange?: () => void;
  /** Milliseconds for which another process may hold the lock `rows`. Default: 10,000. */
  readonly leaseMs?: number;
  /** Maximum milliseconds from the start to the end of a message of another process. Default: 30,000. */
  readonly messageMs?: number;
  /** Maximum bytes of the unanswered requests of all other processes together. Default: 256 MiB. */
  readonly mostHeld?: number;
}

/** Rows that are looked up in one step of an answer. */
const KEYS_AT_ONCE = 64;
const ANSWER_BYTES = 256 * 1024;

/**
 * Answers a request of another process. Any process of the user may have sent the request, so its content is not trusted.
 * @returns the head of the answer, and the bytes of the answer
 * @throws if the request is wrong; the errors of the store
 */
export async function answerRequest(
  message: Message,
  service: Service,
  lock: ClientLock,
): Promise<{ readonly head: object; readonly blobs: readonly Uint8Array[] }> {
  const blobs: Uint8Array[] = [];
  const head = await headOf(message, service, lock, blobs);
  if (sizeOf(blobs) > MAX_ANSWER / 2)
    throw new CrawlError('STORE_FAILED', 'expected a row that fits an answer, found a larger one');
  return { head, blobs };
}

async function headOf(message: Message, service: Service, lock: ClientLock, blobs: Uint8Array[]): Promise<object> {
  const { store } = service;
  const { head } = message;
  const table = head['table'] as TableName;
  switch (head['op']) {
    case 'get': {
      const rows = await getSome(store, table, listOf(head['keys'], textOf), listOf(head['columns'], textOf));
      return { rows: packRows(rows, blobs) };
    }
    case 'scan': {
      const { start, end } = head['range'] as Record<string, unknown>;
      const limit = head['limit'];
      const batch = await readChunk(store, table, {
        columns: listOf(head['columns'], textOf),
        range: { start: textOf(start), ...(end !== undefined && { end: textOf(end) }) },
        ...(typeof limit === 'number' && { limit }),
      });
      return { rows: packRows(batch.rows, blobs), done: batch.done };
    }
    case 'write':
      await lock.write(() => store.write(table, unpackChanges(message)));
      service.onChange?.();
      return {};
    case 'lock':
      await lock.take(textOf(head['name']));
      return {};
    case 'unlock':
      await lock.release();
      return {};
    case 'status':
      return { value: await service.status() };
    case 'stage':
      return { folder: await store.stage?.() };
    case 'yield':
      return { yields: service.onWanted?.() === true };
    default:
      throw new Error('expected a known request');
  }
}

/** Reads the rows of the first keys: as many rows as fit into an answer, but at least one. */
async function getSome(
  store: Store,
  table: TableName,
  keys: readonly string[],
  columns: readonly string[],
): Promise<(StoredRow | undefined)[]> {
  const rows: (StoredRow | undefined)[] = [];
  let bytes = 0;
  do {
    const found = await store.get(table, keys.slice(rows.length, rows.length + KEYS_AT_ONCE), columns);
    for (const row of found) for (const value of row?.cells.values() ?? []) bytes += value.length;
    rows.push(...found);
  } while (rows.length < keys.length && bytes < ANSWER_BYTES);
  return rows;
}
