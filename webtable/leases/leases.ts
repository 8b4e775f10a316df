/**
 * Leases: which worker works on which slots, when many processes share one table. Because of leases, the crawl stays polite, and no two
 * workers do the same work. A worker may believe that it has a lease that another one has taken: its changes then have the timestamps of an
 * earlier epoch, see `ownedStore`.
 *
 * The clocks of two machines are never compared: a worker that waits for a lease watches the row of its holder. See {@link LeaseHolder}.
 */
import { hostname } from 'node:os';
import { CrawlError, safeText } from '../../packages/errors/index.js';
import type { Store } from '../store.js';
import { createOneByOne } from '../../packages/util/index.js';
import { createHolder, soleHolder, type LeaseHolder } from './lease-holder.js';
import { createLeaseRows, type Asked, type Idle, type LeaseRows, type LeaseTask } from './lease-rows.js';
import { AGAIN_MS, SYSTEM_TIMING, sleep, type LeaseTiming } from './lease-timing.js';
import { createOtherHolders, type LeaseHolderInfo } from './other-holders.js';
import { UNUSED, createSlotLeases, type HeldSlots, type TakenSlot, type WantedSlots } from './slot-leases.js';

/** Options of {@link Leases.take}. */
export interface TakeOptions {
  /** The job that needs the slots, and the batch of the job, if it has one. */
  readonly job: string;
  readonly batchId?: string;
  /** Whether the job sends requests to the hosts of the slots. If so, `askedAt` is recorded. Default: false. */
  readonly asks?: boolean;
  /** Milliseconds to wait for slots that other workers hold. A wait below `LEASE_MS` is too short to find out that a holder is dead. */
  readonly wait: number;
  /** Whether to leave out slots that other workers hold, without a wait. */
  readonly leaveTaken?: boolean;
  readonly signal?: AbortSignal;
  /** The clock of `askedAt`, in ms since the epoch. Absent: the clock of the system. */
  readonly clock?: () => number;
}

/** Slots that are held until they are released or lost. */
export interface HeldLeases {
  readonly slots: ReadonlySet<string>;
  /** true if no other worker can hold these slots now. false while renewals fail, and for ever after the leases are lost or released. */
  isHeld(): boolean;
  /** Resolves when `isHeld` is true: at once, or after the next successful renewal. @throws CrawlError LEASE_LOST */
  untilHeld(): Promise<void>;
  /**
   * Reads the leases of some of the slots. If it resolves, no other worker had taken them yet: every later owner reads what was written
   * before. The clock of this worker does not matter, unlike for `isHeld`.
   * @throws CrawlError LEASE_LOST
   */
  confirm(slots: Iterable<string>): Promise<void>;
  /** Whether this worker keeps a slot at least until the slots are released: it is one of them, or it is never given back. */
  holds(slot: string): boolean;
  /** Aborts with LEASE_LOST as its reason when another worker may have taken the slots. */
  readonly lost: AbortSignal;
  /**
   * The latest time at which a host of the slot may have received an earlier request, in ms by `clock`. undefined: no request was recorded.
   */
  askedAt(slot: string): number | undefined;
  /**
   * Releases the slots, so that other workers can take them at once. Calling it again does nothing.
   * @throws the error of the store; the slots are then free after `LEASE_MS`
   */
  release(): Promise<void>;
}

/** A lease, as reports show it. */
export interface LeaseInfo {
  readonly slot: string;
  readonly epoch: number;
  /** Absent if the slot is free. */
  readonly holder?: LeaseHolderInfo;
  readonly asked?: Asked;
}

