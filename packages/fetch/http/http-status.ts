import type { ProtocolCode } from '../../plugin-api/index.js';

/** What an HTTP status means for the page, before anything else of the answer is looked at. */
export type StatusVerdict =
  | { readonly kind: 'content' | 'notmodified' | 'gone' | 'retry'; readonly code: ProtocolCode }
  | { readonly kind: 'redirect'; readonly code: ProtocolCode; readonly permanent: boolean };

const TEMPORARY_REDIRECTS: ReadonlySet<number> = new Set([302, 303, 307]);

const VERDICTS: ReadonlyMap<number, StatusVerdict> = new Map<number, StatusVerdict>([
  [400, { kind: 'gone', code: 'gone' }],
  [401, { kind: 'gone', code: 'access_denied' }],
  [403, { kind: 'retry', code: 'forbidden' }],
  [404, { kind: 'gone', code: 'not_found' }],
  [410, { kind: 'gone', code: 'gone' }],
  [429, { kind: 'retry', code: 'throttled' }],
  [503, { kind: 'retry', code: 'unavailable' }],
]);

/**
 * Every 2xx is content, and so is a 300 that names no choice of its own (RFC 9110, section 15.4.1). A 403 is tried again,
 * because servers use it to turn crawlers away for a while. A 305 names a proxy and no other place of the page (section
 * 15.4.6), so it is a failure.
 * @param conditional the request carried `If-Modified-Since` or `If-None-Match`; otherwise a 304 is no answer to it
 * @param hasLocation the answer has a `Location`
 */
export function statusVerdict(status: number, conditional: boolean, hasLocation: boolean): StatusVerdict {
  const verdict = VERDICTS.get(status);
  if (verdict) return verdict;
  if ((status >= 200 && status < 300) || (status === 300 && !hasLocation)) return { kind: 'content', code: 'success' };
  if (status === 304) {
    return conditional ? { kind: 'notmodified', code: 'notmodified' } : { kind: 'retry', code: 'http_error' };
  }
  if (status >= 300 && status < 400 && status !== 305) {
    const permanent = !TEMPORARY_REDIRECTS.has(status);
    return { kind: 'redirect', code: permanent ? 'moved' : 'temp_moved', permanent };
  }
  return { kind: 'retry', code: 'http_error' };
}
