import { randomUUID } from 'node:crypto';
import { CrawlError } from '../../packages/errors/index.js';
import { createLocks } from '../stores/locks.js';
import type { HolderRow, LeaseRows, LeaseTask } from './lease-rows.js';
import { AGAIN_MS, HELD_MS, LEASE_MS, RENEW_MS, type LeaseTiming } from './lease-timing.js';

/**
 * Who holds leases: one row, however many they are, that is written again and again. Whoever finds it unchanged for
 * {@link LEASE_MS} removes it by compare-and-set, and with it all its leases are free. A renewal that is late finds the row gone.
 */
export interface LeaseHolder {
  readonly id: string;
  /** false from {@link HELD_MS} after the last renewal was sent, and for ever once it is lost or ended. */
  isHeld(): boolean;
  /** Resolves when it is held, at once or after the next renewal. @throws CrawlError LEASE_LOST */
  untilHeld(): Promise<void>;
  /** Aborts with LEASE_LOST when somebody else has taken it for dead. */
  readonly lost: AbortSignal;
  /** Says what it works on, which is a renewal too. @throws CrawlError LEASE_LOST */
  say(tasks: readonly LeaseTask[]): Promise<void>;
  /** Ends at once what is held, then removes the row. */
  end(): Promise<void>;
  /** Renews no more. */
  stop(): void;
}

/** The holder where nobody else can be: it has no row. */
export function soleHolder(): LeaseHolder {
  let hasEnded = false;
  const end = (): void => void (hasEnded = true);
  return {
    id: '',
    isHeld: () => !hasEnded,
    untilHeld: async () => {},
    lost: new AbortController().signal,
    say: async () => {},
    end: async () => end(),
    stop: end,
  };
}

/** Begins to hold. Call {@link LeaseHolder.say} first. */
export function createHolder(
  rows: LeaseRows,
  timing: LeaseTiming,
  who: Pick<HolderRow, 'owner' | 'name'>,
): LeaseHolder {
  const id = randomUUID();
  const exclusive = createLocks();
  const lost = new AbortController();
  const waiting = new Set<{ resolve: () => void; reject: (reason: unknown) => void }>();
  let tasks: readonly LeaseTask[] = [];
  let hasBegun = false;
  let hasEnded = false;
  /** When the last renewal that was made had been sent, by both clocks. */
  let renewed = { monotonic: -Infinity, wall: -Infinity };
  let cancel = (): void => {};

  // A machine that was suspended may find the monotonic clock where it was: then the other one says so.
  const isHeld = (): boolean =>
    !hasEnded &&
    !lost.signal.aborted &&
    timing.monotonic() - renewed.monotonic < HELD_MS &&
    timing.wall() - renewed.wall < HELD_MS;

  function lose(): never {
    const error = new CrawlError(
      'LEASE_LOST',
      `expected to hold leases by a renewal every ${RENEW_MS / 1000} s, found them taken by another worker`,
      {
        hint: `this one was silent for more than ${LEASE_MS / 1000} s; the same command goes on where it stopped`,
      },
    );
    lost.abort(error);
    cancel();
    for (const { reject } of waiting) reject(error);
    waiting.clear();
    throw error;
  }

  async function renew(): Promise<void> {
    for (;;) {
      if (hasEnded || lost.signal.aborted) return;
      const sent = { monotonic: timing.monotonic(), wall: timing.wall() };
      const [found] = await rows.holders.get([id]);
      if (found?.row) hasBegun = true;
      else if (hasBegun) lose();
      const row = { ...who, at: timing.wall(), tasks };
      const [isMade] = await rows.holders.write([{ name: id, row, version: found?.version }]);
      // Else the answer to an earlier one was lost, or somebody has removed the row.
      if (!isMade) continue;
      hasBegun = true;
      renewed = sent;
      if (isHeld()) {
        for (const { resolve } of waiting) resolve();
        waiting.clear();
      }
      return;
    }
  }

  function schedule(ms: number): void {
    cancel();
    if (hasEnded || lost.signal.aborted) return;
    const onTime = (): void => {
      exclusive('row', renew).then(
        () => schedule(renewed.monotonic + RENEW_MS - timing.monotonic()),
        // Lost, which `lost` says; or the store is away, and nothing is held until it is back.
        () => schedule(AGAIN_MS),
      );
    };
    cancel = timing.after(Math.max(0, ms), onTime, true);
  }

  return {
    id,
    isHeld,
    lost: lost.signal,
    async untilHeld() {
      if (lost.signal.aborted) throw lost.signal.reason;
      if (isHeld()) return;
      await new Promise<void>((resolve, reject) => waiting.add({ resolve, reject }));
    },
    async say(now) {
      await exclusive('row', async () => {
        tasks = now;
        await renew();
      });
      lost.signal.throwIfAborted();
      schedule(renewed.monotonic + RENEW_MS - timing.monotonic());
    },
    async end() {
      hasEnded = true;
      cancel();
      if (!hasBegun || lost.signal.aborted) return;
      await exclusive('row', async () => {
        for (;;) {
          const [found] = await rows.holders.get([id]);
          if (!found?.row) return;
          const [isMade] = await rows.holders.write([{ name: id, row: undefined, version: found.version }]);
          if (isMade) return;
        }
      });
    },
    stop() {
      hasEnded = true;
      cancel();
    },
  };
}
