import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  type OutgoingHttpHeaders,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { CrawlError, safeText } from '../../errors/index.js';
import type { Reply, Stream } from './reply.js';
import { problemOf, type Problem } from './errors.js';
import { createUnsent, type Unsent } from './unsent.js';
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
import { createSerialiser, guardSockets, HEAD_MS, MAX_HEAD_BYTES, type RefusalReason } from './socket-guard.js';

interface ListenOptions {
  /** The port to listen on. 0: any free port. */
  readonly port: number;
  readonly address: string;
  /** Host names that the server accepts, in addition to addresses and `localhost`. */
  readonly names: readonly string[];
  readonly routes: Readonly<Record<string, Route>>;
  /** Handlers of forms by path, for POST only. */
  readonly forms: Readonly<Record<string, FormRoute>>;
  readonly problem: (
    request: Pick<Request, 'path' | 'params' | 'headers' | 'remoteAddress'>,
    problem: Problem,
  ) => Reply;
  /** Called with errors of routes that are not caused by the request. */
  readonly onError: (error: unknown) => void;
  readonly onResponse?: (route: string, status: number, seconds: number) => void;
  readonly trustedProxies: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly onRefused: (reason: RefusalReason) => void;
}

export const MAX_QUERY_CHARACTERS = 800;
const KEEP_ALIVE_MS = 5_000;
/** Milliseconds that running requests have to end when the server is closed. */
const GRACE_MS = 2_000;

/**
 * Headers of every response, which {@link allowOrigins} may relax. With these headers, browsers load no resources of other sites. Browsers
 * also show no page inside a frame, and send no referrer to link targets.
 */
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
 * Listens for requests. Responds to GET and HEAD, and also POST for paths with a form.
 * @throws CrawlError CANNOT_LISTEN
 */
export async function listen(options: ListenOptions) {
  const streams = new Set<ServerResponse>();
  const unsent = createUnsent();
  const serialised = createSerialiser();
  const server = createServer(
    {
      maxHeaderSize: MAX_HEAD_BYTES,
      headersTimeout: HEAD_MS,
      requestTimeout: HEAD_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: HEAD_MS / 4,
    },
    (request, response) =>
      void serialised(request.socket, response, () => respondTo(request, response, options, { streams, unsent })).catch(
        (error: unknown) => {
          options.onError(error);
          response.destroy();
        },
      ),
  );
  guardSockets(server, options);
  await begin(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    /** Accepts no more requests, and ends running requests after `GRACE_MS` at the latest. */
    async close(): Promise<void> {
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
      // A connection that cannot be accepted, for example because too many files are open, must not end the process.
      server.on('error', () => undefined);
      resolve();
    });
  });
}

function cannotListen(error: NodeJS.ErrnoException, port: number, address: string): CrawlError {
  const failed = `cannot listen on port ${port} of ${safeText(address)}`;
  const [found, hint] = {
    EADDRINUSE: [
      'the port is in use',
      'another program, or another webcrawl serve, listens there: name another --port, or 0 for any that is free',
    ],
    EACCES: [
      'this is not allowed',
      'ports below 1024 are for root: name a higher --port, and put a reverse proxy before it',
    ],
    EADDRNOTAVAIL: ['this machine does not have the address', '--listen takes one of its own, or 0.0.0.0 for all'],
  }[error.code ?? ''] ?? [error.message, '--listen takes an address of this machine'];
  return new CrawlError('CANNOT_LISTEN', `${failed}: ${found}`, { hint: hint!, cause: error });
}

