import net from 'node:net';

/** One received request. */
export interface RawRequest {
  /** The request target: path and query. */
  readonly path: string;
  /** The head as text, without the empty line. */
  readonly head: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Counts all requests of the server from 1. */
  readonly number: number;
  /** Counts the connections of the server from 1. */
  readonly connection: number;
}

/**
 * Handles a request: it returns bytes to write unchanged (text as UTF-8), or nothing if the handler writes to the socket itself. The
 * connection stays open unless the handler ends it.
 */
export type RawHandler = (request: RawRequest, socket: net.Socket) => string | Uint8Array | void | Promise<void>;

export interface RawServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** All requests so far. */
  readonly requests: readonly RawRequest[];
  /** Number of open connections. */
  openConnections(): number;
  close(): Promise<void>;
}

/** A server on loopback that sends exactly the given bytes, for answers that no real server would give. */
export async function rawServer(handler: RawHandler): Promise<RawServer> {
  const requests: RawRequest[] = [];
  const sockets = new Set<net.Socket>();
  let connections = 0;
  const server = net.createServer((socket) => {
    const connection = ++connections;
    let pending = '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      for (let end = pending.indexOf('\r\n\r\n'); end >= 0; end = pending.indexOf('\r\n\r\n')) {
        const head = pending.slice(0, end);
        pending = pending.slice(end + 4);
        const request = { ...parseHead(head), number: requests.length + 1, connection };
        requests.push(request);
        const answer = handler(request, socket);
        if (typeof answer === 'string' || answer instanceof Uint8Array) socket.write(answer);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    origin: `http://127.0.0.1:${address.port}`,
    requests,
    openConnections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A plain answer with `Content-Length`, as bytes. */
export function answer(
  status: string,
  headers: Record<string, string> = {},
  body: string | Uint8Array = '',
): Uint8Array {
  const bytes = Buffer.from(body);
  const all = { 'Content-Length': String(bytes.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
}

function parseHead(head: string): Pick<RawRequest, 'path' | 'head' | 'headers'> {
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { path: first.split(' ')[1] ?? '', head, headers: Object.fromEntries(headers) };
}
