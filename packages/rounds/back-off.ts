import { setTimeout as sleep } from 'node:timers/promises';

/** How often, and after which waits, something that failed is tried again. */
export interface BackOff {
  /** Milliseconds before the first time; doubled with each further one. */
  readonly first: number;
  /** Milliseconds that no wait exceeds. */
  readonly most: number;
  /** How often in a row. */
  readonly limit: number;
}

/** Milliseconds before a try; undefined where there is none left. @param failures in a row, from 1 on */
export function waitBefore({ first, most, limit }: BackOff, failures: number): number | undefined {
  return failures > limit ? undefined : Math.min(most, first * 2 ** (failures - 1));
}

/** Waits, or until the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Milliseconds until the second look at work that others do. */
const FIRST_LOOK = 250;

/**
 * Waits between two looks at work that others do: a quarter of the time that it takes already, since much of it ends soon, and
 * at most so many milliseconds. It ends at once when a signal aborts.
 */
export function createLooks(most: number): (signal?: AbortSignal) => Promise<void> {
  const began = performance.now();
  return (signal = new AbortController().signal) =>
    pause(Math.min(most, Math.max(FIRST_LOOK, (performance.now() - began) / 4)), signal);
}
