import { chmod, mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { LIVE_FOLDER, removeSocket, withAddress } from './address.js';
import type { Service } from './handle-request.js';
import { serveClient, type Session } from './session.js';

/** The server of a table that this process has open. */
export type LiveServer = Awaited<ReturnType<typeof serveTable>>;

/** Maximum number of clients at a time. Additional clients are disconnected. */
const MAX_CLIENTS = 100;
/** Maximum bytes of the requests without a response of all clients together. Each client may have its share of them in any case. */
const MAX_HELD_BYTES = 128 * 2 ** 20;

/**
 * Serves a table to other processes of the same user, through a socket in the folder of the table. Only the process that has the table open
 * may call this function. So an existing socket is from a killed process, and is replaced. The server does not keep the process alive.
 * @throws Error if the system cannot create the socket
 */
export async function serveTable(directory: string, service: Service) {
  const sessions = new Set<Session>();
  const { maxHeldBytes = MAX_HELD_BYTES } = service;
  let heldBytes = 0;
  const onBytes = (difference: number, ofClient: number): boolean => {
    heldBytes += difference;
    return heldBytes <= maxHeldBytes || ofClient <= maxHeldBytes / MAX_CLIENTS;
  };
  let isDraining = false;
  const isOpen = (): boolean => !isDraining && service.isOpen?.() !== false;
  const server = createServer((socket) => {
    const session = serveClient(socket, { ...service, isOpen }, onBytes);
    sessions.add(session);
    void session.ended.then(() => sessions.delete(session));
  });
  server.maxConnections = MAX_CLIENTS;
  server.unref();
  const isFile = process.platform !== 'win32';
  if (isFile) {
    // The socket is created in a private folder. So no other user can connect before the chmod of the socket, whatever the umask is.
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
  /**
   * Removes the socket, and waits for the responses to the running requests. Then the table may be closed. The clients stay connected until
   * `close`, because a disconnected client tries to open the table.
   */
  const drain = (): Promise<void> => (draining ??= drainAll());
  async function drainAll(): Promise<void> {
    isDraining = true;
    closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await removeSocket(directory);
    await Promise.all([...sessions].map((session) => session.drain()));
  }
  return {
    drain,
    /**
     * Calls `drain`, then ends the connections.
     * @param hasYielded whether the table was closed for a process that needs it alone; if so, the clients leave the table to that process
     */
    async close(hasYielded = false): Promise<void> {
      await drain();
      for (const session of sessions) session.close(hasYielded);
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
