import { pause, pauseAfter } from '../util/index.js';

/** Limits and waits for retries. */
export interface BackOff {
  /** Milliseconds before the first retry. This time doubles with each further retry. */
  readonly first: number;
  /** Maximum milliseconds of a wait. */
  readonly most: number;
  /** Maximum number of consecutive retries. */
  readonly limit: number;
}

/**
 * Returns the milliseconds to wait before a retry. Returns undefined if no retry is left.
 * @param failures number of consecutive failures, from 1 on
 */
export function waitBefore(backOff: BackOff, failures: number): number | undefined {
  return failures > backOff.limit ? undefined : pauseAfter(failures, backOff);
}

const MIN_POLL_MS = 250;

/**
 * Creates a function that waits between two polls of work in other processes. It waits a quarter of the time that the work has taken so
 * far, but at most `most` milliseconds. Therefore the end of short work is noticed soon. The wait ends at once when a signal aborts.
 */
export function createPolling(most: number): (signal?: AbortSignal) => Promise<void> {
  const began = performance.now();
  return (signal) => pause(Math.min(most, Math.max(MIN_POLL_MS, (performance.now() - began) / 4)), signal);
}
