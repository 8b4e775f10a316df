import { createConnection, type Socket } from 'node:net';
import { CrawlError, ERROR_CODES, safeText, type ErrorCode } from '../../packages/errors/index.js';
import { withAddress } from './address.js';
import { holderText, type Holder } from './holder.js';
import { MAX_ANSWER, MAX_REQUEST, PROTOCOL, createMessageReader, encodeMessage, type Message } from './messages.js';

/** A connection to the process that has a table open. */
export interface Connection {
  readonly holder: Holder;
  /** Why rows cannot be read through it: it runs another version of webcrawl. It can be asked to yield all the same. */
  readonly refusal?: CrawlError;
  /**
   * Asks and waits for the answer.
   * @throws ConnectionLost, and the CrawlError that the other side answers with
   */
  request(head: object, blobs?: readonly Uint8Array[]): Promise<Message>;
  readonly isLost: boolean;
  /** It was lost as the table was closed there for a process that needs it alone. */
  readonly hasYielded: boolean;
  /** Resolves when the connection is no more. */
  readonly lost: Promise<void>;
  close(): void;
}

/** The process that had the table open is gone, or has closed the connection. */
export class ConnectionLost extends CrawlError {
  constructor(holder: Holder) {
    super('STORE_FAILED', `expected an answer of ${holderText(holder)}, which has the table open, found it gone`, {
      hint: 'run the same command again',
    });
  }
}

/** Milliseconds in which the other side must answer, or at least give a sign of life. */
const HELLO_MS = 10_000;
const ANSWER_MS = 60_000;

/**
 * Connects to the process that serves the table of a folder; undefined where none does.
 * @param version of webcrawl; where that of the other side differs, the connection has a `refusal`
 * @throws CrawlError TABLE_LOCKED where it speaks another protocol, or does not answer
 */
export async function connectTo(directory: string, version: string): Promise<Connection | undefined> {
  try {
    return await withAddress(directory, async (address) => {
      const socket = await dial(address);
      return socket && (await greet(socket, directory, version));
    });
  } catch (error) {
    if (error instanceof CrawlError) throw error;
    // No link for a long path can be made: who serves there cannot be reached, and the lock still keeps us out.
    return undefined;
  }
}

/** undefined: there is no socket, or it was left by a process that was killed. */
function dial(address: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(address);
    socket.once('connect', () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

/** Waits for the first message of the other side. undefined: the connection ended before. */
function greet(socket: Socket, directory: string, version: string): Promise<Connection | undefined> {
  return new Promise((resolve, reject) => {
    let onMessage = (message: Message): void => {
      clearTimeout(timer);
      const holder = holderOf(message);
      const refusal = holder.version === version ? undefined : otherVersion(holder, directory, version);
      if (message.head['protocol'] !== PROTOCOL) return refuse(refusal ?? otherVersion(holder, directory, version));
      const { connection, take } = createRequests(socket, holder, refusal);
      onMessage = take;
      resolve(connection);
    };
    const refuse = (error: CrawlError): void => {
      reject(error);
      socket.destroy();
    };
    const timer = setTimeout(() => {
      refuse(
        new CrawlError(
          'TABLE_LOCKED',
          `expected the process that has the table in ${directory} open to answer, found it silent`,
          {
            hint: 'it is stopped, or very busy: wake it or end it',
          },
        ),
      );
    }, HELLO_MS);
    const read = createMessageReader(MAX_ANSWER, (message) => onMessage(message));
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

/** Who has the table open, as it says itself. */
function holderOf({ head }: Message): Holder {
  const given = (head['holder'] ?? {}) as Partial<Record<keyof Holder, unknown>>;
  return {
    pid: Number(given.pid),
    name: String(given.name),
    version: String(given.version),
    alone: given.alone === true,
  };
}

function otherVersion(holder: Holder, directory: string, version: string): CrawlError {
  return new CrawlError(
    'TABLE_LOCKED',
    `expected the table in ${directory} to be open in webcrawl ${version}, found ${holderText(holder)} of version ${safeText(holder.version, 40)}`,
    { hint: 'use that version, or wait for it to end (--wait <seconds> does)' },
  );
}

/** Asks, and finds for each answer who asked. */
function createRequests(
  socket: Socket,
  holder: Holder,
  refusal: CrawlError | undefined,
): { connection: Connection; take: (message: Message) => void } {
  const asked = new Map<
    unknown,
    { resolve: (message: Message) => void; reject: (error: Error) => void; wait: () => void }
  >();
  let last = 0;
  let isLost = false;
  let hasYielded = false;
  let lose = (): void => {};
  const lost = new Promise<void>((resolve) => (lose = resolve));
  socket.unref();
  socket.once('close', () => {
    isLost = true;
    lose();
    for (const { reject } of asked.values()) reject(new ConnectionLost(holder));
    asked.clear();
  });
  const request: Connection['request'] = (head, blobs) =>
    new Promise((resolve, reject) => {
      if (isLost) return reject(new ConnectionLost(holder));
      const id = (last += 1);
      const message = encodeMessage({ ...head, id }, blobs);
      if (message.length > MAX_REQUEST) {
        return reject(
          new CrawlError('STORE_FAILED', `expected a row of at most ${MAX_REQUEST} bytes, found ${message.length}`),
        );
      }
      // Nobody but a request keeps the process alive.
      const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
      const settle = (): void => {
        clearTimeout(timer);
        asked.delete(id);
        if (asked.size === 0) socket.unref();
      };
      asked.set(id, {
        wait: () => void timer.refresh(),
        resolve: (answer) => {
          settle();
          resolve(answer);
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
      holder,
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
      hasYielded ||= message.head['yielded'] === true;
      const waiting = asked.get(id);
      if (message.head['busy'] === true) waiting?.wait();
      else if (error === undefined) waiting?.resolve(message);
      else waiting?.reject(errorOf(error as Record<string, unknown>));
    },
  };
}

function errorOf({ code, message, hint }: Record<string, unknown>): CrawlError {
  const known = typeof code === 'string' && Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'STORE_FAILED';
  return new CrawlError(known, String(message), typeof hint === 'string' ? { hint } : {});
}
