import type { OutgoingHttpHeaders } from 'node:http';

/**
 * What pages of the origins in `serve.allowedOrigins` may do: show a path in a frame, or read its response. The paths here show the same to
 * every visitor, and change nothing. Every other path keeps its policy, whatever the setting. No CORS preflight succeeds: a search is a simple
 * request, which needs none.
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
