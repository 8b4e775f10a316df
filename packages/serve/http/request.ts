import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { safeText } from '../../errors/index.js';
import type { Reply, Stream } from './reply.js';
import type { Problem } from './errors.js';
import { isOurHost } from './host-names.js';

export interface Request {
  readonly path: string;
  readonly params: URLSearchParams;
  /** The origin by which the client addresses this server, such as `http://localhost:8420`. */
  readonly origin: string;
  readonly headers: IncomingHttpHeaders;
  /** Address of the client, or of the proxy between client and server. */
  readonly remoteAddress: string | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export type Route = (request: Request) => Reply | Stream | Promise<Reply | Stream>;

export interface FormRequest extends Request {
  readonly form: URLSearchParams;
}

export type FormRoute = (request: FormRequest) => Reply | Promise<Reply>;

/** Maximum number of characters in path and query. A query has at most `MAX_QUERY_CHARACTERS`, each written as nine characters. */
const MAX_URL = 8_192;

export interface Target {
  readonly route: Route | undefined;
  readonly form: FormRoute | undefined;
}

export const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

export function allowedOf({ route, form }: Target): string {
  return [route && 'GET, HEAD', form && 'POST'].filter((each) => each !== undefined).join(', ');
}

/** Checks a request before its body is read. Undefined: the request is correct. */
export function wrongRequest(request: IncomingMessage, names: readonly string[], target: Target): Problem | undefined {
  const { method, url = '', headers } = request;
  if (!isOurHost(headers.host, names)) {
    const found = safeText(headers.host ?? '', 100);
    return {
      status: 421,
      code: 'MISDIRECTED',
      message: `this server does not accept requests for the name ${found}`,
      hint: 'to accept it, start the server with --allowed-host <name>',
    };
  }
  if (url.length > MAX_URL) {
    const message = `the URL has ${url.length} characters, more than ${MAX_URL}`;
    return { status: 414, code: 'USAGE', message, hint: 'search for less in one query' };
  }
  const { route, form } = target;
  if (!route && !form) return { status: 404, code: 'NOT_FOUND', message: 'There is no such page here.' };
  if (isRead(request) ? route : method === 'POST' && form) return undefined;
  const allowed = allowedOf(target).replace(/, (?=\w+$)/, ' or ');
  return { status: 405, code: 'USAGE', message: `${safeText(method ?? '', 20)} is not allowed here, only ${allowed}` };
}

/** Returns path and query of a request. The request line may have a complete URL (RFC 9112, section 3.2). */
export function targetOf(url: string): { path: string; params: URLSearchParams } {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  return { path: path === '' ? '/' : path, params: new URLSearchParams(at < 0 ? '' : target.slice(at, MAX_URL)) };
}

/**
 * Returns the origin by which the client addresses this server. Behind a proxy with TLS, this is the origin in the headers of the proxy.
 */
export function originOf({ headers, socket }: IncomingMessage): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${headers.host ?? `localhost:${socket.localPort}`}`;
}
