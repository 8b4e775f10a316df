import type { FetchOutcome } from '../../../plugin-api/index.js';
import type { ProtocolStatus, Status } from '../../../../webtable/index.js';
import type { FetchItem } from '../fetch-item.js';

/** Headers that are not stored. Cookies identify a visitor to a server, so they may be secret, and a page does not need them. */
const NOT_STORED: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

export function storedHeaders(headers: FetchOutcome['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(isStored));
}

const isStored = ([name]: [string, string]): boolean => !NOT_STORED.has(name.toLowerCase());

export function statusOf(outcome: FetchOutcome): Status {
  switch (outcome.kind) {
    case 'content':
      return 'fetched';
    case 'redirect':
      return outcome.permanent ? 'redir_perm' : 'redir_temp';
    default:
      return outcome.kind;
  }
}

/**
 * Returns the field `protocolStatus` for the outcome of a fetch.
 * @param contentLimit maximum bytes of the body that the request allowed
 */
export function protocolStatusOf(outcome: FetchOutcome, item: FetchItem, contentLimit: number): ProtocolStatus {
  const { code, http, message } = outcome;
  // Only the date and tag of a stored body are stored. With those of an incomplete body, the server would answer "not modified" to every later
  // request.
  const isWhole = outcome.kind === 'content' && !isPart(contentLimit, outcome);
  const headers = isWhole || outcome.kind === 'notmodified' ? outcome.headers : undefined;
  const lastModified = Date.parse(headers?.['last-modified'] ?? '');
  const etag = headers?.etag;
  // A 304 answer may lack these headers (RFC 9110, section 15.4.5).
  const before = outcome.kind === 'notmodified' ? item.protocolStatus : undefined;
  return {
    ...(before?.lastModified !== undefined && { lastModified: before.lastModified }),
    ...(before?.etag !== undefined && { etag: before.etag }),
    code,
    ...(http !== undefined && { http }),
    ...(message !== undefined && { message: message.slice(0, 500) }),
    ...(lastModified > 0 && { lastModified }),
    ...(etag !== undefined && etag.length <= 1000 && { etag }),
    ...(outcome.kind === 'content' && outcome.truncated && { truncated: true }),
  };
}

/** Whether a part of the body is missing for another reason than the requested limit. */
function isPart(contentLimit: number, outcome: FetchOutcome): boolean {
  return outcome.kind === 'content' && outcome.truncated && !isCutAt(contentLimit, outcome);
}

/** Whether the body was cut at the requested limit. */
export function isCutAt(contentLimit: number, outcome: FetchOutcome): boolean {
  return outcome.kind === 'content' && outcome.truncated && contentLimit >= 0 && outcome.body.length >= contentLimit;
}
