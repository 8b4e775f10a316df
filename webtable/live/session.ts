import type { Socket } from 'node:net';
import { CrawlError, messageOf } from '../../packages/errors/index.js';
import type { Exclusive } from '../stores/locks.js';
import type { TableName } from '../schema.js';
import type { Store, StoredRow } from '../store.js';
import { readChunk } from './scan-chunks.js';
import type { Holder } from './holder.js';
import {
  MAX_ANSWER,
  MAX_REQUEST,
  PROTOCOL,
  createMessageReader,
  encodeMessage,
  listOf,
  packRows,
  sizeOf,
  textOf,
  unpackChanges,
  type Message,
} from './messages.js';

/** What a process that has a table open offers to others. */
export interface Service {
  readonly store: Store;
  readonly holder: Holder;
  readonly exclusive: Exclusive;
  /** What goes on here, as JSON. */
  readonly status: () => Promise<unknown>;
  /** Called when another process needs the table for itself; whether it is given to it. Absent: never. */
  readonly onWanted?: () => boolean;
  /** Called when another process has changed rows. */
  readonly onChange?: () => void;
  /** Milliseconds for which another process may hold the lock `rows`. Default: {@link LEASE_MS}. */
  readonly leaseMs?: number;
}

/** The only lock that another process can have: for a chunk of rows that is read and then written. */
export const SHARED_LOCK = 'rows';

/** Milliseconds for which another process may hold that lock. */
export const LEASE_MS = 10_000;
/** Requests of one client in work; more are not read. */
const MAX_PENDING = 8;
/** Milliseconds between two signs of life to a client that waits for an answer. */
const BUSY_MS = 10_000;
/** Milliseconds after which a client is dropped that does not read its answers. */
const STUCK_MS = 30_000;
/** Rows looked up for one step of an answer. */
const KEYS_AT_ONCE = 64;
const ANSWER_BYTES = 256 * 1024;

/** One client, until its connection ends. */
export interface Session {
  /** Begins nothing more. Resolves when what the client has asked for is answered and its lock is released. */
  drain(): Promise<void>;
  /** Closes the connection after a last message. Call it when the session is drained. */
  close(last?: object): void;
  /** The connection is closed and nothing is in work any more. */
  readonly ended: Promise<void>;
}

/**
 * Serves one client. Whatever it sends or fails to do costs a bounded amount of memory, and no more time of the lock than the
 * lease: then the connection is closed, so that what it writes later is never read.
 */
export function serveClient(socket: Socket, service: Service): Session {
  const { store, holder, exclusive, status, onChange = () => {}, leaseMs = LEASE_MS } = service;
  const waiting: Message[] = [];
  const writes = new Set<Promise<void>>();
  let pending = 0;
  let isOver = false;
  let isClosing = false;
  let lock: 'none' | 'asked' | 'held' = 'none';
  let release = (): void => {};
  /** Resolves when the lock that was asked for last is free again. */
  let released = Promise.resolve();
  let drained = (): void => {};
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));

  /** Resolves when the client, or rather its system, has taken it. */
  function send(head: object, blobs?: readonly Uint8Array[]): Promise<void> {
    if (isOver) return Promise.resolve();
    return new Promise((resolve) => socket.write(encodeMessage(head, blobs), () => resolve()));
  }

  async function answer(message: Message): Promise<void> {
    const { id } = message.head;
    // Not to one that does not read, which is to be dropped for that.
    const sign = setInterval(() => void (socket.writableLength === 0 && send({ id, busy: true })), BUSY_MS);
    sign.unref();
    try {
      const blobs: Uint8Array[] = [];
      const value = await handle(message, blobs);
      if (sizeOf(blobs) > MAX_ANSWER / 2)
        throw new CrawlError('STORE_FAILED', 'expected a row that fits an answer, found a larger one');
      await send({ id, ...value }, blobs);
    } catch (error) {
      const { code = 'INTERNAL', hint } = error as Partial<CrawlError>;
      const known =
        error instanceof CrawlError ? { code, ...(hint !== undefined && { hint }) } : { code: 'STORE_FAILED' };
      await send({ id, error: { ...known, message: messageOf(error) } });
    } finally {
      clearInterval(sign);
    }
  }

  async function handle({ head, bytes }: Message, blobs: Uint8Array[]): Promise<object> {
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
      case 'write': {
        const write = store.write(table, unpackChanges({ head, bytes }));
        const settled = write.catch(() => undefined);
        writes.add(settled);
        try {
          await write;
          onChange();
        } finally {
          writes.delete(settled);
        }
        return {};
      }
      case 'lock':
        await takeLock(textOf(head['name']));
        return {};
      case 'unlock':
        release();
        // The client may ask for it again at once.
        if (lock === 'held') await released;
        return {};
      case 'status':
        return { value: await status() };
      case 'yield':
        return { yields: service.onWanted?.() === true };
      default:
        throw new Error('expected a known request');
    }
  }

  /** Resolves when the client has the lock; it has it until it releases it, is gone, or its time is over. */
  function takeLock(name: string): Promise<void> {
    if (name !== SHARED_LOCK || lock !== 'none') {
      return Promise.reject(
        new CrawlError('TABLE_LOCKED', `expected to hold the lock ${SHARED_LOCK} once, found ${name}`),
      );
    }
    lock = 'asked';
    return new Promise((granted) => {
      const task = async (): Promise<void> => {
        if (isOver) return;
        lock = 'held';
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          release = resolve;
          timer = setTimeout(drop, leaseMs);
          granted();
        });
        clearTimeout(timer);
        // What it wrote under the lock is written under the lock.
        await Promise.all(writes);
      };
      released = exclusive(name, task).finally(() => {
        lock = 'none';
        granted();
        next();
      });
    });
  }

  /** Nothing of it is read or begun from here on. */
  function drop(): void {
    if (isOver) return;
    isOver = true;
    waiting.length = 0;
    release();
    socket.destroy();
    next();
  }

  function next(): void {
    while (!isOver && pending < MAX_PENDING && (!isClosing || lock === 'held')) {
      const message = waiting.shift();
      if (!message) break;
      pending += 1;
      void answer(message).finally(() => {
        pending -= 1;
        next();
      });
    }
    if (waiting.length > MAX_PENDING) socket.pause();
    else if (!isOver) socket.resume();
    if (isClosing && pending === 0 && lock !== 'held') drained();
    if (isOver && pending === 0 && lock === 'none') end();
  }

  const read = createMessageReader(MAX_REQUEST, (message) => void waiting.push(message));
  socket.on('data', (chunk) => {
    if (isOver) return;
    try {
      read(chunk);
    } catch {
      return drop();
    }
    next();
  });
  socket.setTimeout(STUCK_MS, () => {
    if (socket.writableLength > 0) drop();
  });
  socket.on('error', drop);
  socket.on('close', drop);
  socket.unref();
  void send({ protocol: PROTOCOL, holder });

  return {
    ended,
    async drain() {
      isClosing = true;
      const isDrained = new Promise<void>((resolve) => (drained = resolve));
      if (lock === 'asked') drop();
      else next();
      const timer = setTimeout(drop, leaseMs);
      await Promise.race([isDrained, ended]);
      clearTimeout(timer);
    },
    close(last) {
      if (isOver) return;
      if (last) void send(last);
      isOver = true;
      socket.destroySoon();
      // One that does not read must not hold up the end.
      const timer = setTimeout(() => socket.destroy(), leaseMs);
      socket.once('close', () => clearTimeout(timer));
      next();
    },
  };
}

/** The rows of the first of these keys: as many as make an answer, one at the least. */
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
