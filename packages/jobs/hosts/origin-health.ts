import type { Failure } from './host-backoff.js';

/** Maximum number of remembered origins per host. The least recently used origins are removed first. */
const MAX_ORIGINS = 64;

interface Health {
  /** Number of failed connections in a row. */
  failures: number;
  failedAt: number;
  answeredAt: number;
  last: Failure | undefined;
}

/** Whether the origins of one host (scheme, host and port) have answered in this run. */
export type OriginHealth = ReturnType<typeof createOriginHealth>;

/** Creates an empty record for one host. All times are read from the same clock, which is never set back. */
export function createOriginHealth() {
  const origins = new Map<string, Health>();

  function healthOf(origin: string): Health {
    const health = origins.get(origin) ?? { failures: 0, failedAt: -Infinity, answeredAt: -Infinity, last: undefined };
    origins.delete(origin);
    origins.set(origin, health);
    if (origins.size > MAX_ORIGINS) origins.delete(origins.keys().next().value!);
    return health;
  }

  return {
    /**
     * Records an answer of any status, because every answer shows that the origin can be reached.
     * @param isRedirect whether a robots.txt redirects; the failures stay, because its target may fail again
     */
    answered(origin: string, now: number, isRedirect: boolean): void {
      Object.assign(healthOf(origin), { answeredAt: now, ...(!isRedirect && { failures: 0, last: undefined }) });
    },
    /**
     * Records a failed connection. Failures of requests that ran at the same time count as one failure.
     * @param began when the request was sent
     */
    failed(origin: string, failure: Failure, began: number, now: number): void {
      const health = healthOf(origin);
      if (began < health.failedAt) return;
      health.failures += 1;
      health.failedAt = now;
      health.last = failure;
    },
    /** Returns the number of consecutive failures of an origin, and the last failure. Returns undefined if the origin has no failure. */
    failureOf(origin: string): { readonly failures: number; readonly last: Failure } | undefined {
      const { failures = 0, last } = origins.get(origin) ?? {};
      return last && { failures, last };
    },
    /** Whether another origin of the host has answered after this origin last answered. If so, only this origin is unreachable. */
    isOtherOriginWell(origin: string): boolean {
      const own = origins.get(origin)?.answeredAt ?? -Infinity;
      for (const [other, { answeredAt }] of origins) if (other !== origin && answeredAt > own) return true;
      return false;
    },
  };
}
