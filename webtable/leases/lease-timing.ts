import { deadline } from '../../packages/util/index.js';

/** The clocks and timers of leases. A simulation can replace them. */
export interface LeaseTiming {
  /** The time of a monotonic clock, in milliseconds. */
  monotonic(): number;
  /** Milliseconds since the epoch. This clock can be set back. */
  wall(): number;
  /**
   * Calls `callback` after `ms` milliseconds. A timer in the background does not keep the process alive.
   * @returns a function that cancels the timer
   */
  after(ms: number, callback: () => void, isInBackground?: boolean): () => void;
}

/** The clocks and timers of the process. */
export const SYSTEM_TIMING: LeaseTiming = {
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  after(ms, callback, isInBackground = false) {
    const timer = setTimeout(callback, ms);
    if (isInBackground) timer.unref();
    return () => clearTimeout(timer);
  },
};

/** After this time without a renewal, a waiting worker considers a holder dead. In ms of the clock of the waiting worker. */
export const LEASE_MS = 30_000;
/**
 * After this time without a renewal, a holder stops its work. In ms of the clock of the holder. The time is far below {@link LEASE_MS},
 * because clocks differ in speed.
 */
export const HELD_MS = 20_000;
/** Milliseconds between two renewals. */
export const RENEW_MS = 10_000;
/** Milliseconds before a failed renewal is retried. A waiting worker also waits this long between two polls. */
export const AGAIN_MS = 2_000;

/** Waits `ms` milliseconds. @throws the reason of the signal */
export async function sleep(timing: LeaseTiming, ms: number, signal: AbortSignal | undefined): Promise<void> {
  let cancel = (): void => {};
  const over = new Promise<void>((resolve) => (cancel = timing.after(ms, resolve)));
  await deadline(over, Infinity, cancel, signal);
  signal?.throwIfAborted();
}
