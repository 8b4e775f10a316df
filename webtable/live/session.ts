import type { Socket } from 'node:net';
import { CrawlError, messageOf } from '../../packages/errors/index.js';
import { answerRequest, type Service } from './answer-request.js';
import { createClientLock } from './client-lock.js';
import { createInbox } from './inbox.js';
import { PROTOCOL, encodeMessage, type Message } from './messages.js';
import type { Room } from './room.js';

/** Milliseconds for which another process may hold a lock. */
export const LEASE_MS = 10_000;
/** Maximum number of running requests of one client. While it is reached, no other request is read. */
const MAX_PENDING = 8;
/** Milliseconds between two messages that tell a waiting client that the server is alive. */
const BUSY_MS = 10_000;
/** Milliseconds after which a client that does not read its responses is dropped. */
const STUCK_MS = 30_000;

/** One client, until it disconnects. */
export type Session = ReturnType<typeof serveClient>;

/**
 * Serves one client. Even a faulty client uses only a bounded amount of memory, and holds the lock only for the time of the lease. After
 * that time the connection is closed, so later writes of the client are never read.
 * @param room bounds the unanswered requests of all clients together
 */
export function serveClient(socket: Socket, service: Service, room: Room) {
  const { leaseMs = LEASE_MS, messageMs } = service;
  const lock = createClientLock(service.exclusive, leaseMs, next, drop);
  const inbox = createInbox({ room, messageMs, isPaused: () => socket.isPaused(), onDrop: drop });
  let pending = 0;
  let isOver = false;
  let isClosing = false;
  let drained = (): void => {};
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));

  /** Resolves when the operating system of the client has taken the message. */
  function send(head: object, blobs?: readonly Uint8Array[]): Promise<void> {
    if (isOver) return Promise.resolve();
    return new Promise((resolve) => socket.write(encodeMessage(head, blobs), () => resolve()));
  }

  async function answer(message: Message): Promise<void> {
    const { id } = message.head;
    // A client that does not read gets no `busy` messages, because they would fill the memory of this process.
    const sign = setInterval(() => void (socket.writableLength === 0 && send({ id, busy: true })), BUSY_MS);
    sign.unref();
    try {
      const { head, blobs } = await answerRequest(message, service, lock);
      await send({ id, ...head }, blobs);
    } catch (error) {
      const { code = 'INTERNAL', hint } = error as Partial<CrawlError>;
      const known =
        error instanceof CrawlError ? { code, ...(hint !== undefined && { hint }) } : { code: 'STORE_FAILED' };
      await send({ id, error: { ...known, message: messageOf(error) } });
    } finally {
      clearInterval(sign);
    }
  }

  /** Disconnects the client. From now on, none of its requests is read or started. */
  function drop(): void {
    if (isOver) return;
    isOver = true;
    inbox.close();
    lock.close();
    socket.destroy();
    next();
  }

  function next(): void {
    while (!isOver && pending < MAX_PENDING && (!isClosing || lock.state === 'held')) {
      const message = inbox.take();
      if (!message) break;
      pending += 1;
      void answer(message).finally(() => {
        pending -= 1;
        inbox.done(message);
        next();
      });
    }
    if (inbox.waiting > MAX_PENDING) socket.pause();
    else if (!isOver && socket.isPaused()) {
      inbox.resumed();
      socket.resume();
    }
    if (isClosing && pending === 0 && lock.state !== 'held') drained();
    if (isOver && pending === 0 && lock.state === 'none') end();
  }

  socket.on('data', (chunk) => {
    if (isOver) return;
    try {
      inbox.read(chunk);
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
  void send({ protocol: PROTOCOL, holder: service.owner });

  return {
    /** Resolves when the connection is closed and no request is running. */
    ended,
    /** Starts no more requests. Resolves when the responses to the started requests are sent and the lock of the client is released. */
    async drain(): Promise<void> {
      isClosing = true;
      const isDrained = new Promise<void>((resolve) => (drained = resolve));
      if (lock.state === 'asked') drop();
      else next();
      const timer = setTimeout(drop, leaseMs);
      await Promise.race([isDrained, ended]);
      clearTimeout(timer);
    },
    /** Closes the connection after a last message. Call it when the session is drained. */
    close(last?: object): void {
      if (isOver) return;
      if (last) void send(last);
      isOver = true;
      inbox.close();
      lock.close();
      socket.destroySoon();
      // A client that does not read must not delay the close.
      const timer = setTimeout(() => socket.destroy(), leaseMs);
      socket.once('close', () => clearTimeout(timer));
      next();
    },
  };
}
