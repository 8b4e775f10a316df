/**
 * Leases: who works on which slots, where many processes share one table. They are for politeness, and so that no work is done
 * twice; what is right never rests on them, since every change is decided on by what was read and written only over that.
 *
 * No clocks of two machines are compared: who waits for a lease watches the row of its holder. See {@link LeaseHolder}.
 */
import { hostname } from 'node:os';
import { CrawlError, safeText } from '../../packages/errors/index.js';
import type { Store } from '../store.js';
import { createLocks } from '../stores/locks.js';
import { createHolder, soleHolder, type LeaseHolder } from './lease-holder.js';
import { createLeaseRows, type Asked, type HolderRow, type LeaseRow, type LeaseTask } from './lease-rows.js';
import { AGAIN_MS, SYSTEM_TIMING, sleep, type LeaseTiming } from './lease-timing.js';
import { createOtherHolders, type LeaseHolderInfo } from './other-holders.js';

/** What {@link Leases.take} takes. */
export interface TakeOptions {
  /** The job that they are for, and the batch where there is one. */
  readonly job: string;
  readonly batchId?: string;
  /** Whether it makes requests to the hosts of the slots: then `askedAt` is noted. Default: false. */
  readonly asks?: boolean;
  /** Milliseconds to wait for those that others hold. Below `LEASE_MS` it is not noticed that a holder is dead. */
  readonly wait: number;
  readonly signal?: AbortSignal;
  /** The clock of `askedAt`, in ms since the epoch. Absent: that of the system. */
  readonly clock?: () => number;
}

/** Slots that are held until they are released or lost. */
export interface HeldLeases {
  readonly slots: ReadonlySet<string>;
  /** Whether nobody else can hold them now. false while renewals do not get through, and for ever once they are lost or released. */
  isHeld(): boolean;
  /** Resolves when they are held: at once, or after the renewal that gets through. @throws CrawlError LEASE_LOST */
  untilHeld(): Promise<void>;
  /** Aborts with LEASE_LOST as its reason when another worker may have them. */
  readonly lost: AbortSignal;
  /** Until when the hosts of a slot may have been asked before, in ms by `clock`; undefined where they never were. */
  askedAt(slot: string): number | undefined;
  /** Gives them back, so that others have them at once. Calling it again does nothing. @throws as the store does; then they are free after `LEASE_MS` */
  release(): Promise<void>;
}

/** A lease, for those who look. */
export interface LeaseInfo {
  readonly slot: string;
  readonly epoch: number;
  /** Absent where it is free. */
  readonly holder?: LeaseHolderInfo;
  readonly asked?: Asked;
}

/** Who works on which slots. */
export interface Leases {
  /**
   * Takes slots, in their order, so that of two who want some of the same one waits for the other. What this opening holds
   * already for another task it has at once. Where others cannot be, all are.
   * @throws CrawlError LEASE_HELD naming holder and slot where others have one for longer than `wait`; LEASE_LOST; the reason of `signal`
   */
  take(slots: readonly string[], options: TakeOptions): Promise<HeldLeases>;
  /** Those of all slots that ever were taken. Reads a row for each. */
  list(): Promise<readonly LeaseInfo[]>;
  /** Who holds leases; none where others cannot be. Reads a row for each. */
  holders(): Promise<readonly LeaseHolderInfo[]>;
  /**
   * Waits at most `wait` ms until no other holder is in the way. Those that turn out to be dead lose their leases.
   * @returns one that is; undefined where none is
   */
  untilNone(
    isInTheWay: (holder: LeaseHolderInfo) => boolean,
    options: { readonly wait: number; readonly signal?: AbortSignal },
  ): Promise<LeaseHolderInfo | undefined>;
  /** Renews no more; what is held is not any longer. */
  stop(): void;
}

/**
 * How far apart the clocks of two machines may be, in ms: a store that machines share refuses one that is off by more than half.
 * Only when hosts were asked last goes by them: it is taken for so much later.
 */
const CLOCK_TOLERANCE = 120_000;

/** What is held for one or more tasks of this opening. */
interface Session {
  readonly holder: LeaseHolder;
  readonly tasks: Set<LeaseTask>;
  /** Of each slot that is held, for how many tasks, and how many of them ask. */
  readonly slots: Map<string, { uses: number; asking: number }>;
}

