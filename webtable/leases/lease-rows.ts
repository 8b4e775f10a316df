/** The rows of the leases in table `meta`: one for each slot, and one for each holder. */
import { json } from '../pages/codec.js';
import { scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Column, Store } from '../store.js';

/** When requests to the hosts of a slot may have been made. */
export interface Asked {
  /** `running` from the start to the clean end of what asks: also when it was killed. */
  readonly state: 'running' | 'ended';
  /** When it began, or ended; in ms since the epoch. */
  readonly at: number;
}

/** The row of a slot. */
export interface LeaseRow {
  /** Who took it last; empty where it was released. It is held only while the row of the holder is there. */
  readonly holder: string;
  /** Grows with every new holder. */
  readonly epoch: number;
  readonly asked?: Asked;
}

/** What leases are held for. */
export interface LeaseTask {
  readonly job: string;
  readonly batchId?: string;
}

/** The row of a holder, written again at every renewal, and removed at its end. */
export interface HolderRow {
  /** The opening of the table (`tables.owner`) that holds. */
  readonly owner: string;
  /** For people: its machine and process. */
  readonly name: string;
  /** The time of its last renewal by its own clock, in ms since the epoch. For people; nothing is decided by it. */
  readonly at: number;
  readonly tasks: readonly LeaseTask[];
}

/** A row with the version by which it can be changed; undefined where there is none. */
export interface Versioned<R> {
  readonly row: R | undefined;
  readonly version: string | undefined;
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const leaseCodec = json<LeaseRow>(isObject);
const holderCodec = json<HolderRow>(isObject);

const LEASE = { prefix: 'lease-', column: INDEX_COLUMNS.lease, codec: leaseCodec };
const HOLDER = { prefix: 'holder-', column: INDEX_COLUMNS.leaseHolder, codec: holderCodec };

type Kind<R> = { prefix: string; column: Column; codec: ReturnType<typeof json<R>> };
const STEP = 1000;

export type LeaseRows = ReturnType<typeof createLeaseRows>;

export function createLeaseRows(store: Store) {
  const isShared = store.writeUnchanged !== undefined;

  function kindOf<R>({ prefix, column, codec }: Kind<R>) {
    return {
      async get(names: readonly string[]): Promise<Versioned<R>[]> {
        if (names.length === 0) return [];
        const keys = names.map((name) => prefix + name);
        const found = await store.get('meta', keys, [column]);
        return found.map((row) => {
          const cell = row?.cells.get(column);
          return { row: cell && codec.decode(cell), version: row?.version };
        });
      },

      /** @returns of each whether it was made: the row was as it was read */
      async write(
        changes: readonly { name: string; row: R | undefined; version: string | undefined }[],
      ): Promise<readonly boolean[]> {
        if (changes.length === 0) return [];
        const all = changes.map(({ name, row, version }) => {
          const put = row && new Map([[column, codec.encode(row)]]);
          return { change: { key: prefix + name, clear: true, ...(put && { put }) }, version };
        });
        if (store.writeUnchanged) return store.writeUnchanged('meta', all);
        await store.write(
          'meta',
          all.map(({ change }) => change),
        );
        return all.map(() => true);
      },

      async all(): Promise<{ readonly name: string; readonly row: R; readonly version: string | undefined }[]> {
        const range = { start: prefix, end: `${prefix.slice(0, -1)}.` };
        const listed = [];
        for await (const rows of scanSteps(store, 'meta', [column], [range], STEP)) {
          for (const { key, cells, version } of rows) {
            const cell = cells.get(column);
            if (cell) listed.push({ name: key.slice(prefix.length), row: codec.decode(cell), version });
          }
        }
        return listed;
      },
    };
  }

  return { isShared, leases: kindOf(LEASE), holders: kindOf(HOLDER) };
}
