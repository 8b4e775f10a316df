import { deadline } from '../../../util/index.js';

/** Limits the number of very large bodies in memory at a time. */
export type LargeBodies = ReturnType<typeof createLargeBodies>;

/** @param places maximum number of large bodies; at least 1 */
export function createLargeBodies(places: number) {
  let taken = 0;
  const waiting: (() => void)[] = [];

  function release(): void {
    taken -= 1;
    // All waiters are woken. A single woken waiter might not need the place, and then the place would stay free.
    for (const wake of waiting.splice(0)) wake();
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
      if (taken < places) return Promise.resolve();
      return deadline(new Promise<void>((resolve) => waiting.push(resolve)), Infinity, () => undefined, signal);
    },
  };
}
