import type { HolderRow, LeaseRows } from './lease-rows.js';
import { LEASE_MS, type LeaseTiming } from './lease-timing.js';

/** Who holds leases, or was killed and has not been found out yet. */
export interface LeaseHolderInfo extends HolderRow {
  readonly id: string;
  /** By this opening of the table. */
  readonly isOwn: boolean;
  /** It has not been heard of for {@link LEASE_MS} since this opening looked first, so it is dead. */
  readonly isSilent: boolean;
}

/** Watches the rows of holders, and so finds out which of them are dead. */
export interface OtherHolders {
  /** Of some holders those that are alive, as far as is known. Those that turn out to be dead lose their leases. */
  alive(ids: readonly string[]): Promise<ReadonlyMap<string, HolderRow>>;
  /** All holders, own ones too. Reads a row for each. */
  list(): Promise<LeaseHolderInfo[]>;
  /** Takes from a dead one all that it has. A renewal of it that came through after all is not undone. */
  remove(id: string): Promise<void>;
}

/** @param owner whose holders are own ones */
export function createOtherHolders(rows: LeaseRows, owner: string, timing: LeaseTiming): OtherHolders {
  /** What was seen of each, and when first. */
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
      // Whether it was, the next look says.
      return alive(ids);
    }
    return found;
  }

  return {
    alive,
    remove,
    async list() {
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
