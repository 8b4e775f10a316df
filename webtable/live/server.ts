import { chmod, mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { LIVE_FOLDER, removeSocket, withAddress } from './address.js';
import { serveClient, type Service, type Session } from './session.js';

/** A table that others can ask for while it is open here. */
export interface LiveServer {
  /**
   * Removes the socket, answers what was asked, and waits for a lock that a client holds. Then the table may be closed. The
   * clients are still connected, so that none of them looks for the table before it is closed.
   */
  drain(): Promise<void>;
  /** Drains, and ends the connections. @param hasYielded the table was closed for a process that needs it alone: clients leave it to that */
  close(hasYielded?: boolean): Promise<void>;
}

/** Clients at a time; more are turned away. */
const MAX_CLIENTS = 100;

/**
 * Serves a table to other processes of the same user, by a socket in its folder. Only the process that has the table open may
 * do so: a socket that it finds there was left by one that was killed. It keeps no process alive.
 * @throws Error where the system makes no socket there
 */
export async function serveTable(directory: string, service: Service): Promise<LiveServer> {
  const sessions = new Set<Session>();
  const server = createServer((socket) => {
    const session = serveClient(socket, service);
    sessions.add(session);
    void session.ended.then(() => sessions.delete(session));
  });
  server.maxConnections = MAX_CLIENTS;
  server.unref();
  const isFile = process.platform !== 'win32';
  if (isFile) {
    // In a folder of its own: between its making and its chmod nobody else can reach it, whatever the umask.
    const folder = join(directory, LIVE_FOLDER);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700);
    await removeSocket(directory);
  }
  await withAddress(directory, async (address) => {
    await listen(server, address);
    if (isFile) await chmod(address, 0o600);
  });
  server.on('error', () => undefined);
  let closed: Promise<void> | undefined;
  let draining: Promise<void> | undefined;
  const drain = (): Promise<void> => (draining ??= drainAll());
  async function drainAll(): Promise<void> {
    closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await removeSocket(directory);
    await Promise.all([...sessions].map((session) => session.drain()));
  }
  return {
    drain,
    async close(hasYielded = false) {
      await drain();
      for (const session of sessions) session.close(hasYielded ? { yielded: true } : undefined);
      await closed;
    },
  };
}

function listen(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