/** Which worker works on which slots. */
export interface Leases {
  /**
   * Takes slots in their order, so that two workers that need the same slots do not block each other. If another task of this `Tables`
   * object has a slot, both tasks share it, without a wait. On a table that no other worker can use, there is no wait for any slot.
   * @throws CrawlError LEASE_HELD with the names of holder and slot, if another worker holds a slot for longer than `wait`; LEASE_LOST; the
   * reason of `signal`
   */
  take(slots: readonly string[], options: TakeOptions): Promise<HeldLeases>;
  /** Lists the leases of all slots that were ever taken. Reads a row for each slot. */
  list(): Promise<readonly LeaseInfo[]>;
  /** Lists the workers that hold leases; the list is empty on a table that no other worker can use. Reads a row for each worker. */
  holders(): Promise<readonly LeaseHolderInfo[]>;
  /** Lists the workers that are not known to be dead, like `holders`, and removes the dead ones with their leases. */
  livingHolders(): Promise<readonly LeaseHolderInfo[]>;
  /**
   * Shows other workers that this worker is idle, until it takes another lease. Does nothing if no lease is held.
   */
  noteIdle(idle: Idle): Promise<void>;
  /**
   * Returns the timestamp of the next change in a slot: higher than all timestamps of this worker and of all earlier owners.
   * @throws CrawlError LEASE_LOST if the slot is not held
   */
  stamp(slot: string): number;
  /** Returns the lowest timestamp of the lease of a slot; 0 if the slot is not held. */
  firstStamp(slot: string): number;
  /** Like {@link HeldLeases.confirm}, for all slots of this `Tables` object. @throws CrawlError LEASE_LOST */
  confirm(slots: Iterable<string>): Promise<void>;
  /** Stops renewing. After this call no lease is held. */
  stop(): void;
}

/**
 * The number of timestamps of an epoch. A change uses up to two. So there is room for 500 million changes of a slot by one owner, and for 8
 * million owners.
 */
const STAMPS_IN_EPOCH = 2 ** 30;
const STAMPS_OF_CHANGE = 2;

/** The leases that one or more tasks of this `Tables` object share. */
interface Session {
  readonly holder: LeaseHolder;
  readonly tasks: Set<LeaseTask>;
  readonly slots: HeldSlots;
}

interface Wanted extends WantedSlots {
  readonly task: LeaseTask;
}

/**
 * Creates the leases of a table that other workers can open too.
 * @param name of this process, for people
 */
export function createLeases(
  store: Store,
  owner: string,
  timing: LeaseTiming = SYSTEM_TIMING,
  name = `${hostname()}, process ${process.pid}`,
): Leases {
  const rows = createLeaseRows(store);
  return leasesOf(rows, owner, timing, new Set(), () => createHolder(rows, timing, { owner, name }));
}

/**
 * Creates the leases of a table that only this process can open: it holds all slots until it stops. A lease has a row only for the time of
 * requests to its hosts.
 */
export function createSoleLeases(store: Store, owner: string, slots: readonly string[]): Leases {
  return leasesOf(createLeaseRows(store), owner, SYSTEM_TIMING, new Set(slots), soleHolder);
}

