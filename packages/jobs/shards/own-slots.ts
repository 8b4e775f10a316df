import { LEASE_MS, slotsOfShard, type HeldLeases, type Shard } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import type { JobOptions, Report } from '../reporting/job.js';

/** What jobs take that can be run in shards. */
export interface ShardOptions {
  /** The part of the queues to work on; others work on the rest. Absent: all. */
  readonly shard?: Shard;
  /**
   * Milliseconds to wait for what other workers hold; then the job throws LEASE_HELD. Default: as long as it takes to find out that one
   * of them is dead, and a little longer. Only on a table that several processes work on.
   */
  readonly leaseWait?: number;
}

/** The slots that a job works on, and its right to. */
export interface OwnSlots {
  readonly slots: ReadonlySet<string>;
  /** All slots of the table. */
  readonly isWhole: boolean;
  /** A shard was named, be it all of them. */
  readonly isShard: boolean;
  readonly leases: HeldLeases;
}

/** What {@link inSlots} takes leases for. */
export interface SlotTask {
  readonly job: string;
  /** Absent: any. */
  readonly batchId?: string;
  /** It asks hosts. */
  readonly asks?: boolean;
}

/** Milliseconds after which a dead holder has been noticed, and a slow one has had another chance. */
export const USUAL_WAIT = LEASE_MS + 10_000;

/**
 * Runs a job while nobody else works on its slots. A job within another that has them works on the same.
 * @param run with the context that has the slots, and a signal that aborts too when they are lost
 * @throws CrawlError LEASE_HELD, LEASE_LOST; USAGE for more shards than slots. The reason of the signal, where it aborts before others have
 *   given back their slots
 */
export async function inSlots<T>(
  given: CrawlContext,
  { job, batchId, asks = false }: SlotTask,
  { shard, leaseWait = USUAL_WAIT, signal }: ShardOptions & { readonly signal?: AbortSignal },
  run: (crawl: CrawlContext, signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  if (given.own) return run(given, signal);
  const { tables, clock } = given;
  const slots = shard ? slotsOfShard(tables.slots, shard) : tables.slots.all;
  // One that is to end at once says so in its report.
  const waiting = signal?.aborted ? { wait: 0 } : { wait: leaseWait, ...(signal && { signal }) };
  const leases = await tables.leases
    .take(slots, { job, ...(batchId !== undefined && { batchId }), asks, clock, ...waiting })
    .catch((error: unknown) => {
      // One that is to end waits for nobody.
      signal?.throwIfAborted();
      throw error;
    });
  const own: OwnSlots = {
    slots: new Set(slots),
    isWhole: slots.length === tables.slots.all.length,
    isShard: shard !== undefined,
    leases,
  };
  let hasFailed = true;
  try {
    const ends = signal ? AbortSignal.any([signal, leases.lost]) : leases.lost;
    const result = await run({ ...given, own }, ends);
    leases.lost.throwIfAborted();
    hasFailed = false;
    return result;
  } catch (error) {
    // Whatever failed, it failed since others have the slots.
    leases.lost.throwIfAborted();
    throw error;
  } finally {
    const released = leases.release();
    // After a failure, others have them in a while.
    if (hasFailed) await released.catch(() => undefined);
    else await released;
  }
}

/** Runs a job that nobody else may work on the table beside, with a signal that aborts too when its leases are lost. */
export function inAllSlots<O extends JobOptions>(
  crawl: CrawlContext,
  job: string,
  options: O,
  run: (crawl: CrawlContext, options: O) => Promise<Report>,
): Promise<Report> {
  return inSlots(crawl, { job }, { ...(options.signal && { signal: options.signal }) }, (own, signal) =>
    run(own, { ...options, ...(signal && { signal }) }),
  );
}

/** The slots of a job that works on a part of them; undefined for one that works on all. */
export function partOf({ own }: Pick<CrawlContext, 'own'>): ReadonlySet<string> | undefined {
  return own && !own.isWhole ? own.slots : undefined;
}

/** The first of some slots; undefined of none. */
export function firstOf(slots: Iterable<string> = []): string | undefined {
  const [first] = slots;
  return first;
}

/** Whether a slot is among those of the job. */
export function isOwn({ own }: Pick<CrawlContext, 'own'>, slot: string): boolean {
  return !own || own.slots.has(slot);
}

/**
 * Waits until the slots are held, which they nearly always are. What is decided after it goes by what was read before, and is written
 * by the versions that were read: so a worker that was taken for dead meanwhile changes nothing.
 * @throws CrawlError LEASE_LOST
 */
export async function hold({ own }: Pick<CrawlContext, 'own'>): Promise<void> {
  if (own && !own.leases.isHeld()) await own.leases.untilHeld();
}

/**
 * Whether how far the slots are is noted: where others work on the table too, or have. In one process that has it for itself,
 * the header of the batch says all.
 */
export function isNoted({ own, tables }: Pick<CrawlContext, 'own' | 'tables'>): boolean {
  return tables.isShared || own?.isShard === true;
}
