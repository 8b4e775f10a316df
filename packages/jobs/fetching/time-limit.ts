import { setMaxListeners } from 'node:events';
import { CrawlError } from '../../errors/index.js';

/** Seconds that a timer of Node can count, rounded down: 24 days and a bit. */
const MOST_SECONDS = 35_000 * 60;

/**
 * Starts the time that a job may take. The signal aborts when it is over, never where there is no limit; any number may listen.
 * @param maxTime seconds, as the caller of the job says; absent: `minutes` holds
 * @param minutes `fetcher.timelimitMins`; below 0 is no limit
 * @throws CrawlError USAGE for a `maxTime` that is not above 0, or longer than 24 days
 */
export function startTimeLimit(
  maxTime: number | undefined,
  minutes: number,
): { readonly signal: AbortSignal; readonly clear: () => void } {
  if (maxTime !== undefined && !(maxTime > 0 && maxTime <= MOST_SECONDS)) {
    throw new CrawlError(
      'USAGE',
      `expected a time limit above 0 and of at most ${MOST_SECONDS} seconds, found ${maxTime}`,
    );
  }
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const seconds = maxTime ?? (minutes < 0 ? undefined : minutes * 60);
  if (seconds === 0) controller.abort();
  const timer = seconds ? setTimeout(() => controller.abort(), seconds * 1000) : undefined;
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
