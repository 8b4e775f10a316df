import type { Socket } from 'node:net';
import { CrawlError, messageOf } from '../../packages/errors/index.js';
import { handleRequest, type Service } from './handle-request.js';
import { createInbox, type InboxOptions } from './inbox.js';
import { PROTOCOL, encodeMessage, type Message } from './messages.js';

/** Maximum milliseconds to wait for a client that does not read, before the table is closed. */
export const DRAIN_MS = 10_000;
/** Maximum milliseconds to wait until a client has read the last message. */
const CLOSE_MS = 1_000;
/** Maximum number of running requests of one client. While it is reached, no other request is read. */
const MAX_PENDING = 8;
/** Milliseconds between two messages that tell a waiting client that the server is alive. */
const BUSY_MS = 10_000;
/** Milliseconds after which a client that does not read its responses is dropped. */
const STUCK_MS = 30_000;

/** One client, until it disconnects. */
export type Session = ReturnType<typeof serveClient>;

type SessionService = Service & Required<Pick<Service, 'isOpen'>>;

/** Serves one client. Even a faulty client uses only a bounded amount of memory. */
export function serveClient(socket: Socket, service: SessionService, onBytes: InboxOptions['onBytes']) {
  const { drainMs = DRAIN_MS, messageMs, isOpen } = service;
  const inbox = createInbox({ onBytes, messageMs, isPaused: () => socket.isPaused(), onDrop: drop });
  let pending = 0;
  let isOver = false;
  let drained = (): void => {};
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));

  /** Resolves when the operating system of the client has taken the message. */
  function send(head: object, blobs?: readonly Uint8Array[]): Promise<void> {
    if (isOver) return Promise.resolve();
    return new Promise((resolve) => socket.write(encodeMessage(head, blobs), () => resolve()));
  }

  async function respond(message: Message): Promise<void> {
    const { id } = message.head;
    // A client that does not read gets no `busy` messages, because they would fill the memory of this process.
    const sign = setInterval(() => void (socket.writableLength === 0 && send({ id, busy: true })), BUSY_MS);
    sign.unref();
    try {
      const { head, blobs } = await handleRequest(message, service);
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
    socket.destroy();
    next();
  }

  function next(): void {
    while (!isOver && isOpen() && pending < MAX_PENDING) {
      const message = inbox.take();
      if (!message) break;
      pending += 1;
      void respond(message).finally(() => {
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
    if (pending > 0) return;
    drained();
    if (isOver) end();
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
    /** Resolves when the responses to the started requests are sent. Call it when the service is not open. */
    async drain(): Promise<void> {
      const isDrained = new Promise<void>((resolve) => (drained = resolve));
      next();
      const timer = setTimeout(drop, drainMs);
      await Promise.race([isDrained, ended]);
      clearTimeout(timer);
    },
    /** Tells the client that its other requests did not begin, and closes the connection. Call it when the session is drained. */
    close(hasYielded: boolean): void {
      if (isOver) return;
      socket.end(encodeMessage({ closed: true, yielded: hasYielded }));
      isOver = true;
      inbox.close();
      // The requests that still come are read and dropped: if the socket is closed before, the client may not get the last message.
      socket.resume();
      const timer = setTimeout(() => socket.destroy(), CLOSE_MS);
      socket.once('close', () => clearTimeout(timer));
      next();
    },
  };
}
