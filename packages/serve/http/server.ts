import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { CrawlError, safeText } from '../../errors/index.js';
import type { Answer, Stream } from './answer.js';
import { problemOf, type Problem } from './errors.js';
import { isOurHost } from './host-names.js';

/** One request, as a route sees it. */
export interface Request {
  /** Begins with `/`. */
  readonly path: string;
  readonly params: URLSearchParams;
  /** `http://localhost:8420`: what the client calls this server. */
  readonly origin: string;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** What is at a path. */
export type Route = (request: Request) => Answer | Stream | Promise<Answer | Stream>;

/** What {@link listen} takes. */
export interface ListenOptions {
  /** 0 for any that is free. */
  readonly port: number;
  /** The address that it listens on. */
  readonly address: string;
  /** Names that it answers to, beside addresses and `localhost`. */
  readonly names: readonly string[];
  /** By path. */
  readonly routes: Readonly<Record<string, Route>>;
  /** Makes the answer for what went wrong. */
  readonly problem: (request: Pick<Request, 'path' | 'params'>, problem: Problem) => Answer;
  /** Gets what a route threw that is no fault of the request. */
  readonly onError: (error: unknown) => void;
  /** Called after each answer. */
  readonly onAnswer?: (route: string, status: number, seconds: number) => void;
}

/** A server that listens. */
export interface Listening {
  readonly port: number;
  /** Takes no more requests, and ends those under way within `GRACE_MS`. */
  close(): Promise<void>;
}

/** Characters of a request's path and query: a query of {@link MAX_TYPED} characters fits in, each of which may take nine. */
export const MAX_URL = 8_192;
/** Characters of a query that can be typed on a page. */
export const MAX_TYPED = 800;
/** Bytes of a request's head, and milliseconds in which it must have come. */
const MAX_HEAD = 64 * 1024;
const HEAD_MS = 10_000;
/** Milliseconds in which nothing is read or written, after which a client is dropped. */
const SILENT_MS = 60_000;
/** Milliseconds that a connection is kept for another request. */
const KEEP_MS = 5_000;
const MAX_CONNECTIONS = 1_000;
/** Requests of a connection that wait for the one before: more of them hold memory, and no browser sends any. */
const MAX_IN_TURN = 100;
/** Milliseconds in which what is under way may end when the server is closed. */
const GRACE_MS = 2_000;

/** For every answer: nothing of elsewhere is loaded, nothing is framed, and where a link leads learns of nobody. */
const HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
} as const;

/**
 * Listens, and answers GET and HEAD.
 * @throws CrawlError CANNOT_LISTEN
 */
export async function listen(options: ListenOptions): Promise<Listening> {
  const streams = new Set<ServerResponse>();
  const inTurn = createTurns();
  const server = createServer(
    {
      maxHeaderSize: MAX_HEAD,
      headersTimeout: HEAD_MS,
      requestTimeout: HEAD_MS,
      keepAliveTimeout: KEEP_MS,
      connectionsCheckingInterval: HEAD_MS / 4,
    },
    (request, response) =>
      void inTurn(request.socket, response, () => answerTo(request, response, options, streams)).catch(
        (error: unknown) => {
          options.onError(error);
          response.destroy();
        },
      ),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = SILENT_MS;
  server.on('clientError', refuse);
  await begin(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const response of streams) response.end();
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      await closed;
      clearTimeout(timer);
    },
  };
}

function begin(server: Server, { port, address }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, port, address)));
    server.listen({ port, host: address }, () => {
      // A connection that cannot be taken, as where no more files can be open, must not end the process.
      server.on('error', () => undefined);
      resolve();
    });
  });
}

function cannotListen(error: NodeJS.ErrnoException, port: number, address: string): CrawlError {
  const expected = `expected to listen on port ${port} of ${safeText(address)}`;
  const [found, hint] = {
    EADDRINUSE: [
      'it in use',
      'another program, or another webcrawl serve, listens there: name another --port, or 0 for any that is free',
    ],
    EACCES: [
      'it not allowed',
      'ports below 1024 are for root: name a higher --port, and put a reverse proxy before it',
    ],
    EADDRNOTAVAIL: ['an address that this machine does not have', 'name one of its own by --host, 0.0.0.0 for all'],
  }[error.code ?? ''] ?? [error.message, 'name an address of this machine by --host'];
  return new CrawlError('CANNOT_LISTEN', `${expected}, found ${found}`, { hint: hint!, cause: error });
}

/**
 * Makes the function that answers one request of a connection at a time: of a client that sends many at once and reads nothing, the
 * second waits until the first answer is on its way. The connection of one that sends too many of them is dropped.
 */
