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
  /** The last version of each holder's row, and when that version was first seen. */
  const seen = new Map<string, { readonly version: string | undefined; readonly since: number }>();

  function isSilent(id: string, version: string | undefined): boolean {
    const before = seen.get(id);
    if (before && before.version === version) return timing.monotonic() - before.since >= LEASE_MS;
    seen.set(id, { version, since: timing.monotonic() });
    return false;
  }

  async function remove(id: string): Promise<void> {
    const version = seen.get(id)?.version;
    const [isMade] = await rows.holders.write([{ name: id, row: undefined, version }]);
    if (isMade) seen.delete(id);
  }

  async function alive(ids: readonly string[]): Promise<ReadonlyMap<string, HolderRow>> {
    const found = new Map<string, HolderRow>();
    const read = rows.isShared ? await rows.holders.get(ids) : [];
    for (const [i, id] of ids.entries()) {
      const { row, version } = read[i] ?? {};
      if (!row) {
        seen.delete(id);
        continue;
      }
      found.set(id, row);
      if (!isSilent(id, version)) continue;
      await remove(id);
      // The next read shows whether the row was removed.
      return alive(ids);
    }
    return found;
  }

  return {
    /** Returns the holders that are not known to be dead. Holders that are found to be dead lose their leases. */
    alive,
    /** Removes a dead holder with all its leases. A holder that has renewed its row meanwhile stays. */
    remove,
    /** Lists all holders, including own holders. Reads a row for each holder. */
    async list(): Promise<LeaseHolderInfo[]> {
      const all = rows.isShared ? await rows.holders.all() : [];
      const there = new Set(all.map(({ name: id }) => id));
      for (const id of seen.keys()) if (!there.has(id)) seen.delete(id);
      return all.map(({ name: id, row, version }) => {
        const isOwn = row.owner === owner;
        return { ...row, id, isOwn, isSilent: !isOwn && isSilent(id, version) };
      });
    },
  };
}
