import type { Asked, HolderRow, LeaseRow, LeaseRows } from './lease-rows.js';
import type { LeaseHolder } from './lease-holder.js';
import type { OtherHolders } from './other-holders.js';

/**
 * For each slot of a holder: how many tasks use it, how many of these tasks send requests, and whether the stored time of requests is by the
 * clock of the holder, because a task of the holder has sent some; the epoch of the lease, and the number of timestamps that were used of it.
 */
export type HeldSlots = Map<string, typeof UNUSED>;

export const UNUSED = { uses: 0, asking: 0, hasAsked: false, epoch: 0, stamps: 0 };

/** What one task needs. */
export interface WantedSlots {
  /** Whether the task makes requests to the hosts of the slots. */
  readonly asks: boolean;
  /** Returns the present time, in ms since the epoch. */
  readonly clock: () => number;
  /** The slots that were taken so far, with the latest time at which their hosts may have received earlier requests. */
  readonly taken: Map<string, number | undefined>;
}

/** A slot that another holder has. */
export interface TakenSlot {
  readonly slot: string;
  readonly holder: HolderRow;
}

/** Takes and returns leases of slots, by changes of the rows of the slots. Await each call before the next one. */
export function createSlotLeases(rows: LeaseRows, others: OtherHolders) {
  /**
   * Takes free slots, up to the first slot that is not free. So two workers that need the same slots do not block each other.
   * @param order the slots, sorted
   * @returns the slot that was not free, with its holder; undefined if all slots were taken
   */
  async function take(
    { id, clockTolerance }: LeaseHolder,
    slots: HeldSlots,
    order: readonly string[],
    wanted: WantedSlots,
  ): Promise<TakenSlot | undefined> {
    const { asks, clock, taken } = wanted;
    const holders = new Map<string, HolderRow | undefined>();
    const found = new Map<
      string,
      { readonly epoch: number; readonly at?: number | undefined; readonly isAtEnd?: true }
    >();
    let inTheWay: TakenSlot | undefined;

    async function decide(slot: string, before: LeaseRow | undefined): Promise<LeaseRow | undefined> {
      found.delete(slot);
      const other = before && before.holder !== id ? before.holder : '';
      // All holders are watched from now on, so that several dead ones are found at the same time.
      if (other !== '' && !holders.has(other)) holders.set(other, await others.alive(other));
      const holder = holders.get(other);
      if (inTheWay && slot > inTheWay.slot) return undefined;
      if (holder) {
        inTheWay = { slot, holder };
        return undefined;
      }
      const own = slots.get(slot);
      const epoch = (before?.epoch ?? 0) + (own ? 0 : 1);
      const at = before && askedAt(before, own?.hasAsked ? 0 : clockTolerance, clock);
      // A holder that was taken for dead may have sent requests until its lease was taken. So the clock is read again after that.
      const isAtEnd = before?.asked?.state === 'running' && !own?.asking;
      found.set(slot, { epoch, at, ...(isAtEnd && { isAtEnd }) });
      if (own && (!asks || own.asking > 0)) return undefined;
      const asked: Asked | undefined = asks
        ? { state: 'running', at: clock() }
        : at === undefined || before?.asked?.state === 'ended'
          ? before?.asked
          : { state: 'ended', at };
      return { holder: id, epoch, ...(asked && { asked }) };
    }

    const left = order.filter((slot) => {
      if (taken.has(slot)) return false;
      const own = slots.get(slot);
      // Only a task that sends requests needs the time of earlier ones.
      if (own && !asks) found.set(slot, own);
      return !own || asks;
    });
    await rows.leases.change(left, decide);
    for (const [slot, { epoch, at, isAtEnd }] of found) {
      const { uses, asking, hasAsked, stamps } = slots.get(slot) ?? UNUSED;
      slots.set(slot, { uses: uses + 1, asking: asking + Number(asks), hasAsked: hasAsked || asks, epoch, stamps });
      taken.set(slot, isAtEnd ? clock() : at);
    }
    // Another holder was faster at a slot. This task waits for it, and returns the slots that come later in order.
    const later = [...found.keys()].filter((slot) => inTheWay && slot > inTheWay.slot);
    if (later.length > 0) await returnSlots(id, slots, wanted, later, false);
    return inTheWay;
  }

  /**
   * Returns the slots of one task.
   * @param isLast the holder has no other task. The caller then removes the row of the holder, which frees all its slots
   */
  async function returnSlots(
    id: string,
    slots: HeldSlots,
    { asks, clock, taken }: WantedSlots,
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
      else slots.set(slot, { ...held, uses, asking });
      const isChanged = (asks && asking === 0) || (uses === 0 && !isLast);
      if (isChanged) left.push(slot);
    }
    await rows.leases.change(left, (slot, row) => {
      // If another worker considered this holder dead, another holder may have the slot now.
      if (row?.holder !== id) return undefined;
      const held = slots.get(slot);
      const asked: Asked | undefined = asks && !held?.asking ? { state: 'ended', at: clock() } : row.asked;
      return { ...row, holder: held ? id : '', ...(asked && { asked }) };
    });
  }

  return { take, returnSlots };
}

/** @param tolerance is added to a time that another clock may have recorded */
function askedAt({ asked }: LeaseRow, tolerance: number, clock: () => number): number | undefined {
  if (!asked) return undefined;
  // A killed holder may have sent requests until now. No result is later than now. So after a clock was set back, no worker waits too long.
  if (asked.state === 'running') return clock();
  return Math.min(asked.at + tolerance, clock());
}
