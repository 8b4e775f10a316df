import { deadline } from '../../util/index.js';

/** Wakes the one who waits; at first nobody does. */
export function createWake() {
  let wake = (): void => {};
  return {
    /** Ends the wait under way; without one it does nothing. */
    now: (): void => wake(),
    /** Waits until it is woken, and so many milliseconds at the most. One wait at a time. */
    wait: (ms: number): Promise<void> =>
      deadline(new Promise<void>((resolve) => (wake = resolve)), ms, () => undefined),
  };
}
