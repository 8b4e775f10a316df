/** Milliseconds that a timer of the platform can wait; a longer one would end at once. */
export const LONGEST_TIMER = 2_147_483_647;

/** What ended a wait early: its time was over, or the signal aborted. */
export type Late = 'time' | 'abort';

/**
 * Waits for a promise, but no longer than a time and a signal allow. The promise goes on, and its late result is ignored.
 * @param ms milliseconds; Infinity: any time
 * @param late makes the answer where the promise gives none in time; what it throws is thrown
 */
export async function deadline<T>(
  promise: PromiseLike<T>,
  ms: number,
  late: (why: Late) => T | PromiseLike<T>,
  signal?: AbortSignal,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let abort = (): void => {};
  const ended = new Promise<Late>((resolve) => {
    abort = () => resolve('abort');
    if (ms < Infinity) timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER), 'time');
  });
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([promise, ended.then(late)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
