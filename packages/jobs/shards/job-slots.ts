import { LEASE_MS, slotsOfShard, type BatchHeader, type HeldLeases, type Shard } from '../../../webtable/index.js';
import { CrawlError } from '../../errors/index.js';
import type { CrawlContext, JobRun } from '../context.js';
import type { JobOptions, Report } from '../reporting/job.js';

/** An option of jobs that need slots. */
export interface LeaseOptions {
  /**
   * Milliseconds to wait for slots that other workers hold. After that the job throws LEASE_HELD. Default: a little longer than the time
   * until a dead worker is detected. This option applies only to a table that several processes use.
   */
  readonly leaseWaitMs?: number;
}

/** Options of jobs that can work on a part of the table. */
export interface ShardOptions extends LeaseOptions {
  /** The part of the table to work on, while other workers work on the other parts. Absent: the whole table. */
  readonly shard?: Shard;
}

/** The slots that a job works on, with their leases. */
export interface JobSlots {
  readonly slots: ReadonlySet<string>;
  /** Whether the job works on all slots of the table. */
  readonly isWhole: boolean;
  readonly leases: HeldLeases;
}

/** The work for which {@link inSlots} takes leases. */
export interface SlotTask {
  readonly job: string;
  /** Absent: the work is on any batch. */
  readonly batchId?: string;
  /** Whether the job sends requests to hosts. */
  readonly asks?: boolean;
}

interface SlotOptions extends LeaseOptions {
  /** Absent: all slots of the table. */
  readonly slots?: readonly string[] | undefined;
  /** Whether to leave out slots that other workers hold, without a wait. */
  readonly leaveTaken?: boolean;
  readonly signal?: AbortSignal;
}

/** Milliseconds to wait for slots. In this time, the leases of a dead worker expire, and a slow worker can renew its leases. */
export const USUAL_WAIT_MS = LEASE_MS + 10_000;

/**
 * Runs a job while no other worker works on its slots.
 * @param run gets the slots, and a signal. The signal also aborts when the leases are lost.
 * @throws CrawlError LEASE_HELD, LEASE_LOST; the reason of the signal, if the signal aborts before other
 * workers have released the slots
 */
