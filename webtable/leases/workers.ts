/** What workers of a table say of themselves: a row each in table `meta`, which others add up. */
import { json } from '../pages/codec.js';
import { after, readRange, scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';

/** What a worker last said. */
export interface WorkerRow {
  /** The opening of the table (`tables.owner`) that it is. */
  readonly owner: string;
  /** For people: its machine and process. */
  readonly name: string;
  /** When it opened the table, and when it said this, by its own clock in ms since the epoch. */
  readonly since: number;
  readonly at: number;
  /** It has closed the table. */
  readonly hasEnded?: true;
  /** What it does and has done, as JSON. */
  readonly work: unknown;
}

/** The rows of the workers. */
export type Workers = ReturnType<typeof createWorkers>;

const codec = json<WorkerRow>((value) => typeof value === 'object' && value !== null && 'owner' in value);
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
      for await (const rows of scanSteps(store, 'meta', [COLUMN], [{ start: keyOf(''), end: END }], STEP)) {
        for (const { cells } of rows) {
          const cell = cells.get(COLUMN);
          if (cell) listed.push(codec.decode(cell));
        }
      }
      return listed;
    },

    /**
     * Removes those among the next few rows after that of a worker that said nothing since `before`, in ms since the epoch. Names of
     * workers are random: when each does this once, no row stays for long.
     */
    async removeSome(owner: string, before: number): Promise<void> {
      const range = { start: after(keyOf(owner)), end: END };
      const next = await readRange(store, 'meta', [COLUMN], range, 50);
      const old = next.filter(({ cells }) => {
        const cell = cells.get(COLUMN);
        return cell !== undefined && codec.decode(cell).at < before;
      });
      if (old.length > 0)
        await store.write(
          'meta',
          old.map(({ key }) => ({ key, clear: true })),
        );
    },
  };
}
