import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { safeText } from '../../errors/index.js';
import type { Answer, Stream } from './answer.js';
import type { Problem } from './errors.js';
import { isOurHost } from './host-names.js';

/** One request, as a route sees it. */
export interface Request {
  /** Begins with `/`. */
  readonly path: string;
  readonly params: URLSearchParams;
  /** `http://localhost:8420`: what the client calls this server. */
  readonly origin: string;
  readonly headers: IncomingHttpHeaders;
  /** Of who asks, or of the proxy through which he does. */
  readonly remoteAddress: string | undefined;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** What is at a path. */
export type Route = (request: Request) => Answer | Stream | Promise<Answer | Stream>;

/** A form that was sent. */
export interface FormRequest extends Request {
  /** Its fields. */
  readonly form: URLSearchParams;
}

/** What is done with a form that is sent to a path. */
export type FormRoute = (request: FormRequest) => Answer | Promise<Answer>;

/** Characters of a request's path and query: a query of `MAX_TYPED` characters fits in, each of which may take nine. */
export const MAX_URL = 8_192;

/** What is at a path, for each way of asking. */
export interface Target {
  readonly route: Route | undefined;
  readonly form: FormRoute | undefined;
}

/** Whether a request changes nothing. */
export const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';

/** The methods that a path answers. */
export function allowedOf({ route, form }: Target): string {
  return [route && 'GET, HEAD', form && 'POST'].filter((each) => each !== undefined).join(', ');
}

/** What is wrong with a request, before its body is read. */
export function wrongRequest(request: IncomingMessage, names: readonly string[], target: Target): Problem | undefined {
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
  const { route, form } = target;
  if (!route && !form) return { status: 404, code: 'NOT_FOUND', message: 'There is no such page here.' };
  if (isRead(request) ? route : method === 'POST' && form) return undefined;
  const expected = allowedOf(target).replace(/, (?=\w+$)/, ' or ');
  return { status: 405, code: 'USAGE', message: `expected ${expected}, found ${safeText(method ?? '', 20)}` };
}

/** The path and the query of a request, which may name the whole URL (RFC 9112, section 3.2). */
export function targetOf(url: string): { path: string; params: URLSearchParams } {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  return { path: path === '' ? '/' : path, params: new URLSearchParams(at < 0 ? '' : target.slice(at, MAX_URL)) };
}

/** What the client calls this server; behind a proxy that speaks TLS, as that says. */
export function originOf({ headers, socket }: IncomingMessage): string {
  const scheme = headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  return `${scheme}://${headers.host ?? `localhost:${socket.localPort}`}`;
}
