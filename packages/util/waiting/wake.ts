import { deadline } from './deadline.js';

export function createWake() {
  let wake = (): void => {};
  return {
    /** Ends the running wait. If no wait is running, it does nothing. */
    now: (): void => wake(),
    /** Waits until `now` is called, at most `ms` milliseconds. Only one wait at a time is possible. */
    wait: (ms: number): Promise<void> =>
      deadline(new Promise<void>((resolve) => (wake = resolve)), ms, () => undefined),
  };
}
