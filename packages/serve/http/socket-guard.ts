import type { Server, ServerResponse } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';

export const MAX_HEAD_BYTES = 64 * 1024;
/** Number of milliseconds in which the head of a request must arrive. */
export const HEAD_MS = 10_000;
const MAX_CONNECTIONS = 1_000;
const MAX_CONNECTIONS_PER_CLIENT = MAX_CONNECTIONS / 2;
/** A client is disconnected if no data was read or written for this number of milliseconds. */
const SILENT_MS = 60_000;
/** Milliseconds in which a client can read why it was refused. Then it is disconnected. */
const REFUSAL_MS = 1_000;
/** On one connection, to save memory. No browser queues that many requests. */
const MAX_QUEUED_REQUESTS = 100;

/** Why a connection was refused: the name of the label in the metrics. */
export type RefusalReason = 'connections' | 'connections_of_client' | 'slow_head' | 'large_head' | 'no_http';

interface SocketGuardOptions {
  /**
   * Addresses, or ranges such as `10.0.0.0/8`, that many clients share. They are not limited as one client. Loopback addresses never are.
   */
  readonly trustedProxies: readonly string[];
  readonly onRefused: (reason: RefusalReason) => void;
}

/**
 * Guards a server against clients that hold connections: limits the connections of all clients and of each client, and disconnects clients
 * that are silent or were refused.
 */
export function guardSockets(server: Server, { trustedProxies, onRefused }: SocketGuardOptions): void {
  const isShared = rangesOf(['127.0.0.0/8', '::1', ...trustedProxies]);
  const connections = new Map<string, number>();
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = SILENT_MS;
  server.on('drop', () => onRefused('connections'));
  server.on('clientError', (error, socket) => refuse(error, socket as Socket, onRefused));
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? '';
    if (isShared(address)) return;
    const client = clientOf(address);
    const open = connections.get(client) ?? 0;
    if (open >= MAX_CONNECTIONS_PER_CLIENT) {
      onRefused('connections_of_client');
      socket.destroy();
      return;
    }
    connections.set(client, open + 1);
    socket.once('close', () => {
      const left = connections.get(client)! - 1;
      if (left > 0) connections.set(client, left);
      else connections.delete(client);
    });
  });
}

function rangesOf(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** The client at an address: the address, or for IPv6 its network of 64 bits, because one user has all addresses of such a network. */
function clientOf(address: string): string {
  if (isIP(address) !== 6 || address.startsWith('::ffff:')) return address;
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':'));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}

/** Refuses data that is not HTTP, is too large, or arrives too slowly. */
function refuse(error: NodeJS.ErrnoException, socket: Socket, onRefused: (reason: RefusalReason) => void): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const [reason, status, text] = REFUSALS[error.code ?? ''] ?? NO_HTTP;
  onRefused(reason);
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${text.length + 1}\r\n` +
      `connection: close\r\n\r\n${text}\n`,
  );
  // A client that goes on sending, and never closes its side, would keep the connection for ever.
  const timer = setTimeout(() => socket.destroy(), REFUSAL_MS);
  socket.once('close', () => clearTimeout(timer));
}

type Refusal = readonly [reason: RefusalReason, status: string, text: string];

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [
    'large_head',
    '431 Request Header Fields Too Large',
    `expected a request of at most ${MAX_HEAD_BYTES} bytes`,
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['slow_head', '408 Request Timeout', `expected a request within ${HEAD_MS / 1000} seconds`],
};
const NO_HTTP: Refusal = ['no_http', '400 Bad Request', 'expected a request of HTTP/1.1'];

/**
 * Makes a function that handles the requests of a connection one at a time. If a client sends many requests and reads nothing, the second
 * request waits until the first response was sent. A connection with too many queued requests is closed.
 */
export function createSerialiser() {
  const lines = new WeakMap<Socket, { last: Promise<void> | undefined; waiting: number }>();
  return async (socket: Socket, response: ServerResponse, respond: () => Promise<void>): Promise<void> => {
    const line = lines.get(socket) ?? { last: undefined, waiting: 0 };
    lines.set(socket, line);
    // Without a limit, any number of requests could wait behind an endless response, such as events.
    if (line.waiting >= MAX_QUEUED_REQUESTS) return void socket.destroy();
    const before = line.last;
    line.last = new Promise((resolve) => response.once('close', resolve));
    line.waiting += 1;
    await before;
    line.waiting -= 1;
    if (!socket.destroyed) await respond();
  };
}
