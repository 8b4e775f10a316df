import type { Asked, BatchHeader, LeaseInfo } from '../../webtable/index.js';
import type { CrawlContext } from './context.js';
import type { DueCount } from './reporting/due-count.js';
import type { JobFailure, Progress } from './reporting/job.js';
import { readWorkers, type WorkerStatus } from './reporting/worker-reports.js';
import type { RunningJobs } from './reporting/running-jobs.js';
import type { Totals } from './reporting/totals.js';

/** Bytes on the disk. */
export interface DiskUse {
  /** Rows and their indexes. */
  readonly table: number;
  /** Bodies. */
  readonly content: number;
  /** The index of words, where it is in the folder of the table. */
  readonly index: number;
}

/** Bytes of memory of a process. */
export interface MemoryUse {
  /** What the system has given it. */
  readonly resident: number;
  /** Of this, the objects of JavaScript. */
  readonly heap: number;
}

/**
 * What goes on at a table, and what is left to do: the one object that the terminal, `status`, the dashboard and the metrics
 * read. Plain data, fit for JSON; URLs and hosts are untrusted text.
 */
export interface TableStatus {
  /** When this was so, in ms since the epoch. */
  readonly now: number;
  /** The jobs under way. */
  readonly jobs: readonly Progress[];
  /** Jobs beside the crawl that failed and are tried again; absent where there are none. */
  readonly failing?: readonly JobFailure[];
  readonly due: DueCount;
  /** Batches that hold pages, oldest first; not those that are updated and only wait to be indexed. */
  readonly batches: readonly BatchHeader[];
  /**
   * Batches that are updated and wait to be indexed, as `index` has not run since. Without one that runs they grow, until
   * `index --forget` releases them. Absent where a process of an older version has the table open.
   */
  readonly batchesToIndex?: number;
  /** The last fetch, or crawl; absent where there was none. */
  readonly lastFetch?: Asked;
  /** What the process that has the table open has done with it. */
  readonly totals: Totals;
  /** Of a table that processes share: the others that work on it, or did within the hour. `jobs` and `totals` are the sums over all of them then. */
  readonly workers?: readonly WorkerStatus[];
  /** When that process opened the table, in ms since the epoch. */
  readonly since: number;
  /** Its memory. */
  readonly memory: MemoryUse;
  /** Absent of a table without a folder. */
  readonly disk?: DiskUse;
}

/** Where a status gets its figures from. */
export interface StatusSource extends Pick<CrawlContext, 'tables' | 'clock'> {
  readonly running: RunningJobs;
  /** When the table was opened, in ms since the epoch. */
  readonly since: number;
  /** Absent: the table has no folder. */
  readonly diskUse?: () => Promise<DiskUse>;
}

/** The status of the table that is open in this process. */
export async function ownStatus({ tables, clock, running, since, diskUse }: StatusSource): Promise<TableStatus> {
  const last = lastFetchOf(await tables.leases.list());
  const due = await running.due();
  const batches = await tables.batches.list();
  const updated = await tables.batches.listUpdated();
  const disk = await diskUse?.();
  const { rss, heapUsed } = process.memoryUsage();
  const failing = running.failing();
  const all = await readWorkers({ tables, clock }, { jobs: running.progress(), totals: running.totals() });
  return {
    now: clock(),
    // In one go, so that they are of one moment.
    jobs: all?.jobs ?? running.progress(),
    ...(failing.length > 0 && { failing }),
    totals: all?.totals ?? running.totals(),
    ...(all && { workers: all.workers }),
    due,
    batches,
    batchesToIndex: updated.length,
    ...(last && { lastFetch: last }),
    since,
    memory: { resident: rss, heap: heapUsed },
    ...(disk && { disk }),
  };
}

/** Of all parts of the table: one that goes on, or was killed, before one that has ended; the latest of them. */
function lastFetchOf(leases: readonly LeaseInfo[]): Asked | undefined {
  let last: Asked | undefined;
  for (const { asked } of leases) {
    if (!asked || (last?.state === 'running' && asked.state === 'ended')) continue;
    if (!last || last.state !== asked.state || asked.at > last.at) last = asked;
  }
  return last;
}
