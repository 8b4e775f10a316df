import { WHOLE, slotsOfShard, type HeldLeases, type LeaseTask, type Shard } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import type { JobOptions, Report } from '../reporting/job.js';

/** What jobs take that many workers may share. */
export interface ShardOption {
  /**
   * The part of the queues that this call works on, i of n: its workers have one each, and n may differ from job to job. No more than
   * the table has slots. Absent: all of them.
   */
  readonly shard?: Shard;
}

/** A crawl whose job holds leases. */
export interface LeasedCrawl extends CrawlContext {
  readonly leases: HeldLeases;
}

/**
 * Milliseconds that a job waits for what another worker holds: longer than a worker that was killed holds it, and the time that its
 * successor needs to find out.
 */
export const LEASE_WAIT = 60_000;

/**
 * Runs a job while it holds the leases of its shard. When they are lost its signal aborts, and it ends with LEASE_LOST unless all was done
 * before. What the same opening of the table holds already for another job it has at once; where others cannot be, all is at once.
 * @param run gets the crawl with `leases`, and the options with a signal that aborts with them too
 * @throws CrawlError USAGE for more shards than slots; LEASE_HELD, LEASE_LOST
 */
export async function withLeases<O extends JobOptions & ShardOption, R extends Report>(
  crawl: CrawlContext,
  options: O,
  task: LeaseTask,
  run: (crawl: LeasedCrawl, options: O) => Promise<R>,
): Promise<R | Report> {
  const { tables, clock } = crawl;
  const { shard = WHOLE, signal } = options;
  const slots = slotsOfShard(tables.slots, shard);
  let held: HeldLeases;
  try {
    held = await tables.leases.take(slots, { ...task, wait: LEASE_WAIT, clock, ...(signal && { signal }) });
  } catch (error) {
    if (!signal?.aborted) throw error;
    return { ...task, seconds: 0, counters: {}, interrupted: true };
  }
  const { lost } = held;
  const ends = tables.isShared ? (signal ? AbortSignal.any([signal, lost]) : lost) : signal;
  try {
    const report = await run({ ...crawl, leases: held }, { ...options, ...(ends && { signal: ends }) });
    if (lost.aborted && report.interrupted) throw lost.reason;
    return report;
  } catch (error) {
    // Whatever failed after that, failed since they were lost.
    throw lost.aborted ? lost.reason : error;
  } finally {
    await held.release();
  }
}
