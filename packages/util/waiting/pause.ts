import { deadline } from './deadline.js';

/** The first and the longest wait between retries, in the same unit. */
export interface Pauses {
  readonly first: number;
  readonly most: number;
}

/** Returns the wait after successive failures: the first wait, doubled with each later failure, up to the maximum. */
export function pauseAfter(failures: number, { first, most }: Pauses): number {
  return Math.min(first * 2 ** Math.min(failures - 1, 60), most);
}

/** Returns a random time from half of a wait to the whole wait, so that callers which failed together do not retry together. */
export function spread(wait: number): number {
  return wait * (0.5 + Math.random() / 2);
}

/** Waits for some milliseconds, or until the signal aborts. It never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return deadline(new Promise<void>(() => {}), ms, () => undefined, signal);
}
