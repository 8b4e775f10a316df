import type { ProtocolCode } from '../../plugin-api/index.js';

/** What an HTTP status means for a page, before other parts of the answer are read. */
type StatusVerdict =
  | { readonly kind: 'content' | 'notmodified' | 'gone' | 'retry'; readonly code: ProtocolCode }
  | { readonly kind: 'redirect'; readonly code: ProtocolCode; readonly permanent: boolean };

const TEMPORARY_REDIRECTS: ReadonlySet<number> = new Set([302, 303, 307]);

const VERDICTS: ReadonlyMap<number, StatusVerdict> = new Map<number, StatusVerdict>([
  [400, { kind: 'gone', code: 'gone' }],
  [401, { kind: 'gone', code: 'unauthorized' }],
  [403, { kind: 'retry', code: 'forbidden' }],
  [404, { kind: 'gone', code: 'not_found' }],
  [410, { kind: 'gone', code: 'gone' }],
  [429, { kind: 'retry', code: 'throttled' }],
  [503, { kind: 'retry', code: 'unavailable' }],
]);

/**
 * Returns what an HTTP status means. Every 2xx is content. A 300 without a preferred choice is content too (RFC 9110, section 15.4.1). A
 * 403 is retried, because servers use it to reject crawlers for some time. A 305 is a failure, because it names a proxy and not another URL
 * of the page (section 15.4.6).
 * @param conditional whether the request had `If-Modified-Since` or `If-None-Match`. If it had neither, a 304 is not a valid answer.
 * @param hasLocation whether the answer has a `Location`
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
