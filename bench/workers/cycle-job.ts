// Runs one job on a table of the benchmark `cycle`.
import { fileURLToPath } from 'node:url';
import { setV8Flags } from '../../packages/util/index.js';
import { LevelStore, jobs, openContext } from '../../packages/webcrawl/internal.js';
import { isOnHBase } from '../../packages/webcrawl/open-store.js';
import { openHBaseStore } from '../../packages/hbase/index.js';
import { CYCLE_TIME } from '../lib/cycle-table.js';
import { countStore } from '../lib/count-store.js';
import { newCounts } from '../lib/operations.js';
import { givenArgument, measured, reply, type TaskCost } from '../lib/worker.js';

/** The job to run. */
export interface CycleJob {
  /** `level:<directory>`, or the URL of a table on HBase. */
  readonly table: string;
  readonly job: 'generate' | 'fetch' | 'parse' | 'updatedb';
  readonly topN: number;
  /** In addition to the settings of every job. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** For all jobs but generate. */
  readonly batch?: string;
}

/** The cost of the job itself, without opening and closing the table. */
export interface JobFigures extends TaskCost {
  readonly batchId?: string;
  /** Number of rows that the job processed. */
  readonly did: number;
  /** Number of page keys that the store was asked for, and of rows that its scans returned. */
  readonly rowsRead: number;
  readonly counters: Readonly<Record<string, number>>;
}

const { table, job, topN, settings, batch = '' } = givenArgument<CycleJob>();
setV8Flags();
const operations = newCounts();
const onHBase = isOnHBase(table) ? await openHBaseStore(table) : undefined;
// The store on HBase has the same methods.
countStore((onHBase ?? LevelStore.prototype) as LevelStore, operations);
const crawl = await openContext({
  table: onHBase ?? table,
  create: false,
  settings: {
    ...settings,
    'fetcher.serverDelay': 0,
    'fetcher.threadsPerQueue': 64,
    'fetcher.threadsFetch': 64,
    plugins: [fileURLToPath(new URL('cycle-web.js', import.meta.url))],
  },
  clock: () => CYCLE_TIME + performance.now(),
});
const [{ batchId, counters }, cost] = await measured(() =>
  job === 'generate' ? jobs.generate(crawl, { topN }) : jobs[job](crawl, { batch }),
);
const { rowsRead } = operations;
await crawl.close();

const TAKEN_UP = ['generated', 'fetched', 'already_fetched', 'parsed', 'already_parsed'];
const did = TAKEN_UP.map((name) => counters[name] ?? 0).find((count) => count > 0) ?? 0;
reply({
  ...cost,
  did,
  rowsRead,
  counters,
  ...(batchId !== undefined && { batchId }),
} satisfies JobFigures);
