import type { HolderRow, LeaseRows } from './lease-rows.js';
import { LEASE_MS, type LeaseTiming } from './lease-timing.js';

/** A worker that holds leases. It may have been killed without the other workers having noticed yet. */
export interface LeaseHolderInfo extends HolderRow {
  readonly id: string;
  /** Whether the worker is this `Tables` object. */
  readonly isOwn: boolean;
  /** The row of the holder did not change for {@link LEASE_MS} while this `Tables` object watched the row. So the holder is dead. */
  readonly isSilent: boolean;
}

/** Watches the rows of holders to find out which of them are dead. */
export type OtherHolders = ReturnType<typeof createOtherHolders>;

/** @param owner the `owner` of this `Tables` object; a holder with this `owner` has `isOwn` */
export function createOtherHolders(rows: LeaseRows, owner: string, timing: LeaseTiming) {
  /** The last state of each holder's row, and when that state was first seen. */
  const seen = new Map<string, { readonly state: string; readonly since: number }>();

  function isSilent(id: string, state: string): boolean {
    const before = seen.get(id);
    if (before?.state === state) return timing.monotonic() - before.since >= LEASE_MS;
    seen.set(id, { state, since: timing.monotonic() });
    return false;
  }

  async function remove(id: string): Promise<void> {
    const dead = seen.get(id)?.state;
    await rows.holders.change([id], (_, row, state) => (row && state === dead ? null : undefined));
  }

  async function alive(id: string): Promise<HolderRow | undefined> {
    for (;;) {
      const [found] = await rows.holders.get([id]);
      if (!found) return void seen.delete(id);
      if (!isSilent(id, found.state)) return found.row;
      // The next read shows whether the row was removed.
      await remove(id);
    }
  }

  return {
    /** Returns the row of a holder. A holder that is found to be dead loses its leases, and has no row. */
    alive,
    /** Removes a dead holder with all its leases. A holder that has renewed its row meanwhile stays. */
    remove,
    /** Lists all holders, including own holders. Reads a row for each holder. */
    async list(): Promise<LeaseHolderInfo[]> {
      const all = await rows.holders.all();
      const there = new Set(all.map(({ name: id }) => id));
      for (const id of seen.keys()) if (!there.has(id)) seen.delete(id);
      return all.map(({ name: id, row, state }) => {
        const isOwn = row.owner === owner;
        return { ...row, id, isOwn, isSilent: !isOwn && isSilent(id, state) };
      });
    },
  };
}