function createTurns() {
  const lines = new WeakMap<Socket, { last: Promise<void> | undefined; waiting: number }>();
  return async (socket: Socket, response: ServerResponse, answer: () => Promise<void>): Promise<void> => {
    const line = lines.get(socket) ?? { last: undefined, waiting: 0 };
    lines.set(socket, line);
    // One that never ends, as events, would let any number of others wait behind it.
    if (line.waiting >= MAX_IN_TURN) return void socket.destroy();
    const before = line.last;
    line.last = new Promise((resolve) => response.once('close', resolve));
    line.waiting += 1;
    await before;
    line.waiting -= 1;
    if (!socket.destroyed) await answer();
  };
}

/** What is no request of HTTP, or too large, or too slow. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const [status, text] = {
    HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', `expected a request of at most ${MAX_HEAD} bytes`],
    ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', `expected a request within ${HEAD_MS / 1000} seconds`],
  }[error.code ?? ''] ?? ['400 Bad Request', 'expected a request of HTTP/1.1'];
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${text!.length + 1}\r\n` +
      `connection: close\r\n\r\n${text}\n`,
  );
}

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  { names, routes, problem, onError, onAnswer }: ListenOptions,
  streams: Set<ServerResponse>,
): Promise<void> {
  const began = performance.now();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // Nobody sends us anything: what comes is not kept.
  request.resume();
  const { path, params } = targetOf(request.url ?? '');
  const route = Object.hasOwn(routes, path) ? routes[path]! : undefined;
  let answer: Answer | Stream;
  try {
    const wrong = wrongRequest(request, names, route);
    const origin = originOf(request);
    answer = wrong ? problem({ path, params }, wrong) : await route!({ path, params, origin, signal: gone.signal });
  } catch (error) {
    const found = problemOf(error);
    if (found.status >= 500 && !gone.signal.aborted) onError(error);
    answer = problem({ path, params }, found);
  }
  if (response.destroyed) return;
  if ('stream' in answer) {
    streams.add(response);
    response.once('close', () => streams.delete(response));
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    answer.stream(response);
    if (request.method === 'HEAD') response.end();
  } else {
    send(request, response, answer);
  }
  onAnswer?.(route ? path : 'other', response.statusCode, (performance.now() - began) / 1000);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body, headers, cache }: Answer,
): void {
  const bytes = Buffer.from(body, 'utf8');
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const caching = {
    'cache-control':
      cache === 'day' ? 'public, max-age=86400' : cache === 'revalidate' ? 'private, no-cache' : 'no-store',
    ...(cache && { etag }),
  };
  const common = { ...HEADERS, ...caching, ...headers };
  if (status === 200 && cache && isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common).end();
    return;
  }
  const isOver = status >= 400 && request.method !== 'GET' && request.method !== 'HEAD';
  response.writeHead(status, {
    ...common,
    'content-type': type,
    'content-length': bytes.length,
    ...(status === 405 && { allow: 'GET, HEAD' }),
    // What else such a client sends is not read as another request.
    ...(isOver && { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** RFC 9110, section 13.1.2, by weak comparison. */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, '')));
}

function wrongRequest(
  request: IncomingMessage,
  names: readonly string[],
  route: Route | undefined,
): Problem | undefined {
  const { method, url = '', headers } = request;
  if (!isOurHost(headers.host, names)) {
    const found = safeText(headers.host ?? '', 100);
    return {
      status: 421,
      code: 'MISDIRECTED',
      message: `expected a request for localhost, an address or a name of this server, found ${found}`,
      hint: 'start it with --host <name> where it is to answer to that name',
    };
  }
  if (url.length > MAX_URL) {
    const message = `expected a URL of at most ${MAX_URL} characters, found ${url.length}`;
    return { status: 414, code: 'USAGE', message, hint: 'ask for less in one query' };
  }
  if (!route) return { status: 404, code: 'NOT_FOUND', message: 'There is no such page here.' };
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, code: 'USAGE', message: `expected GET or HEAD, found ${safeText(method ?? '', 20)}` };
  }
  return undefined;
}

/** The path and the query of a request, which may name the whole URL (RFC 9112, section 3.2). */
function targetOf(url: string): { path: string; params: URLSearchParams } {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  return { path: path === '' ? '/' : path, params: new URLSearchParams(at < 0 ? '' : target.slice(at, MAX_URL)) };
}

/** What the client calls this server; behind a proxy that speaks TLS, as that says. */
function originOf({ headers, socket }: IncomingMessage): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${headers.host ?? `localhost:${socket.localPort}`}`;
}
