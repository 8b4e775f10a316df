import { setMaxListeners } from 'node:events';

/** A signal that aborts some time after another signal. */
export interface GracePeriod {
  /** May have any number of listeners. */
  readonly signal: AbortSignal;
  /** Releases the other signal and the timer. */
  clear(): void;
}

/**
 * Gives running work a short time to end by itself after a signal has aborted.
 * @param ms milliseconds
 */
export function gracePeriod(stop: AbortSignal, ms: number): GracePeriod {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => controller.abort(), ms);
  };
  if (stop.aborted) begin();
  else stop.addEventListener('abort', begin, { once: true });
  return {
    signal: controller.signal,
    clear() {
      stop.removeEventListener('abort', begin);
      clearTimeout(timer);
    },
  };
}
