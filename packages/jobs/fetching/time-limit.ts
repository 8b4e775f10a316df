import { setMaxListeners } from 'node:events';
import { CrawlError } from '../../errors/index.js';

/** The longest time of a Node timer in seconds, rounded down; a little more than 24 days. */
const MAX_SECONDS = 35_000 * 60;

/**
 * Starts the time limit of a job. The signal aborts at the limit, or never if there is no limit. The signal may have any number of
 * listeners.
 * @param maxTime the limit in seconds, from the caller of the job. Absent: `minutes` applies.
 * @param minutes the setting `fetcher.timelimitMins`; below 0: no limit
 * @throws CrawlError USAGE for a `maxTime` that is not above 0, or longer than 24 days
 */
export function startTimeLimit(
  maxTime: number | undefined,
  minutes: number,
): { readonly signal: AbortSignal; readonly clear: () => void } {
  if (maxTime !== undefined && !(maxTime > 0 && maxTime <= MAX_SECONDS)) {
    throw new CrawlError(
      'USAGE',
      `expected a time limit above 0 and of at most ${MAX_SECONDS} seconds, found ${maxTime}`,
    );
  }
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const seconds = maxTime ?? (minutes < 0 ? undefined : minutes * 60);
  if (seconds === 0) controller.abort();
  const timer = seconds ? setTimeout(() => controller.abort(), seconds * 1000) : undefined;
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
