import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Answer } from './answer.js';

/**
 * What pages of the origins in `serve.allowedOrigins` may do: show a path in a frame, or read its response. The paths here show the same to
 * every visitor, and change nothing. Every other path keeps its policy, whatever the setting.
 */
const ALLOWED: ReadonlyMap<string, 'frame' | 'read'> = new Map([
  ['/', 'frame'],
  ['/search', 'frame'],
  ['/cached', 'frame'],
  ['/api/search', 'read'],
  ['/api/suggest', 'read'],
  ['/box.js', 'read'],
]);

const PREFLIGHT: Answer = {
  status: 200,
  type: 'text/plain; charset=utf-8',
  body: '',
  headers: { 'access-control-allow-methods': 'GET, HEAD', 'access-control-max-age': '600' },
};

/** Returns the response to a CORS preflight. Undefined: the request is none, or comes from an origin that is not allowed. */
export function preflight(
  { method, headers }: IncomingMessage,
  path: string,
  origins: readonly string[],
): Answer | undefined {
  const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
  return isPreflight && ALLOWED.get(path) === 'read' && origins.includes(headers.origin ?? '') ? PREFLIGHT : undefined;
}

/** Adds to the headers of a response what the allowed origins may do with its path. */
export function allowOrigins(
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