/** @param kept the slots that this worker holds until it stops */
function leasesOf(
  rows: LeaseRows,
  owner: string,
  timing: LeaseTiming,
  kept: ReadonlySet<string>,
  newHolder: () => LeaseHolder,
): Leases {
  const oneByOne = createOneByOne();
  const others = createOtherHolders(rows, owner, timing);
  const leases = createSlotLeases(rows, others);
  let session = kept.size > 0 ? newSession() : undefined;

  function newSession(): Session {
    const tasks = kept.size > 0 ? [{ job: 'table' }] : [];
    const slots: HeldSlots = new Map(Array.from(kept, (slot) => [slot, { ...UNUSED, uses: 1 }]));
    return { holder: newHolder(), tasks: new Set(tasks), slots };
  }

  async function begin(task: LeaseTask): Promise<Session> {
    if (!session || session.holder.lost.aborted) session = newSession();
    const joined = session;
    joined.tasks.add(task);
    try {
      await joined.holder.say([...joined.tasks]);
    } catch (error) {
      joined.tasks.delete(task);
      if (joined.tasks.size === 0) joined.holder.stop();
      if (joined.tasks.size === 0 && session === joined) session = undefined;
      throw error;
    }
    return joined;
  }

  async function release(from: Session, wanted: Wanted): Promise<void> {
    if (!from.tasks.delete(wanted.task)) return;
    const isLast = from.tasks.size === 0;
    if (isLast && session === from) session = undefined;
    if (isLast) from.holder.stop();
    if (from.holder.lost.aborted) return;
    await leases.returnSlots(from.holder.id, from.slots, wanted, [...wanted.taken.keys()], isLast);
    await (isLast ? from.holder.end() : from.holder.say([...from.tasks]));
  }

  /** @param order the slots; with `leaveTaken`, those of other workers are removed */
  async function takeAll(joined: Session, order: string[], wanted: Wanted, options: TakeOptions) {
    const started = timing.monotonic();
    for (;;) {
      options.signal?.throwIfAborted();
      joined.holder.lost.throwIfAborted();
      const found = await oneByOne(() => leases.take(joined.holder, joined.slots, order, wanted));
      if (!found) return joined.holder.untilHeld();
      if (options.leaveTaken) {
        order.splice(order.indexOf(found.slot), 1);
        continue;
      }
      const waited = timing.monotonic() - started;
      if (waited >= options.wait) throw heldBy(found, waited);
      await sleep(timing, Math.min(AGAIN_MS, options.wait - waited), options.signal);
    }
  }

  const confirm = ({ holder, slots: held }: Session, slots: Iterable<string>): Promise<void> =>
    holder.confirm(new Map(Array.from(slots, (slot) => [slot, held.get(slot)?.epoch ?? 0])));

  /** @throws CrawlError LEASE_LOST if the slot is not held */
  function sessionOf(slot: string): Session {
    session?.holder.lost.throwIfAborted();
    if (session?.slots.has(slot)) return session;
    throw new CrawlError(
      'LEASE_LOST',
      `expected to hold slot ${slot} for a change of its rows, found that it is not held`,
    );
  }

  return {
    stamp(slot) {
      const held = sessionOf(slot).slots.get(slot)!;
      const at = held.epoch * STAMPS_IN_EPOCH + held.stamps;
      held.stamps += STAMPS_OF_CHANGE;
      // An owner that has used up its timestamps takes the slot again, with the next epoch.
      if (held.stamps >= STAMPS_IN_EPOCH) session!.holder.lose();
      return at;
    },

    firstStamp: (slot) => (session?.slots.get(slot)?.epoch ?? 0) * STAMPS_IN_EPOCH,

    async confirm(slots) {
      const [first] = slots;
      if (first !== undefined) await confirm(sessionOf(first), slots);
    },

    async take(slots, options) {
      const { job, batchId, asks = false, clock = timing.wall } = options;
      const order = [...new Set(slots)].sort();
      const task: LeaseTask = { job, ...(batchId !== undefined && { batchId }) };
      const wanted: Wanted = { task, asks, clock, taken: new Map() };
      const joined = await oneByOne(() => begin(task));
      const { holder } = joined;
      try {
        await takeAll(joined, order, wanted, options);
      } catch (error) {
        await oneByOne(() => release(joined, wanted)).catch(() => undefined);
        throw error;
      }
      let isReleased = false;
      const times = new Map(wanted.taken);
      const taken = new Set(order);
      return {
        slots: taken,
        isHeld: () => !isReleased && holder.isHeld(),
        untilHeld: () => holder.untilHeld(),
        confirm: (some) => confirm(joined, some),
        holds: (slot) => taken.has(slot) || kept.has(slot),
        lost: holder.lost,
        askedAt: (slot) => times.get(slot),
        async release() {
          isReleased = true;
          await oneByOne(() => release(joined, wanted));
        },
      };
    },

    async list() {
      const holders = new Map((await others.list()).map((holder) => [holder.id, holder]));
      return (await rows.leases.all()).map(({ name: slot, row: { holder: id, epoch, asked } }) => {
        const holder = holders.get(id);
        return { slot, epoch, ...(holder && { holder }), ...(asked && { asked }) };
      });
    },

    holders: others.list,

    async livingHolders() {
      const all = await others.list();
      for (const { id, isSilent } of all) if (isSilent) await others.remove(id);
      return all.filter(({ isSilent }) => !isSilent);
    },

    noteIdle: (idle) =>
      oneByOne(async () => {
        await session?.holder.say([...session.tasks], idle);
      }),

    stop: () => session?.holder.stop(),
  };
}

function heldBy({ slot, holder }: TakenSlot, waited: number): CrawlError {
  const tasks = [
    ...new Set(holder.tasks.map(({ job, batchId }) => (batchId === undefined ? job : `${job} of ${batchId}`))),
  ].join(', ');
  return new CrawlError(
    'LEASE_HELD',
    `slot ${slot} is held by ${safeText(holder.name, 100)} (${safeText(tasks, 200)}), also after ${Math.round(waited / 1000)} s`,
    { hint: 'let that worker end, and run the same command again; give each shard to one worker at a time' },
  );
}
