/** The clocks and timers of leases, so that a simulation can run them by its own. */
export interface LeaseTiming {
  /** Milliseconds by a clock that is never set back. */
  monotonic(): number;
  /** Milliseconds since the epoch, by a clock that may be set. */
  wall(): number;
  /** Calls back after so many milliseconds; in the background that keeps no process alive. @returns what takes it back */
  after(ms: number, callback: () => void, isInBackground?: boolean): () => void;
}

/** Those of the process. */
export const SYSTEM_TIMING: LeaseTiming = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(ms, callback, isInBackground = false) {
    const timer = setTimeout(callback, ms);
    if (isInBackground) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Without a renewal for so long by the clock of who waits for it, in ms, a holder is taken for dead. */
export const LEASE_MS = 30_000;
/** Without a renewal for so long by its own clock, in ms, a holder does not go on. Much below {@link LEASE_MS}, for clocks of other speed. */
export const HELD_MS = 20_000;
/** Milliseconds between two renewals. */
export const RENEW_MS = 10_000;
/** Milliseconds until a renewal that failed is tried again, and until one who waits looks again. */
export const AGAIN_MS = 2_000;

/** Waits so many milliseconds. @throws the reason of the signal */
export async function sleep(timing: LeaseTiming, ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const cancel = timing.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      cancel();
      reject(signal!.reason as Error);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