export async function inSlots<T>(
  { tables, clock }: Pick<CrawlContext, 'tables' | 'clock'>,
  { job, batchId, asks = false }: SlotTask,
  { slots, leaseWaitMs = USUAL_WAIT_MS, leaveTaken = false, signal }: SlotOptions,
  run: (jobSlots: JobSlots, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // If the signal is already aborted, the job does not wait for slots. Its report says that it was interrupted.
  const waiting = signal?.aborted ? { wait: 0 } : { wait: leaseWaitMs, leaveTaken, ...(signal && { signal }) };
  const leases = await tables.leases
    .take(slots ?? tables.slots.all, { job, ...(batchId !== undefined && { batchId }), asks, clock, ...waiting })
    .catch((error: unknown) => {
      // The signal has ended the wait for slots.
      signal?.throwIfAborted();
      throw error;
    });
  const jobSlots: JobSlots = {
    slots: leases.slots,
    isWhole: leases.slots.size === tables.slots.all.length,
    leases,
  };
  let hasFailed = true;
  try {
    const ends = signal ? AbortSignal.any([signal, leases.lost]) : leases.lost;
    const result = await run(jobSlots, ends);
    leases.lost.throwIfAborted();
    hasFailed = false;
    return result;
  } catch (error) {
    // If the leases are lost, all other failures are only consequences.
    leases.lost.throwIfAborted();
    throw error;
  } finally {
    const released = leases.release();
    // If the release of the leases fails, they expire soon.
    if (hasFailed) await released.catch(() => undefined);
    else await released;
  }
}

/**
 * Runs a job that needs all slots, so that no other job works on the table. The signal in `options` then also aborts when the leases are
 * lost.
 */
export function inAllSlots<O extends JobOptions, R extends Report>(
  crawl: Pick<CrawlContext, 'tables' | 'clock'>,
  job: string,
  options: O,
  run: (jobSlots: JobSlots, options: O) => Promise<R>,
): Promise<R> {
  return inSlots(crawl, { job }, { ...(options.signal && { signal: options.signal }) }, (jobSlots, signal) =>
    run(jobSlots, { ...options, signal }),
  );
}

/**
 * Returns the slots of a shard. Returns undefined for all slots.
 * @throws CrawlError USAGE for more shards than slots, and for several shards if queues are by IP address, because the hosts of an address
 * may be in any slot
 */
export function slotsOf(
  { tables, settings }: Pick<CrawlContext, 'tables' | 'settings'>,
  { shard }: ShardOptions,
): readonly string[] | undefined {
  if (!shard || shard.count === 1) return undefined;
  if (settings.partition.urlMode === 'ip') {
    throw new CrawlError('USAGE', 'several shards and partition.urlMode ip cannot be combined', {
      hint: 'hosts with the same address may belong to several workers, so no delay between their requests could be kept',
    });
  }
  return slotsOfShard(tables.slots, shard);
}

/** Returns the slots of a job that works on a part of the table. Returns undefined if the job works on all slots. */
export function partOf({ jobSlots }: Pick<JobRun, 'jobSlots'>): ReadonlySet<string> | undefined {
  return jobSlots.isWhole ? undefined : jobSlots.slots;
}

/** Returns the run for the work on a batch. Its slots are those slots of the job that the batch still has. */
export function withinBatch(crawl: JobRun, { slots }: Pick<BatchHeader, 'slots'>): JobRun {
  const { jobSlots } = crawl;
  if (!slots) return crawl;
  return {
    ...crawl,
    jobSlots: { ...jobSlots, slots: new Set(slots.filter((slot) => jobSlots.slots.has(slot))), isWhole: false },
  };
}

/** Returns the context of the work on some of the slots of a job. */
export function withoutSlots(crawl: JobRun, slots: readonly string[]): JobRun {
  if (slots.length === 0) return crawl;
  return withinBatch(crawl, { slots: crawl.tables.slots.all.filter((slot) => !slots.includes(slot)) });
}

/** Whether the job works on a slot of a batch. */
export function hasPart(crawl: JobRun, header: BatchHeader): boolean {
  return partOf(withinBatch(crawl, header))?.size !== 0;
}

/** Whether a batch has slots on which the job does not work. */
export function hasOthers(crawl: JobRun, header: BatchHeader): boolean {
  const all = (header.slots ?? crawl.tables.slots.all).length;
  return (partOf(withinBatch(crawl, header))?.size ?? all) < all;
}

/** Whether the job may write a row. Only its owner adds something to another row, and finds it in the inbox of the slot. */
export function ownsRow({ tables, jobSlots }: Pick<JobRun, 'tables' | 'jobSlots'>, rowKey: string): boolean {
  return jobSlots.leases.holds(tables.slots.ofRow(rowKey));
}

/** Whether a job works on a slot. @param crawl of a job that works on a batch: {@link withinBatch} */
export function isOfJob({ jobSlots }: Pick<JobRun, 'jobSlots'>, slot: string): boolean {
  return jobSlots.slots.has(slot);
}

/**
 * Waits until the leases of the slots are held by the clock of this worker. Usually they are held already. The worker may lose them right
 * after that, so before a step that cannot be undone use {@link confirmSlots}.
 * @throws CrawlError LEASE_LOST
 */
export async function checkLeases({ jobSlots }: Pick<JobRun, 'jobSlots'>): Promise<void> {
  if (!jobSlots.leases.isHeld()) await jobSlots.leases.untilHeld();
}

/**
 * Confirms by a read that the job still owns its slots. Call it after rows are written, and before what cannot be undone: before entries of inboxes
 * are removed, and before the header of a batch says that work is done.
 * @throws CrawlError LEASE_LOST
 */
export async function confirmSlots(crawl: Pick<JobRun, 'jobSlots'>, slots?: Iterable<string>): Promise<void> {
  await checkLeases(crawl);
  const { leases, slots: all } = crawl.jobSlots;
  await leases.confirm(slots ?? all);
}