interface Wanted {
  readonly task: LeaseTask;
  readonly asks: boolean;
  readonly clock: () => number;
  /** When the hosts of each slot that is taken were asked before. */
  readonly taken: Map<string, number | undefined>;
}

interface InTheWay {
  readonly slot: string;
  readonly holder: HolderRow;
}

/** @param name of this process, for people */
export function createLeases(
  store: Store,
  owner: string,
  timing: LeaseTiming = SYSTEM_TIMING,
  name = `${hostname()}, process ${process.pid}`,
): Leases {
  const rows = createLeaseRows(store);
  const exclusive = createLocks();
  const others = createOtherHolders(rows, owner, timing);
  let session: Session | undefined;

  async function begin(task: LeaseTask): Promise<Session> {
    if (!session || session.holder.lost.aborted) {
      const holder = rows.isShared ? createHolder(rows, timing, { owner, name }) : soleHolder();
      session = { holder, tasks: new Set(), slots: new Map() };
    }
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

  function askedAt({ asked }: Partial<LeaseRow>, isOwn: boolean, clock: () => number): number | undefined {
    if (!asked) return undefined;
    // A clock that was set back must not hold anybody up. One that was killed may have asked until just now.
    if (asked.state === 'running') return clock();
    return Math.min(asked.at + (rows.isShared && !isOwn ? CLOCK_TOLERANCE : 0), clock());
  }

  /** Takes those that are free, up to the first that is not. @returns who has that one; undefined where all are taken */
  async function attempt({ holder, slots }: Session, order: readonly string[], wanted: Wanted) {
    const { asks, clock, taken } = wanted;
    const left = order.filter((slot) => !taken.has(slot));
    // What is alone needs no rows but those that say when hosts were asked.
    if (!rows.isShared && !asks) return void left.forEach((slot) => use(slot, undefined));
    const found = await rows.leases.get(left);
    const ids = new Set(found.flatMap(({ row }) => (row && row.holder !== holder.id ? [row.holder] : [])));
    const alive = await others.alive([...ids].filter((id) => id !== ''));
    const inTheWay = found.findIndex(({ row }) => row && alive.has(row.holder));
    const free = inTheWay < 0 ? left : left.slice(0, inTheWay);

    function use(slot: string, at: number | undefined): void {
      const { uses, asking } = slots.get(slot) ?? { uses: 0, asking: 0 };
      slots.set(slot, { uses: uses + 1, asking: asking + Number(asks) });
      taken.set(slot, at);
    }
    const changes = free.flatMap((slot, i) => {
      const { row: before, version } = found[i]!;
      const own = slots.get(slot);
      const at = before && askedAt(before, own !== undefined && before.asked?.state === 'ended', clock);
      if (own && (!asks || own.asking > 0)) {
        use(slot, at);
        return [];
      }
      const asked: Asked | undefined = asks
        ? { state: 'running', at: clock() }
        : at === undefined || before?.asked?.state === 'ended'
          ? before?.asked
          : { state: 'ended', at };
      const epoch = (before?.epoch ?? 0) + (own ? 0 : 1);
      return [{ name: slot, at, row: { holder: holder.id, epoch, ...(asked && { asked }) }, version }];
    });
    const isMade = await rows.leases.write(changes);
    changes.forEach(({ name: slot, at }, i) => isMade[i] && use(slot, at));
    const lostAt = changes.findIndex((_, i) => !isMade[i]);
    if (lostAt >= 0) {
      // Somebody was faster: what comes behind it is not kept while waiting for it.
      await giveBack({ holder, slots }, wanted, free.slice(free.indexOf(changes[lostAt]!.name)), false);
      return 'again' as const;
    }
    if (inTheWay < 0) return undefined;
    return { slot: left[inTheWay]!, holder: alive.get(found[inTheWay]!.row!.holder)! };
  }

  /** @param isLast nothing else is held: the slots are free once the row of the holder is gone */
  async function giveBack(
    { holder, slots }: Pick<Session, 'holder' | 'slots'>,
    { asks, clock, taken }: Wanted,
    given: Iterable<string>,
    isLast: boolean,
  ): Promise<void> {
    const left: string[] = [];
    for (const slot of given) {
      const held = slots.get(slot);
      if (!held || !taken.delete(slot)) continue;
      const uses = held.uses - 1;
      const asking = held.asking - Number(asks);
      if (uses === 0) slots.delete(slot);
      else slots.set(slot, { uses, asking });
      const isChanged = (asks && asking === 0) || (uses === 0 && !isLast && rows.isShared);
      if (isChanged) left.push(slot);
    }
    for (let names = left; names.length > 0;) {
      const found = await rows.leases.get(names);
      const changes = names.flatMap((slot, i) => {
        const { row, version } = found[i]!;
        // Of a dead one others may have it by now.
        if (row?.holder !== holder.id) return [];
        const held = slots.get(slot);
        const asked: Asked | undefined = asks && !held?.asking ? { state: 'ended', at: clock() } : row.asked;
        return [{ name: slot, row: { ...row, holder: held ? holder.id : '', ...(asked && { asked }) }, version }];
      });
      const isMade = await rows.leases.write(changes);
      names = changes.filter((_, i) => !isMade[i]).map(({ name: slot }) => slot);
    }
  }

  async function release(from: Session, wanted: Wanted): Promise<void> {
    if (!from.tasks.delete(wanted.task)) return;
    const isLast = from.tasks.size === 0;
    if (isLast && session === from) session = undefined;
    if (isLast) from.holder.stop();
    if (from.holder.lost.aborted) return;
    await giveBack(from, wanted, [...wanted.taken.keys()], isLast);
    await (isLast ? from.holder.end() : from.holder.say([...from.tasks]));
  }

  async function takeAll(joined: Session, order: readonly string[], wanted: Wanted, options: TakeOptions) {
    const started = timing.monotonic();
    for (;;) {
      options.signal?.throwIfAborted();
      joined.holder.lost.throwIfAborted();
      const found = await exclusive('leases', () => attempt(joined, order, wanted));
      if (!found) return joined.holder.untilHeld();
      const waited = timing.monotonic() - started;
      if (found !== 'again' && waited >= options.wait) throw heldBy(found, waited);
      await sleep(timing, found === 'again' ? 0 : Math.min(AGAIN_MS, options.wait - waited), options.signal);
    }
  }

  return {
    async take(slots, options) {
      const { job, batchId, asks = false, clock = timing.wall } = options;
      const order = [...new Set(slots)].sort();
      const task: LeaseTask = { job, ...(batchId !== undefined && { batchId }) };
      const wanted: Wanted = { task, asks, clock, taken: new Map() };
      const joined = await exclusive('leases', () => begin(task));
      const { holder } = joined;
      try {
        await takeAll(joined, order, wanted, options);
      } catch (error) {
        await exclusive('leases', () => release(joined, wanted)).catch(() => undefined);
        throw error;
      }
      let isReleased = false;
      const times = new Map(wanted.taken);
      return {
        slots: new Set(order),
        isHeld: () => !isReleased && holder.isHeld(),
        untilHeld: () => holder.untilHeld(),
        lost: holder.lost,
        askedAt: (slot) => times.get(slot),
        async release() {
          isReleased = true;
          await exclusive('leases', () => release(joined, wanted));
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

    async untilNone(isInTheWay, { wait, signal }) {
      const started = timing.monotonic();
      for (;;) {
        signal?.throwIfAborted();
        const found = (await others.list()).filter((holder) => !holder.isOwn && isInTheWay(holder));
        const silent = found.filter((holder) => holder.isSilent);
        for (const { id } of silent) await others.remove(id);
        if (found.length === 0) return undefined;
        if (silent.length > 0) continue;
        const waited = timing.monotonic() - started;
        if (waited >= wait) return found[0];
        await sleep(timing, Math.min(AGAIN_MS, wait - waited), signal);
      }
    },

    stop: () => session?.holder.stop(),
  };
}

function heldBy({ slot, holder }: InTheWay, waited: number): CrawlError {
  const tasks = holder.tasks
    .map(({ job, batchId }) => (batchId === undefined ? job : `${job} of ${batchId}`))
    .join(', ');
  return new CrawlError(
    'LEASE_HELD',
    `expected slot ${slot} to be free within ${Math.round(waited / 1000)} s, found it held by ${safeText(holder.name, 100)} (${safeText(tasks, 200)})`,
    { hint: 'let that worker end, and run the same command again; each shard is to be given to one worker at a time' },
  );
}
