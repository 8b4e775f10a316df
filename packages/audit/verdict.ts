import type { ProtocolStatus } from '../core/index.js';

/** The state of a target before any rule judges it. A verdict is stored as its index here, so new verdicts must be added at the end. */
export const VERDICTS = ['ok', 'redirect', 'broken', 'failing', 'blocked', 'unchecked'] as const;
export type Verdict = (typeof VERDICTS)[number];

export const VERDICT = Object.fromEntries(VERDICTS.map((name, place) => [name, place])) as Record<Verdict, number>;

/** Statuses by which a server may refuse a crawler. They tell nothing about the page itself. */
const BLOCKED: ReadonlySet<number> = new Set([202, 401, 402, 403, 405, 406, 407, 408, 421, 425, 429, 430, 451, 999]);
/** Results that are known without a request. */
const UNASKED: ReadonlySet<string> = new Set([
  'robots_denied',
  'crawl_delay_too_long',
  'private_address',
  'bad_port',
  'unsupported_scheme',
  'host_backoff',
  'proxy_refused',
  'proxy_failed',
  'aborted',
]);

/** @param status result of the last request; undefined: there was no request */
export function verdictOf(status: Pick<ProtocolStatus, 'code' | 'http'> | undefined): Verdict {
  if (!status) return 'unchecked';
  const { code, http } = status;
  if (UNASKED.has(code)) return 'unchecked';
  if (code === 'challenge') return 'blocked';
  if (http === undefined) return code === 'success' || code === 'notmodified' ? 'ok' : 'failing';
  if (BLOCKED.has(http) || (http >= 520 && http <= 530)) return 'blocked';
  if (http >= 200 && http < 300) return 'ok';
  if (http === 304) return 'ok';
  if (http >= 300 && http < 400) return 'redirect';
  return http < 500 ? 'broken' : 'failing';
}
