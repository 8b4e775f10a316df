import { CrawlError, messageOf } from '../errors/index.js';
import type { JobFailure, RunningJobs } from '../jobs/index.js';
import { pauseAfter } from '../util/index.js';

/** Milliseconds until a failed job is retried. */
const PAUSES = { first: 1000, most: 60_000 };

export type Retry = ReturnType<typeof createRetry>;

interface RetryContext {
  readonly running: Pick<RunningJobs, 'setFailing'>;
  readonly clock: () => number;
  readonly onFailing?: ((failure: JobFailure) => void) | undefined;
}

/**
 * Makes the retries of a job, with growing pauses.
 * @param now milliseconds that are never set back
 */
export function createRetry(
  job: string,
  { running, clock, onFailing }: RetryContext,
  now: () => number = () => performance.now(),
) {
  let last: JobFailure | undefined;
  let notBefore = -Infinity;
  return {
    get isDue(): boolean {
      return now() >= notBefore;
    },
    /** Reports the failure. The job is not due again for a while. */
    failed(error: unknown): void {
      const times = (last?.times ?? 0) + 1;
      const pause = pauseAfter(times, PAUSES);
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
    /** Withdraws the reported failure. */
    succeeded(): void {
      if (!last) return;
      last = undefined;
      running.setFailing(job, undefined);
    },
  };
}
