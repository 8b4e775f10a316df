import { createConnection, type Socket } from 'node:net';
import { CrawlError, ERROR_CODES, safeText, type ErrorCode } from '../../packages/errors/index.js';
import { withAddress } from './address.js';
import { ownerText, type TableOwner } from './table-owner.js';
import { MAX_RESPONSE, MAX_REQUEST, PROTOCOL, createMessageReader, encodeMessage, type Message } from './messages.js';

/** A connection to the process that has a table open. */
export interface Connection {
  readonly owner: TableOwner;
  /**
   * Why this process may not read rows through the connection: the other side runs another version of webcrawl. A request to yield the
   * table is still possible.
   */
  readonly refusal?: CrawlError;
  /**
   * Sends a request and waits for the response.
   * @throws ConnectionLost, and the CrawlError with which the other side responds
   */
  request(head: object, blobs?: readonly Uint8Array[]): Promise<Message>;
  readonly isLost: boolean;
  /** Whether the connection was lost because the other side closed the table for a process that needs it alone. */
  readonly hasYielded: boolean;
  /** Resolves when the connection has ended. */
  readonly lost: Promise<void>;
  close(): void;
}

/** Thrown when the process that had the table open is gone, or has closed the connection. */
export class ConnectionLost extends CrawlError {
  /**
   * @param wasClosed whether the process has closed the table, and did not begin with the request. So the request may be repeated in the next
   * process. false: the process may have been killed in the middle of the request
   */
  constructor(
    owner: TableOwner,
    readonly wasClosed = false,
  ) {
    super('STORE_FAILED', `${ownerText(owner)}, which had the table open, has ended`, {
      hint: 'run the same command again',
    });
  }
}

/** Milliseconds in which the other side must send its first message. */
const HELLO_MS = 10_000;
/** Milliseconds in which the other side must send a response, or a message that it is alive. */
const RESPONSE_MS = 60_000;

/**
 * Connects to the process that serves the table of a folder; undefined if there is none.
 * @param version of webcrawl; if the other side runs another version, the connection has a `refusal`
 * @throws CrawlError TABLE_LOCKED if the other side speaks another protocol, or does not respond
 */
export async function connectTo(directory: string, version: string): Promise<Connection | undefined> {
  try {
    return await withAddress(directory, async (address) => {
      const socket = await dial(address);
      return socket && (await greet(socket, directory, version));
    });
  } catch (error) {
    if (error instanceof CrawlError) throw error;
    // The serving process cannot be reached, because no link for the long path can be created. Its lock still prevents this process from
    // opening the table.
    return undefined;
  }
}

/** Connects to the socket. undefined: there is no socket, or a killed process has left it. */
function dial(address: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(address);
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

/** Waits for the first message of the other side. undefined: the connection ended before the message came. */
function greet(socket: Socket, directory: string, version: string): Promise<Connection | undefined> {
  return new Promise((resolve, reject) => {
    let onMessage = (message: Message): void => {
      clearTimeout(timer);
      const owner = ownerOf(message);
      const refusal = owner.version === version ? undefined : otherVersion(owner, directory, version);
      if (message.head['protocol'] !== PROTOCOL) return refuse(refusal ?? otherVersion(owner, directory, version));
      const { connection, take } = createRequests(socket, owner, refusal);
      onMessage = take;
      resolve(connection);
    };
    const refuse = (error: CrawlError): void => {
      reject(error);
      socket.destroy();
    };
    const timer = setTimeout(() => {
      refuse(
        new CrawlError('TABLE_LOCKED', `the process that has the table in ${directory} open does not respond`, {
          hint: 'the process is stopped, or very busy: continue it or end it',
        }),
      );
    }, HELLO_MS);
    const read = createMessageReader(MAX_RESPONSE, (message) => onMessage(message));
    socket.on('data', (chunk) => {
      try {
        read(chunk);
      } catch {
        socket.destroy();
      }
    });
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}

/** The process that has the table open, as its first message describes it. */
function ownerOf({ head }: Message): TableOwner {
  const given = (head['holder'] ?? {}) as Partial<Record<keyof TableOwner, unknown>>;
  return {
    pid: Number(given.pid),
    name: String(given.name),
    version: String(given.version),
    alone: given.alone === true,
  };
}

function otherVersion(owner: TableOwner, directory: string, version: string): CrawlError {
  const theirs =
    owner.version === version
      ? `another build of webcrawl ${version}, whose messages have another format`
      : `webcrawl ${safeText(owner.version, 40)}, and this is ${version}`;
  return new CrawlError('TABLE_LOCKED', `the table in ${directory} is in use by ${ownerText(owner)} of ${theirs}`, {
    hint: 'use the same webcrawl as that process, or wait for it to end (--wait <seconds>)',
  });
}

/** Sends requests, and matches each response to its request. */
function createRequests(
  socket: Socket,
  owner: TableOwner,
  refusal: CrawlError | undefined,
): { connection: Connection; take: (message: Message) => void } {
  const pending = new Map<
    unknown,
    { resolve: (message: Message) => void; reject: (error: Error) => void; wait: () => void }
  >();
  let last = 0;
  let isLost = false;
  let wasClosed = false;
  let hasYielded = false;
  let lose = (): void => {};
  const lost = new Promise<void>((resolve) => (lose = resolve));
  socket.unref();
  socket.once('close', () => {
    isLost = true;
    lose();
    for (const { reject } of pending.values()) reject(new ConnectionLost(owner, wasClosed));
    pending.clear();
  });
  const request: Connection['request'] = (head, blobs) =>
    new Promise((resolve, reject) => {
      if (isLost) return reject(new ConnectionLost(owner, true));
      const id = (last += 1);
      const message = encodeMessage({ ...head, id }, blobs);
      if (message.length > MAX_REQUEST) {
        return reject(
          new CrawlError('STORE_FAILED', `expected a request of at most ${MAX_REQUEST} bytes, found ${message.length}`),
        );
      }
      // The socket keeps the process alive only during a request.
      const timer = setTimeout(() => socket.destroy(), RESPONSE_MS);
      const settle = (): void => {
        clearTimeout(timer);
        pending.delete(id);
        if (pending.size === 0) socket.unref();
      };
      pending.set(id, {
        wait: () => void timer.refresh(),
        resolve: (response) => {
          settle();
          resolve(response);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      socket.ref();
      socket.write(message);
    });
  return {
    connection: {
      owner,
      ...(refusal && { refusal }),
      request,
      get isLost() {
        return isLost;
      },
      get hasYielded() {
        return hasYielded;
      },
      lost,
      close: () => socket.destroy(),
    },
    take(message) {
      const { id, error } = message.head;
      wasClosed ||= message.head['closed'] === true;
      hasYielded ||= message.head['yielded'] === true;
      const request = pending.get(id);
      if (message.head['busy'] === true) request?.wait();
      else if (error === undefined) request?.resolve(message);
      else request?.reject(errorOf(error as Record<string, unknown>));
    },
  };
}

function errorOf({ code, message, hint }: Record<string, unknown>): CrawlError {
  const known = typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'STORE_FAILED';
  return new CrawlError(known, String(message), typeof hint === 'string' ? { hint } : {});
}
