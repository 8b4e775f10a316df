/** A timer with more milliseconds would end at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** Why a wait ended early: its time was over, or the signal aborted. */
export type Late = 'time' | 'abort';

/**
 * Waits for a promise, but no longer than a time limit and a signal allow. The work behind the promise continues, and its late result is
 * ignored.
 * @param ms milliseconds; Infinity: no limit
 * @param late returns the result if the promise is late; if it throws, this function throws the same error
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
    if (ms < Infinity) timer = setTimeout(resolve, Math.min(ms, MAX_TIMER_MS), 'time');
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
