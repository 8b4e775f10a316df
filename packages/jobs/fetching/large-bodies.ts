/** Bounds how many bodies that may be larger than those of other pages are in memory at a time. */
export type LargeBodies = ReturnType<typeof createLargeBodies>;

/** @param places at least 1 */
export function createLargeBodies(places: number) {
  let taken = 0;
  const waiting = new Set<() => void>();

  function release(): void {
    taken -= 1;
    // All are woken: one that is woken need not be able to go on.
    for (const wake of waiting) wake();
  }

  return {
    /** Takes a place until `release` is called, once; undefined where all are taken. */
    take() {
      if (taken >= places) return undefined;
      taken += 1;
      return { release };
    },
    /** Waits until a place may be free, or the signal aborts. Whoever waits asks anew: another may have been quicker. */
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
