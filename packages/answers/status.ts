import {
  type Asked,
  type BatchHeader,
  type LeaseInfo,
  type CrawlContext,
  type DueCount,
  type JobFailure,
  type Progress,
  readWorkers,
  type WorkerStatus,
  type RunningJobs,
  type Totals,
} from '../core/index.js';

/** Disk space in bytes. */
export interface DiskUse {
  /** Bytes of the rows and their indexes. */
  readonly table: number;
  /** Bytes of the bodies. */
  readonly content: number;
  /** Bytes of the search index, if the index is in the folder of the table. */
  readonly index: number;
}

/** Bytes of memory of a process. */
export interface MemoryUse {
  /** All memory that the system has given to the process. */
  readonly resident: number;
  /** The part of the memory with JavaScript objects. */
  readonly heap: number;
}

/**
 * The state of a table: its running jobs and its remaining work. The terminal, `status`, the dashboard and the metrics all read this
 * object. All values can be written as JSON. URLs and hosts are untrusted text.
 */
export interface TableStatus {
  /** The time of this status, in ms since the epoch. */
  readonly now: number;
  /** The running jobs. */
  readonly jobs: readonly Progress[];
  /** Jobs that run beside a crawl, have failed, and will be retried by the crawl. Absent: there are no such jobs. */
  readonly failing?: readonly JobFailure[];
  readonly due: DueCount;
  /** Batches that hold pages, oldest first. Updated batches that only wait for `index` are left out. */
  readonly batches: readonly BatchHeader[];
  /**
   * Number of updated batches that wait for `index`. The number grows until `index` runs, or until `index --forget` releases the batches.
   * Absent: a process of an older version has the table open.
   */
  readonly batchesToIndex?: number;
  /**
   * For a table that processes share: number of entries in the inboxes of slots, such as links that wait for the owner of the slot. Counted
   * up to 1,000 in each slot. Absent for other tables.
   */
  readonly inInboxes?: number;
  /** The last fetch or crawl. Absent: none has run yet. */
  readonly lastFetch?: Asked;
  /** Sums over all work of the process that has the table open. */
  readonly totals: Totals;
  /**
   * For a table that processes share: the other processes that work on the table, or did so within the last hour. `jobs` and `totals` are
   * then for all processes together. Absent for other tables.
   */
  readonly workers?: readonly WorkerStatus[];
  /** When the process that has the table open opened it, in ms since the epoch. */
  readonly since: number;
  /** Memory of the process that has the table open. */
  readonly memory: MemoryUse;
  /** The disk space of the table. Absent: the table has no folder. */
  readonly disk?: DiskUse;
}

interface StatusSource extends Pick<CrawlContext, 'tables' | 'clock'> {
  readonly running: RunningJobs;
  /** When the table was opened, in ms since the epoch. */
  readonly since: number;
  /** Measures the disk space of the table. Absent: the table has no folder. */
  readonly diskUse?: () => Promise<DiskUse>;
}

const MAX_COUNTED_ENTRIES = 1000;

export async function ownStatus({ tables, clock, running, since, diskUse }: StatusSource): Promise<TableStatus> {
  const { inboxes, slots } = tables;
  const last = lastFetchOf(await tables.leases.list());
  const due = await running.due();
  const batches = await tables.batches.list();
  const updated = await tables.batches.listUpdated();
  const sizes = await inboxes.sizes(inboxes.of(slots.all), MAX_COUNTED_ENTRIES);
  const disk = await diskUse?.();
  const { rss, heapUsed } = process.memoryUsage();
  const failing = running.failing();
  const all = await readWorkers({ tables, clock }, { jobs: running.progress(), totals: running.totals() });
  return {
    now: clock(),
    // The jobs and totals of all workers are read together, so that they are of the same moment.
    jobs: all?.jobs ?? running.progress(),
    ...(failing.length > 0 && { failing }),
    totals: all?.totals ?? running.totals(),
    ...(all && { workers: all.workers, inInboxes: [...sizes.values()].reduce((sum, size) => sum + size, 0) }),
    due,
    batches,
    batchesToIndex: updated.filter(({ consumers = [] }) => consumers.length > 0).length,
    ...(last && { lastFetch: last }),
    since,
    memory: { resident: rss, heap: heapUsed },
    ...(disk && { disk }),
  };
}

/**
 * Returns the last fetch over all parts of the table. A fetch that is running or was killed comes before a fetch that has ended. Among
 * several of the same kind, the latest is returned.
 */
function lastFetchOf(leases: readonly LeaseInfo[]): Asked | undefined {
  let last: Asked | undefined;
  for (const { asked } of leases) {
    if (!asked || (last?.state === 'running' && asked.state === 'ended')) continue;
    if (!last || last.state !== asked.state || asked.at > last.at) last = asked;
  }
  return last;
}
