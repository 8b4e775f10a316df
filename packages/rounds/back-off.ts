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
