import type { FetchOutcome } from '../../plugin-api/index.js';
import type { NetworkCode } from './network-error.js';
import { isProxyFailure } from './proxy-error.js';

/**
 * What an answer says of the host that gave it: `well`, it answers as servers do; `troubled`, it is to be left alone for
 * a while; `unknown`, nothing.
 */
export type HostHealth = 'well' | 'troubled' | 'unknown';

/** The others say something of one page (too slow, no HTTP, too many headers) or of us (aborted, an address that we refuse). */
const UNREACHABLE: ReadonlySet<string> = new Set<NetworkCode>(['dns', 'connect', 'tls', 'timeout', 'reset', 'network']);

/**
 * A host is troubled when it cannot be reached or says that it wants to be left alone: 429, 503, or any failure with a
 * `Retry-After`. Other server errors may be those of one page.
 */
export function hostHealth(outcome: FetchOutcome): HostHealth {
  const { http } = outcome;
  if (outcome.kind === 'retry') {
    if (http === undefined) return UNREACHABLE.has(outcome.code) ? 'troubled' : 'unknown';
    if (http === 429 || http === 503 || outcome.retryAfter !== undefined) return 'troubled';
  }
  if (http === undefined) return outcome.kind === 'gone' ? 'unknown' : 'well';
  return http < 500 ? 'well' : 'unknown';
}

/**
 * The same for an answer to robots.txt: whatever makes the file unavailable is trouble (RFC 9309, 2.3.1.4). A redirect
 * says nothing yet: where it leads to may be unavailable, and that has to count as the next failure in a row. Nor does
 * a proxy that fails.
 */
export function robotsHealth(outcome: FetchOutcome): HostHealth {
  if (outcome.kind === 'redirect' || isProxyFailure(outcome)) return 'unknown';
  if (outcome.kind !== 'retry') return hostHealth(outcome);
  const { http = 0 } = outcome;
  return http >= 400 && http < 500 && http !== 429 ? 'well' : 'troubled';
}
