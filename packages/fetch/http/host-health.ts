import type { FetchOutcome } from '../../plugin-api/index.js';
import type { NetworkCode } from './network-error.js';
import { isProxyFailure } from './proxy-error.js';

/**
 * What an answer shows about its host. `well`: the host answers normally. `troubled`: the host needs a back-off. `unknown`: the answer
 * shows nothing about the host.
 */
export type HostHealth = 'well' | 'troubled' | 'unknown';

/**
 * Codes that mean that the host cannot be reached. Other codes are about one page (too slow, no HTTP, too many headers), or about the
 * crawler (aborted, refused address).
 */
const UNREACHABLE: ReadonlySet<string> = new Set<NetworkCode>([
  'dns_failed',
  'connect_failed',
  'tls_failed',
  'timeout',
  'connection_reset',
  'network_error',
]);

/**
 * Returns what an outcome shows about its host. The host is troubled if it cannot be reached, or if it requests a pause by 429, by 503, or
 * by a `Retry-After` with any failure. Other server errors may be about one page only.
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
 * Returns what the outcome of a request for robots.txt shows about its host. The host is troubled if the file is unavailable for any reason
 * (RFC 9309, 2.3.1.4). A redirect shows nothing yet, because the target of the redirect is requested next. A failure of the proxy shows
 * nothing either.
 */
export function robotsHealth(outcome: FetchOutcome): HostHealth {
  if (outcome.kind === 'redirect' || isProxyFailure(outcome)) return 'unknown';
  if (outcome.kind !== 'retry') return hostHealth(outcome);
  const { http = 0 } = outcome;
  return http >= 400 && http < 500 && http !== 429 ? 'well' : 'troubled';
}
