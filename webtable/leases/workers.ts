/** The reports of the workers of a table: one row for each worker in table `meta`. Other processes add up these reports. */
import { isRecord, json, readableValue } from '../pages/codec.js';
import { after, readRange, removals, scanRows } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';

/** The last report of a worker. */
export interface WorkerRow {
  /** The `owner` of the `Tables` object of this worker. */
  readonly owner: string;
  /** The machine and process of the worker, for people. */
  readonly name: string;
  /** When the worker opened the table, and when it made this report, by the clock of the worker, in ms since the epoch. */
  readonly since: number;
  readonly at: number;
  /** The worker has closed the table. */
  readonly hasEnded?: true;
  /** The current and past work of the worker, as JSON. */
  readonly work: unknown;
}

export type Workers = ReturnType<typeof createWorkers>;

const codec = json<WorkerRow>((value) => isRecord(value) && 'owner' in value);
const COLUMN = INDEX_COLUMNS.workerReport;
const STEP = 1000;
const keyOf = (owner: string): string => `worker-${owner}`;
const END = 'worker.';

export function createWorkers(store: Store) {
  return {
    put: (row: WorkerRow): Promise<void> =>
      store.write('meta', [{ key: keyOf(row.owner), put: new Map([[COLUMN, codec.encode(row)]]) }]),

    async list(): Promise<WorkerRow[]> {
      const listed: WorkerRow[] = [];
      for await (const row of scanRows(store, 'meta', [COLUMN], [{ start: keyOf(''), end: END }], STEP)) {
        const worker = readableValue(row, COLUMN, codec);
        if (worker) listed.push(worker);
      }
      return listed;
    },

    /**
     * Reads the next few rows after the row of a worker. Removes the rows without a report since `before`, in ms since the epoch. Names of
     * workers are random, so if each worker does this once, no old row stays for long.
     */
    async removeSome(owner: string, before: number): Promise<void> {
      const range = { start: after(keyOf(owner)), end: END };
      const next = await readRange(store, 'meta', [COLUMN], range, 50);
      const old = next.filter((row) => (readableValue(row, COLUMN, codec)?.at ?? before) < before);
      await store.write('meta', removals(old.map(({ key }) => key)));
    },
  };
}
