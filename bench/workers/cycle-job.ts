// Runs one job on a table of the benchmark `cycle`.
import { fileURLToPath } from 'node:url';
import { setV8Flags } from '../../packages/util/index.js';
import { LevelStore, jobs, openCrawl } from '../../packages/webcrawl/index.js';
import { isOnHBase, openHBaseStore } from '../../webtable/index.js';
import { CYCLE_TIME } from '../lib/cycle-table.js';
import { countStore } from '../lib/count-store.js';
import { newCounts } from '../lib/operations.js';
import { givenArgument, peakMemoryMb, reply, watchMemory } from '../lib/worker.js';

/** What to run. */
export interface CycleJob {
  /** `level:<directory>`, or a URL of one on HBase. */
  readonly table: string;
  readonly job: 'generate' | 'fetch' | 'parse' | 'updatedb';
  readonly topN: number;
  /** Beside those that every job has. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Of all jobs but generate. */
  readonly batch?: string;
  readonly resume?: boolean;
}

/** What it cost. */
export interface JobFigures {
  /** Of the job itself, without opening and closing the table. */
  readonly seconds: number;
  /** CPU seconds of the process meanwhile. */
  readonly cpuSeconds: number;
  /** Peak of the resident memory, with what is mapped of the table's files. */
  readonly peakMb: number;
  /** The same without; as `peakMb` where the system does not tell them apart. */
  readonly ownMb: number;
  /** Peaks of what the main thread has for objects, and of its bytes outside of that. */
  readonly heapMb: number;
  readonly bytesMb: number;
  readonly batchId?: string;
  /** Rows that the job took up. */
  readonly did: number;
  /** Keys of pages that the store was asked for, and rows that scans of it gave. */
  readonly rowsRead: number;
  readonly counters: Readonly<Record<string, number>>;
}

const { table, job, topN, settings, batch = '', resume } = givenArgument<CycleJob>();
setV8Flags();
const operations = newCounts();
const onHBase = isOnHBase(table) ? await openHBaseStore(table) : undefined;
// The same methods.
countStore((onHBase ?? LevelStore.prototype) as LevelStore, operations);
const crawl = await openCrawl({
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
const memory = watchMemory();
const start = performance.now();
const cpu = process.cpuUsage();
const report = await (job === 'generate'
  ? jobs.generate(crawl, { topN })
  : jobs[job](crawl, { batch, ...(resume && { resume }) }));
const seconds = (performance.now() - start) / 1000;
const { user, system } = process.cpuUsage(cpu);
const { batchId, counters } = report;
const { rowsRead } = operations;
await crawl.close();

const TAKEN_UP = ['generated', 'fetched', 'already_fetched', 'parsed', 'already_parsed'];
const did = TAKEN_UP.map((name) => counters[name] ?? 0).find((count) => count > 0) ?? 0;
const { ownMb = peakMemoryMb(), heapMb, bytesMb } = memory();
reply({
  seconds,
  cpuSeconds: (user + system) / 1e6,
  peakMb: peakMemoryMb(),
  ownMb,
  heapMb,
  bytesMb,
  did,
  rowsRead,
  counters,
  ...(batchId !== undefined && { batchId }),
} satisfies JobFigures);
