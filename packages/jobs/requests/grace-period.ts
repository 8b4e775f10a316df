import { setMaxListeners } from 'node:events';
import type { FetchOutcome } from '../../plugin-api/index.js';

/** How long requests in flight may go on when a run is to stop, in ms. */
export const GRACE_PERIOD = 2000;

/** A signal that follows another. */
export interface GracePeriod {
  /** Aborts {@link GRACE_PERIOD} after the other did. Any number may listen. */
  readonly signal: AbortSignal;
  /** Releases the other signal and the timer. */
  clear(): void;
}

/** Gives what is in flight a short while to end by itself, once a signal has aborted. */
export function gracePeriod(stop: AbortSignal): GracePeriod {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => controller.abort(), GRACE_PERIOD);
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

/** Whether a request was ended because the run is to stop; it is as if it had not been made. */
export function isGivenUp({ code }: Pick<FetchOutcome, 'code'>, giveUp: AbortSignal): boolean {
  return giveUp.aborted && code === 'aborted';
}
