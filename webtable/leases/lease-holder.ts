import { randomUUID } from 'node:crypto';
import { CrawlError } from '../../packages/errors/index.js';
import { createOneByOne } from '../../packages/util/index.js';
import type { HolderRow, Idle, LeaseRows, LeaseTask } from './lease-rows.js';
import { AGAIN_MS, HELD_MS, LEASE_MS, RENEW_MS, type LeaseTiming } from './lease-timing.js';

/**
 * The owner of leases. It has one row for all of its leases, and renews this row regularly. If another worker finds the row unchanged for
 * {@link LEASE_MS}, it removes the row by compare-and-set. This frees all leases of the owner. A late renewal then finds no row.
 */
export interface LeaseHolder {
  readonly id: string;
  /** The assumed maximum difference between the clocks of this holder and of earlier ones, in ms. */
  readonly clockTolerance: number;
  /**
   * true if no other worker can have the leases now. false if the last successful renewal was sent more than {@link HELD_MS} ago, and for
   * ever after the leases are lost or ended.
   */
  isHeld(): boolean;
  /**
   * Resolves when `isHeld` is true: at once, or after the next renewal.
   * @throws CrawlError LEASE_LOST
   */
  untilHeld(): Promise<void>;
  /** Aborts with LEASE_LOST when another worker has removed the row of this holder. */
  readonly lost: AbortSignal;
  /**
   * Reads the leases of some slots. @param slots with the epochs of their leases
   * @throws CrawlError LEASE_LOST if another worker has taken one of them
   */
  confirm(slots: ReadonlyMap<string, number>): Promise<void>;
  /** Writes the current tasks, and whether the holder is idle, into the row. This also renews the row. @throws CrawlError LEASE_LOST */
  say(tasks: readonly LeaseTask[], idle?: Idle): Promise<void>;
  /** Gives up all leases, as if another worker had taken them. @throws CrawlError LEASE_LOST */
  lose(): never;
  /** Gives up all leases at once, then removes the row. */
  end(): Promise<void>;
  stop(): void;
}

/** Makes the owner of a table that no other worker can open. It holds all slots until it is stopped, and needs no row. */
export function soleHolder(): LeaseHolder {
  let hasEnded = false;
  return {
    id: '',
    clockTolerance: 0,
    isHeld: () => !hasEnded,
    untilHeld: async () => {},
    confirm: async () => {},
    lost: new AbortController().signal,
    say: async () => {},
    lose: () => {
      throw new Error('no other worker can take a lease of this table');
    },
    end: async () => {},
    stop: () => void (hasEnded = true),
  };
}

/**
 * The assumed maximum difference between the clocks of two machines, in ms. The clocks are needed only for the time of the last request to a
 * host. If another machine recorded that time, the difference is added to it.
 */
const CLOCK_TOLERANCE = 120_000;

/** A time before all times of both clocks. */
const NEVER = { monotonic: -Infinity, wall: -Infinity };

/** Starts a holder. Call {@link LeaseHolder.say} before any other method. */
export function createHolder(
  rows: LeaseRows,
  timing: LeaseTiming,
  who: Pick<HolderRow, 'owner' | 'name'>,
): LeaseHolder {
  const id = randomUUID();
  const oneByOne = createOneByOne();
  const lost = new AbortController();
  const waiting = new Set<{ resolve: () => void; reject: (reason: unknown) => void }>();
  let said: Pick<HolderRow, 'tasks' | 'idle'> = { tasks: [] };
  let hasBegun = false;
  let hasEnded = false;
  /** When the last successful renewal was sent, by both clocks. */
  let renewed = NEVER;
  let cancel = (): void => {};

  // While a machine is suspended, its monotonic clock may stop. So the wall clock is checked too.
  const isHeld = (): boolean =>
    !hasEnded &&
    !lost.signal.aborted &&
    timing.monotonic() - renewed.monotonic < HELD_MS &&
    timing.wall() - renewed.wall < HELD_MS;

  function lose(): never {
    const error = new CrawlError(
      'LEASE_LOST',
      `leases were not renewed every ${RENEW_MS / 1000} s, and another worker has taken them`,
      {
        hint: `this worker did not renew its leases for more than ${LEASE_MS / 1000} s; run the same command again, it continues where it stopped`,
      },
    );
    lost.abort(error);
    cancel();
    for (const { reject } of waiting) reject(error);
    waiting.clear();
    throw error;
  }

  async function renew(): Promise<void> {
    let sent = NEVER;
    await rows.holders.change([id], (_, row) => {
      sent = NEVER;
      if (hasEnded || lost.signal.aborted) return undefined;
      if (row) hasBegun = true;
      else if (hasBegun) lose();
      sent = { monotonic: timing.monotonic(), wall: timing.wall() };
      return { ...who, at: sent.wall, ...said };
    });
    if (sent === NEVER) return;
    hasBegun = true;
    renewed = sent;
    if (isHeld()) {
      for (const { resolve } of waiting) resolve();
      waiting.clear();
    }
  }

  function schedule(ms: number): void {
    cancel();
    if (hasEnded || lost.signal.aborted) return;
    const onTime = (): void => {
      oneByOne(renew).then(
        () => schedule(renewed.monotonic + RENEW_MS - timing.monotonic()),
        // Either the leases are lost, or the store cannot be reached. In both cases `isHeld` becomes false; `lost` reports the first case.
        () => schedule(AGAIN_MS),
      );
    };
    // If a caller waits for the next renewal, the timer must keep the process alive.
    cancel = timing.after(Math.max(0, ms), onTime, waiting.size === 0);
  }

  return {
    id,
    clockTolerance: CLOCK_TOLERANCE,
    isHeld,
    lost: lost.signal,
    async confirm(slots) {
      const found = await rows.leases.get([...slots.keys()]);
      const isOwn = Array.from(slots.values(), (epoch, i) => {
        const row = found[i]?.row;
        return row?.holder === id && row.epoch === epoch;
      });
      if (!isOwn.every(Boolean)) lose();
    },
    async untilHeld() {
      if (lost.signal.aborted) throw lost.signal.reason;
      if (isHeld()) return;
      await new Promise<void>((resolve, reject) => {
        waiting.add({ resolve, reject });
        if (waiting.size === 1) schedule(0);
      });
    },
    async say(tasks, idle) {
      await oneByOne(async () => {
        said = { tasks, ...(idle && { idle }) };
        await renew();
      });
      lost.signal.throwIfAborted();
      schedule(renewed.monotonic + RENEW_MS - timing.monotonic());
    },
    lose,
    async end() {
      hasEnded = true;
      cancel();
      if (!hasBegun || lost.signal.aborted) return;
      await oneByOne(() => rows.holders.change([id], (_, row) => row && null));
    },
    stop() {
      hasEnded = true;
      cancel();
    },
  };
}
