import { describe, expect, it } from 'vitest';
import { hostHealth, robotsHealth } from '../../../packages/fetch/index.js';
import type { FetchOutcome } from '../../../packages/plugin-api/index.js';

const retry = (code: string, http?: number, retryAfter?: number): FetchOutcome => ({
  kind: 'retry',
  code,
  ...(http !== undefined && { http }),
  ...(retryAfter !== undefined && { retryAfter }),
});
const moved: FetchOutcome = { kind: 'redirect', code: 'moved', http: 301, permanent: true, target: null };
const content: FetchOutcome = {
  kind: 'content',
  code: 'success',
  body: new Uint8Array(),
  truncated: false,
  contentType: '',
};

describe('the health of a host', () => {
  it.each([
    ['well', content],
    ['well', moved],
    ['well', { kind: 'notmodified', code: 'notmodified', http: 304 }],
    ['well', { kind: 'gone', code: 'not_found', http: 404 }],
    ['well', retry('forbidden', 403)],
    ['well', retry('unsupported_coding', 200)],
    ['troubled', retry('throttled', 429)],
    ['troubled', retry('unavailable', 503, 1)],
    ['troubled', retry('forbidden', 403, 60)],
    ['troubled', retry('http_error', 500, 0)],
    ['unknown', retry('http_error', 500)],
    ['unknown', retry('http_error', 502)],
    ['unknown', { kind: 'gone', code: 'private_address' }],
    ...['dns_failed', 'connect_failed', 'tls_failed', 'timeout', 'connection_reset', 'network_error'].map(
      (code) => ['troubled', retry(code)] as const,
    ),
    ...['too_slow', 'invalid_response', 'headers_too_large', 'aborted', 'plugin_error_x'].map(
      (code) => ['unknown', retry(code)] as const,
    ),
  ] as const)('is %s after %j', (health, outcome) => {
    expect(hostHealth(outcome)).toBe(health);
  });

  it.each([
    ['well', content],
    ['unknown', moved],
    ['well', { kind: 'gone', code: 'not_found', http: 404 }],
    ['well', retry('forbidden', 403)],
    ['well', retry('forbidden', 403, 60)],
    ['unknown', { kind: 'gone', code: 'private_address' }],
    ['troubled', retry('throttled', 429)],
    ['troubled', retry('http_error', 500)],
    ['troubled', retry('too_slow')],
    ['troubled', retry('unsupported_coding', 200)],
    ['troubled', retry('plugin_error_x')],
  ] as const)('is %s after %j for robots.txt', (health, outcome) => {
    expect(robotsHealth(outcome)).toBe(health);
  });
});