async function respondTo(
  request: IncomingMessage,
  response: ServerResponse,
  { names, routes, forms, problem, onError, onResponse, allowedOrigins }: ListenOptions,
  { streams, unsent }: { readonly streams: Set<ServerResponse>; readonly unsent: Unsent },
): Promise<void> {
  const began = performance.now();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { path, params } = targetOf(request.url ?? '');
  const route = Object.hasOwn(routes, path) ? routes[path]! : undefined;
  const form = Object.hasOwn(forms, path) ? forms[path]! : undefined;
  let reply: Reply | Stream;
  const { headers, socket } = request;
  const asked = { path, params, headers, origin: originOf(request), remoteAddress: socket.remoteAddress };
  try {
    const wrong = wrongRequest(request, names, { route, form });
    reply = wrong
      ? problem(asked, wrong)
      : await replyOf(request, { ...asked, signal: gone.signal }, { route, form }, problem);
  } catch (error) {
    const found = problemOf(error);
    if (found.status >= 500 && !gone.signal.aborted) onError(error);
    reply = problem(asked, found);
  }
  // Discards the rest of the request.
  request.resume();
  if (response.destroyed) return;
  if ('stream' in reply) {
    streams.add(response);
    response.once('close', () => streams.delete(response));
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    // Without this header nginx keeps events back until they fill its buffer.
    response.setHeader('x-accel-buffering', 'no');
    reply.stream(response);
    if (request.method === 'HEAD') response.end();
  } else {
    const given = { ...HEADERS, ...reply.headers };
    const opened = allowOrigins(given, { path, origin: headers.origin, origins: allowedOrigins });
    unsent.add(response, send(request, response, { ...reply, headers: opened }, allowedOf({ route, form })));
  }
  onResponse?.(route || form ? path : 'other', response.statusCode, (performance.now() - began) / 1000);
}

/** @param target must have a handler for the method of the request */
async function replyOf(
  request: IncomingMessage,
  asked: Request,
  { route, form }: Target,
  problem: ListenOptions['problem'],
): Promise<Reply | Stream> {
  if (isRead(request)) {
    // A GET has no body, so any data is discarded.
    request.resume();
    return route!(asked);
  }
  const fields = await readForm(request);
  return fields instanceof URLSearchParams ? form!({ ...asked, form: fields }) : problem(asked, fields);
}

/** @returns the number of bytes of the body */
function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type, body, headers, cache }: Reply,
  allowed: string,
): number {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const caching = {
    'cache-control':
      cache === 'day' ? 'public, max-age=86400' : cache === 'revalidate' ? 'private, no-cache' : 'no-store',
    ...(cache && { etag }),
  };
  const common = { ...caching, ...headers };
  if (status === 200 && cache && isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304, common).end();
    return 0;
  }
  const isOver = status >= 400 && !isRead(request);
  response.writeHead(status, {
    ...common,
    'content-type': type,
    'content-length': bytes.length,
    ...(status === 405 && { allow: allowed }),
    // Closes the connection, so that the rest of this request is not read as another request.
    ...(isOver && { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
  return bytes.length;
}

/** Whether the client already has the present version, by weak comparison (RFC 9110, section 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => [etag, '*'].includes(each.trim().replace(/^W\//, '')));
}

const MAX_FORM = 16 * 1024;

const TYPE = 'application/x-www-form-urlencoded';

async function readForm(request: IncomingMessage): Promise<URLSearchParams | Problem> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== TYPE) {
    return { status: 415, code: 'USAGE', message: `expected a form as ${TYPE}` };
  }
  const chunks: Buffer[] = [];
  let size = 0;
  // By default, leaving the loop early would close the connection, and the client would not get the response.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FORM) return { status: 413, code: 'USAGE', message: `expected a form of at most ${MAX_FORM} bytes` };
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

/**
 * What pages of the origins in `serve.allowedOrigins` may do: show a path in a frame, or read its response. The paths here show the same to
 * every visitor, and change nothing. Every other path keeps its policy, whatever the setting. No CORS preflight succeeds: a search is a
 * simple request, which needs none.
 */
const ALLOWED: ReadonlyMap<string, 'frame' | 'read'> = new Map([
  ['/', 'frame'],
  ['/search', 'frame'],
  ['/cached', 'frame'],
  ['/api/search', 'read'],
  ['/api/suggest', 'read'],
  ['/box.js', 'read'],
]);

/** Adds to the headers of a response what the allowed origins may do with its path. */
function allowOrigins(
  headers: OutgoingHttpHeaders,
  { path, origin = '', origins }: { path: string; origin: string | undefined; origins: readonly string[] },
): OutgoingHttpHeaders {
  const allowed = origins.length === 0 ? undefined : ALLOWED.get(path);
  if (allowed === undefined) return headers;
  if (allowed === 'frame') {
    const policy = String(headers['content-security-policy']);
    const ancestors = `frame-ancestors 'self' ${origins.join(' ')}`;
    return { ...headers, 'content-security-policy': policy.replace("frame-ancestors 'none'", ancestors) };
  }
  return {
    ...headers,
    'cross-origin-resource-policy': 'cross-origin',
    vary: headers['vary'] === undefined ? 'origin' : `${String(headers['vary'])}, origin`,
    ...(origins.includes(origin) && { 'access-control-allow-origin': origin }),
  };
}
