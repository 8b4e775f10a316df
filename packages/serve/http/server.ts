import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { CrawlError, safeText } from '../../errors/index.js';
import type { Answer, Stream } from './answer.js';
import { problemOf, type Problem } from './errors.js';
import { readForm } from './form-body.js';
import {
  allowedOf,
  isRead,
  originOf,
  targetOf,
  wrongRequest,
  type FormRoute,
  type Request,
  type Route,
  type Target,
} from './request.js';

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
  /** Where forms are sent to, by path: by POST alone. */
  readonly forms: Readonly<Record<string, FormRoute>>;
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
 * Listens, and answers GET and HEAD, and POST where a form is sent to.
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
  { names, routes, forms, problem, onError, onAnswer }: ListenOptions,
  streams: Set<ServerResponse>,
): Promise<void> {
  const began = performance.now();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { path, params } = targetOf(request.url ?? '');
  const route = Object.hasOwn(routes, path) ? routes[path]! : undefined;
  const form = Object.hasOwn(forms, path) ? forms[path]! : undefined;
  let answer: Answer | Stream;
  try {
    const wrong = wrongRequest(request, names, { route, form });
    const { headers, socket } = request;
    const asked = { path, params, headers, origin: originOf(request), remoteAddress: socket.remoteAddress };
    answer = wrong
      ? problem({ path, params }, wrong)
      : await answerOf(request, { ...asked, signal: gone.signal }, { route, form }, problem);
  } catch (error) {
    const found = problemOf(error);
    if (found.status >= 500 && !gone.signal.aborted) onError(error);
    answer = problem({ path, params }, found);
  }
  // What else is sent is not kept.
  request.resume();
  if (response.destroyed) return;
  if ('stream' in answer) {
    streams.add(response);
    response.once('close', () => streams.delete(response));
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    answer.stream(response);
    if (request.method === 'HEAD') response.end();
  } else {
    send(request, response, answer, allowedOf({ route, form }));
  }
  onAnswer?.(route || form ? path : 'other', response.statusCode, (performance.now() - began) / 1000);
}

/** @param target of which there is what the method asks for */
async function answerOf(
  request: IncomingMessage,
  asked: Request,
  { route, form }: Target,
  problem: ListenOptions['problem'],
): Promise<Answer | Stream> {
  if (isRead(request)) {
    // Nobody sends us anything: what comes is not kept.
    request.resume();
    return route!(asked);
  }
  const fields = await readForm(request);
  return fields instanceof URLSearchParams ? form!({ ...asked, form: fields }) : problem(asked, fields);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body, headers, cache }: Answer,
  allowed: string,
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
  const isOver = status >= 400 && !isRead(request);
  response.writeHead(status, {
    ...common,
    'content-type': type,
    'content-length': bytes.length,
    ...(status === 405 && { allow: allowed }),
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
