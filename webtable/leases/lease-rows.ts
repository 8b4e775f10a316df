/** The rows of the leases in table `meta`: one for each slot and one for each holder. */
import { isRecord, json, text } from '../pages/codec.js';
import { scanRows } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Column, Store, StoredRow } from '../store.js';
import { changeShared, withoutLock } from '../change-shared.js';

/** When hosts of a slot may have received requests from workers. */
export interface Asked {
  /** `running`: requests have begun, and their end was not recorded. After a kill the state stays `running`. */
  readonly state: 'running' | 'ended';
  /** When the requests began or ended, in ms since the epoch. */
  readonly at: number;
}

export interface LeaseRow {
  /** The id of the last holder; empty if the slot was released. The holder has the slot only while the row of the holder exists. */
  readonly holder: string;
  /** Increases with every new holder. */
  readonly epoch: number;
  readonly asked?: Asked;
}

/** The work for which leases are held. */
export interface LeaseTask {
  readonly job: string;
  readonly batchId?: string;
}

/** What a holder says about itself while it has no work. */
export interface Idle {
  /** When it ran out of work, by its own clock. Other workers only compare it with an earlier value. */
  readonly since: number;
  /** The number of due rows that it cannot select, by slot. Slots without such rows are left out. */
  readonly left: Readonly<Record<string, number>>;
}

/** The row of a holder. Every renewal writes the row again. The holder removes the row when it ends. */
export interface HolderRow {
  /** The `owner` of the `Tables` object that has the leases. */
  readonly owner: string;
  /** The machine and process of the holder, for people. */
  readonly name: string;
  /**
   * When the holder last renewed the row, by the clock of the holder, in ms since the epoch. Only for people: no decision depends on this
   * time.
   */
  readonly at: number;
  readonly tasks: readonly LeaseTask[];
  /** Absent: the holder works. */
  readonly idle?: Idle;
}

const LEASE = { prefix: 'lease-', column: INDEX_COLUMNS.lease, codec: json<LeaseRow>(isRecord) };
const HOLDER = { prefix: 'holder-', column: INDEX_COLUMNS.leaseHolder, codec: json<HolderRow>(isRecord) };

type Kind<R> = { prefix: string; column: Column; codec: ReturnType<typeof json<R>> };
const STEP = 1000;

interface SeenRow<R> {
  readonly row: R;
  /** The whole row as a string. It differs after every change of the row. */
  readonly state: string;
}

export type LeaseRows = ReturnType<typeof createLeaseRows>;

export function createLeaseRows(store: Store) {
  function kindOf<R>({ prefix, column, codec }: Kind<R>) {
    return {
      async get(names: readonly string[]): Promise<(SeenRow<R> | undefined)[]> {
        const keys = names.map((name) => prefix + name);
        return (await store.get('meta', keys, [column])).map(seen);
      },

      /**
       * Changes rows. If another worker has changed a row meanwhile, `decide` is called again.
       * @param decide gets the current row, and returns the new one; null removes the row, undefined leaves it unchanged
       */
      change(
        names: readonly string[],
        decide: (
          name: string,
          row: R | undefined,
          state: string | undefined,
        ) => R | null | undefined | Promise<R | null | undefined>,
      ): Promise<void> {
        const keys = names.map((name) => prefix + name);
        return changeShared(store, withoutLock, { table: 'meta', keys, column }, async (key, found) => {
          const before = seen(found);
          const row = await decide(key.slice(prefix.length), before?.row, before?.state);
          if (row === undefined) return undefined;
          return row ? { put: new Map([[column, codec.encode(row)]]) } : before && { clear: true };
        });
      },

      async all(): Promise<(SeenRow<R> & { readonly name: string })[]> {
        const range = { start: prefix, end: `${prefix.slice(0, -1)}.` };
        const listed = [];
        for await (const row of scanRows(store, 'meta', [column], [range], STEP)) {
          const found = seen(row);
          if (found) listed.push({ ...found, name: row.key.slice(prefix.length) });
        }
        return listed;
      },
    };

    function seen(found: StoredRow | undefined): SeenRow<R> | undefined {
      const cell = found?.cells.get(column);
      return cell && { row: codec.decode(cell), state: text.decode(cell) };
    }
  }

  return { leases: kindOf(LEASE), holders: kindOf(HOLDER) };
}
