/** Wakes the one who waits; at first nobody does. */
export function createWake() {
  let wake: (() => void) | undefined;
  return {
    /** Ends the wait under way; without one it does nothing. */
    now: () => wake?.(),
    /** Waits until it is woken, and so many milliseconds at the most. One wait at a time. */
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(() => wake?.(), ms);
        wake = () => {
          clearTimeout(timer);
          wake = undefined;
          resolve();
        };
      }),
  };
}
