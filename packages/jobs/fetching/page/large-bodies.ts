/** Limits the number of very large bodies in memory at a time. */
export type LargeBodies = ReturnType<typeof createLargeBodies>;

/** @param places maximum number of large bodies; at least 1 */
export function createLargeBodies(places: number) {
  let taken = 0;
  const waiting = new Set<() => void>();

  function release(): void {
    taken -= 1;
    // All waiters are woken. A single woken waiter might not need the place, and then the place would stay free.
    for (const wake of waiting) wake();
  }

  return {
    /** Takes a place, until `release` of the result is called. Returns undefined if no place is free. */
    take() {
      if (taken >= places) return undefined;
      taken += 1;
      return { release };
    },
    /** Waits until a place may be free, or the signal aborts. Call `take` again after that: another caller may have taken the place. */
    whenFree(signal: AbortSignal): Promise<void> {
      if (taken < places || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener('abort', wake);
      });
    },
  };
}
