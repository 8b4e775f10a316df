import { MAX_TIMER_MS } from '../../util/index.js';

/** The timers of the platform, or replacements in a test. */
export interface Timers {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

const platformTimers: Timers = {
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Makes a timer that can be set again and again. It uses at most one timer of the platform. */
export function createWakeTimer(wake: () => void, clock: () => number, timers: Timers = platformTimers) {
  let current: { readonly handle: unknown; readonly time: number } | undefined;
  const onTime = (): void => {
    current = undefined;
    wake();
  };
  return {
    /**
     * Sets the time of the clock at which the timer wakes; undefined: it does not wake. It wakes once for each call. If the time is far away,
     * it may wake earlier.
     */
    wakeAt(time: number | undefined): void {
      if (current?.time === time) return;
      if (current) timers.clearTimeout(current.handle);
      current = undefined;
      if (time === undefined) return;
      const wait = Math.min(Math.max(0, Math.ceil(time - clock())), MAX_TIMER_MS);
      current = { time, handle: timers.setTimeout(onTime, wait) };
    },
  };
}
