import type { ServerResponse } from 'node:http';
import { once } from 'node:events';
import { recordFilter, type LoggedRecord } from '../../changes/index.js';
import { CHANGE_KINDS } from '../../core/index.js';
import { createOneByOne, createWake } from '../../util/index.js';
import type { Stream } from '../http/reply.js';
import type { ChangesSource } from '../source.js';
import type { AskedChanges } from './asked-changes.js';

interface ChangeEventsOptions {
  /** Called with the error when changes cannot be read. The client is then disconnected, and may connect again with its cursor. */
  readonly onError: (error: unknown) => void;
  /** Maximum number of clients at the same time. Default: 100. */
  readonly most?: number;
  /** Milliseconds between two checks for new changes. One check serves all clients. Default: 1,000. */
  readonly every?: number;
  /** Milliseconds between two comments, which keep a silent connection open. Default: 15,000. */
  readonly comment?: number;
}

interface Begin {
  readonly cursor: string;
  /** Whether the cursor of the client is unknown or too old, so that the client may have missed changes. */
  readonly isReset: boolean;
}

/** Before the filter of the client. */
const RECORDS_PER_READ = 500;

interface Client {
  readonly response: ServerResponse;
  readonly wake: ReturnType<typeof createWake>;
}

/**
 * Sends changes as Server-Sent Events, each with its cursor as id. Every client has its own position in the log. The log is checked for new
 * changes once for all clients, and only while there are clients.
 */
export function createChangeEvents(
  changes: ChangesSource,
  { onError, most = 100, every = 1_000, comment = 15_000 }: ChangeEventsOptions,
) {
  // The reads of all clients take turns. Each reads one part, because a filter may pass over the whole log.
  const oneByOne = createOneByOne();
  const clients = new Set<Client>();
  let timers: readonly NodeJS.Timeout[] = [];
  let end: string | undefined;
  let isLooking = false;

  async function look(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const { next } = await changes.places();
      if (next === end) return;
      end = next;
      for (const { wake } of clients) wake.now();
    } catch (error) {
      onError(error);
    } finally {
      isLooking = false;
    }
  }

  function enter(client: Client): void {
    clients.add(client);
    if (timers.length > 0) return;
    const beat = (): void => {
      // A client with unsent data gets no comment. If such a client reads nothing, its connection becomes silent and is closed.
      for (const { response } of clients) if (response.writableLength === 0) response.write(':\n\n');
    };
    timers = [setInterval(() => void look(), every), setInterval(beat, comment)];
  }

  function leave(client: Client): void {
    clients.delete(client);
    client.wake.now();
    if (clients.size > 0) return;
    for (const timer of timers) clearInterval(timer);
    timers = [];
  }

  async function readPart(cursor: string, signal: AbortSignal) {
    const records: LoggedRecord[] = [];
    const found = changes.read({ cursor, limit: RECORDS_PER_READ, kinds: CHANGE_KINDS }, signal);
    for await (const record of found) records.push(record);
    const isEnd = records.length < RECORDS_PER_READ;
    return { records, next: isEnd ? await found.next() : records.at(-1)!.cursor, isEnd };
  }

  async function follow(
    { response, wake }: Client,
    { cursor, isReset }: Begin,
    filter: AskedChanges['filter'],
    signal: AbortSignal,
  ) {
    const isWanted = recordFilter(filter);
    const isOver = (): boolean => response.destroyed || response.writableEnded;
    const send = async (text: string): Promise<void> => {
      if (isOver() || response.write(text)) return;
      await once(response, 'drain', { signal }).catch(() => undefined);
    };
    let place = cursor;
    await send(isReset ? eventOf('reset', place, { oldest: place }) : `id: ${place}\n\n`);
    while (!isOver()) {
      const seen = end;
      const from = place;
      const { records, next, isEnd } = await oneByOne(() => readPart(from, signal));
      for (const record of records.filter((record) => isWanted(record) === true)) {
        place = record.cursor;
        await send(eventOf(record.type === 'host' ? 'host' : 'change', place, record));
        if (isOver()) return;
      }
      // An id without data makes no event. The client continues from this id when it connects again.
      if (place !== next) await send(`id: ${next}\n\n`);
      place = next;
      if (isEnd && seen === end) await wake.wait(Infinity);
    }
  }

  return {
    /**
     * Returns the stream of events for one more client, until the client disconnects. If there are too many clients, it gets a 503.
     * @param signal is aborted when the client disconnects
     */
    stream: (begin: Begin, filter: AskedChanges['filter'], signal: AbortSignal): Stream => ({
      stream(response) {
        // The check is made here, because many clients may connect while the position of the first one is looked up.
        if (clients.size >= most) {
          response.writeHead(503, { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '60' });
          response.end('expected fewer readers of changes at the same time; connect again later\n');
          return;
        }
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
        response.write('retry: 5000\n\n');
        const client = { response, wake: createWake() };
        enter(client);
        response.once('close', () => leave(client));
        follow(client, begin, filter, signal).catch((error: unknown) => {
          if (!response.destroyed) onError(error);
          response.end();
        });
      },
    }),
  };
}

/** Formats an event. Line ends need no escape, because JSON and cursors have none. */
function eventOf(event: string, id: string, data: LoggedRecord | { readonly oldest: string }): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
