import { CrawlError, messageOf } from '../errors/index.js';
import type { JobFailure, RunningJobs } from '../jobs/index.js';

/** Milliseconds after which what failed is tried again: twice as long after each failure. */
const FIRST = 1000;
const LONGEST = 60_000;

/** When a job may run that is tried again after it failed. */
export interface Retry {
  /** Whether it may run now. */
  readonly isDue: boolean;
  /** Reports the failure; for a while it is not due. */
  failed(error: unknown): void;
  /** Takes back what was reported. */
  succeeded(): void;
}

/** Where failures are reported. */
export interface RetryContext {
  readonly running: Pick<RunningJobs, 'setFailing'>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Called for each failure. */
  readonly onFailing?: ((failure: JobFailure) => void) | undefined;
}

/**
 * Lets a job be tried again with growing pauses.
 * @param now milliseconds that are never set back
 */
export function createRetry(
  job: string,
  { running, clock, onFailing }: RetryContext,
  now: () => number = () => performance.now(),
): Retry {
  let last: JobFailure | undefined;
  let notBefore = -Infinity;
  return {
    get isDue() {
      return now() >= notBefore;
    },
    failed(error) {
      const times = (last?.times ?? 0) + 1;
      const pause = Math.min(FIRST * 2 ** (times - 1), LONGEST);
      const at = clock();
      const { code, hint } = error instanceof CrawlError ? error : { code: 'INTERNAL' as const, hint: undefined };
      notBefore = now() + pause;
      last = {
        job,
        code,
        message: messageOf(error),
        ...(hint !== undefined && { hint }),
        times,
        since: last?.since ?? at,
        retryAt: at + pause,
      };
      running.setFailing(job, last);
      onFailing?.(last);
    },
    succeeded() {
      if (!last) return;
      last = undefined;
      running.setFailing(job, undefined);
    },
  };
}
