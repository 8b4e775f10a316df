/**
 * The batches. Each batch has a header, an index of its rows, and the progress of its slots. Therefore a job reads only the data of its
 * batch.
 */
import { FENCE, type Slots } from '../keys/partition.js';
import type { Store } from '../store.js';
import type { Exclusive } from '../../packages/util/index.js';
import { createBatchEntries } from './batch-entries.js';
import { BATCH_STATES, createBatchHeaders, unknownBatch, type BatchState } from './batch-headers.js';
import { createBatchProgress, type BatchStep } from './batch-progress.js';
import { createRobotsRequests } from './robots-requests.js';

/** The batches of a table, and the rows in each batch. */
export type Batches = ReturnType<typeof createBatches>;

interface ClearOptions {
  readonly updated?: boolean;
  readonly ofSlots?: Iterable<string> | undefined;
}

/** The state of a batch in which a step has work. */
const STATE_OF = {
  generate: 'generating',
  fetch: 'open',
  parse: 'open',
  updatedb: 'updating',
  index: 'updated',
} as const satisfies Record<BatchStep, BatchState>;

export function createBatches(store: Store, slots: Slots, exclusive: Exclusive) {
  const headers = createBatchHeaders(store, exclusive);
  const entries = createBatchEntries(store, slots);
  const progress = createBatchProgress(store, slots, exclusive);
  const robotsRequests = createRobotsRequests(store, slots);

  /**
   * Removes the remaining entries from the index of a batch: its rows and the requests between its slots, or its updated rows.
   * @param options `updated`: whether to remove the updated rows; `ofSlots`: absent: all slots
   */
  async function clear(batchId: string, { updated = false, ofSlots }: ClearOptions = {}): Promise<void> {
    if (!updated) await robotsRequests.clear(batchId, ofSlots);
    await entries.clear(batchId, updated ? 'u' : 'e', ofSlots);
  }

  return {
    ...headers,
    ...entries,
    clear,

    /** Removes a batch whose rows are all released, and the rest of its index. */
    async delete(batchId: string): Promise<void> {
      await clear(batchId);
      await headers.change(batchId, () => null);
      await progress.clear(batchId);
    },

    /** The progress of slots of a batch. @param ofSlots absent: all slots */
    progress: progress.of,
    /** Whether a condition is true for the progress of all slots of a batch. */
    everyProgress: progress.every,
    /** Changes the progress of slots of a batch. The progress of each slot changes atomically. */
    changeProgress: progress.change,
    /** Requests for a robots.txt in another slot, after a redirect. */
    robotsRequests,
    /** Removes the recorded progress of a batch. */
    forget: progress.clear,
    /** The batches with recorded progress, including closed and removed ones. */
    noted: progress.batches,

    /**
     * Whether a step has nothing left to do on a batch, in any slot. Workers of shards check this between two passes over the slots.
     * @throws CrawlError UNKNOWN_BATCH, except for generate, which creates the batch
     */
    async isDone(batchId: string, step: BatchStep): Promise<boolean> {
      const header = await headers.find(batchId);
      if (!header) return step === 'generate' ? false : unknownBatch(batchId);
      const isPast = BATCH_STATES.indexOf(header.state) > BATCH_STATES.indexOf(STATE_OF[step]);
      if (header.state === 'closed' || isPast) return true;
      if (header.state === 'generating' || step === 'generate' || step === 'updatedb') return false;
      if (step === 'index' && header.state !== 'updated') return false;
      return progress.isThrough(batchId, step);
    },

    /** The fence keys: one at the end of each zone. */
    fences: (): string[] =>
      ['h', 'w', 'p', ...slots.all.flatMap((slot) => [`e${slot}`, `r${slot}`, `u${slot}`])].map(
        (zone) => `${zone}${FENCE}`,
      ),
  };
}
