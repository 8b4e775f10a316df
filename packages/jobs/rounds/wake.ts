import { deadline } from '../../util/index.js';

/** Wakes the one who waits. */
export interface Wake {
  /** Ends the wait under way; without one it does nothing. */
  now(): void;
  /** Waits until it is woken, and so many milliseconds at the most. One wait at a time. */
  wait(ms: number): Promise<void>;
}

/** Makes one that nobody waits for. */
export function createWake(): Wake {
  let wake = (): void => {};
  return {
    now: () => wake(),
    wait: (ms) => deadline(new Promise<void>((resolve) => (wake = resolve)), ms, () => undefined),
  };
}
