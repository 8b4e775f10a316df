import { CrawlError } from '../../packages/errors/index.js';
import type { RowToCheck } from '../change-shared.js';
import type { TableName } from '../schema.js';
import type { Store, StoredRow } from '../store.js';
import { MAX_RESPONSE, listOf, packRows, sizeOf, stringOf, unpackChanges, type Message } from './messages.js';
import { readChunk } from './scan-chunks.js';
import type { TableOwner } from './table-owner.js';

/** A function that a process with an open table runs for other processes. Arguments and result are JSON; the arguments are untrusted. */
export type Verb = (...args: unknown[]) => Promise<unknown>;

/** What a process that has a table open offers to other processes. */
export interface Service {
  readonly store: Pick<Store, 'get' | 'scan'>;
  readonly owner: TableOwner;
  readonly verbs: Readonly<Record<string, Verb>>;
  /** Makes each change only while the cell has the value that was read. @returns for each change whether it was made */
  readonly change: (table: TableName, changes: readonly RowToCheck[]) => Promise<readonly boolean[]>;
  /**
   * Called when another process needs the table alone; returns whether this process will close the table. Absent: this process never closes
   * it for another one.
   */
  readonly onWanted?: () => boolean;
  /** Whether requests may begin. Requests that may not begin are repeated by their clients in the next process with the table. */
  readonly isOpen?: () => boolean;
  /** Maximum milliseconds from the start to the end of a message of another process. Default: 30,000. */
  readonly messageMs?: number;
  /** Maximum milliseconds to wait at the end for a client that does not read. Default: 10,000. */
  readonly drainMs?: number;
  /** Maximum bytes of the requests without a response of all clients together. Default: 128 MiB. */
  readonly maxHeldBytes?: number;
}

const KEYS_PER_STEP = 64;
const RESPONSE_BYTES = 256 * 1024;

/**
 * Handles a request of another process. Any process of the user may have sent the request, so its content is not trusted.
 * @returns the head of the response, and its bytes
 * @throws if the request is wrong; the errors of the store and of the verb
 */
export async function handleRequest(
  message: Message,
  service: Service,
): Promise<{ readonly head: object; readonly blobs: readonly Uint8Array[] }> {
  const blobs: Uint8Array[] = [];
  const head = await headOf(message, service, blobs);
  if (sizeOf(blobs) > MAX_RESPONSE / 2)
    throw new CrawlError('STORE_FAILED', 'expected a row that fits into a response, found a larger one');
  return { head, blobs };
}

async function headOf(message: Message, service: Service, blobs: Uint8Array[]): Promise<object> {
  const { store, verbs } = service;
  const { head } = message;
  const table = head['table'] as TableName;
  switch (head['op']) {
    case 'get': {
      const rows = await getSome(store, table, listOf(head['keys'], stringOf), listOf(head['columns'], stringOf));
      return { rows: packRows(rows, blobs) };
    }
    case 'scan': {
      const { start, end } = head['range'] as Record<string, unknown>;
      const limit = head['limit'];
      const batch = await readChunk(store, table, {
        columns: listOf(head['columns'], stringOf),
        range: { start: stringOf(start), ...(end !== undefined && { end: stringOf(end) }) },
        ...(typeof limit === 'number' && { limit }),
      });
      return { rows: packRows(batch.rows, blobs), done: batch.done };
    }
    case 'change':
      return { made: await service.change(table, unpackChanges(message)) };
    case 'verb': {
      const name = stringOf(head['name']);
      if (!Object.hasOwn(verbs, name)) throw new Error('expected a known verb');
      return { value: await verbs[name]!(...listOf(head['args'], (arg) => arg)) };
    }
    case 'yield':
      return { yields: service.onWanted?.() === true };
    default:
      throw new Error('expected a known request');
  }
}

/** Reads the rows of the first keys: as many rows as fit into a response, but at least one. */
async function getSome(
  store: Service['store'],
  table: TableName,
  keys: readonly string[],
  columns: readonly string[],
): Promise<(StoredRow | undefined)[]> {
  const rows: (StoredRow | undefined)[] = [];
  let bytes = 0;
  do {
    const found = await store.get(table, keys.slice(rows.length, rows.length + KEYS_PER_STEP), columns);
    for (const row of found) for (const value of row?.cells.values() ?? []) bytes += value.length;
    rows.push(...found);
  } while (rows.length < keys.length && bytes < RESPONSE_BYTES);
  return rows;
}
