import { LONGEST_TIMER } from '../../util/index.js';

/** The timers of the platform, or those of a test. */
export interface Timers {
  setTimeout(callback: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** One timer that can be set anew; it holds at most one timer of the platform. */
export interface WakeTimer {
  /** Wakes at a time of the clock, perhaps earlier, never twice for one call; undefined: not at all. */
  wakeAt(time: number | undefined): void;
}

const platformTimers: Timers = {
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Makes a timer that is not set. */
export function createWakeTimer(wake: () => void, clock: () => number, timers: Timers = platformTimers): WakeTimer {
  let current: { readonly handle: unknown; readonly time: number } | undefined;
  const onTime = (): void => {
    current = undefined;
    wake();
  };
  return {
    wakeAt(time) {
      if (current?.time === time) return;
      if (current) timers.clearTimeout(current.handle);
      current = undefined;
      if (time === undefined) return;
      const wait = Math.min(Math.max(0, Math.ceil(time - clock())), LONGEST_TIMER);
      current = { time, handle: timers.setTimeout(onTime, wait) };
    },
  };
}
