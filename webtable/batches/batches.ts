/** The batches. Each batch has a header, and an index of its rows. Therefore a job reads only the data of its batch. */
import { FENCE, type Slots } from '../keys/partition.js';
import type { Store } from '../store.js';
import type { Exclusive } from '../../packages/util/index.js';
import { createBatchEntries } from './batch-entries.js';
import { createBatchHeaders } from './batch-headers.js';

export type Batches = ReturnType<typeof createBatches>;

export function createBatches(store: Store, slots: Slots, exclusive: Exclusive) {
  const headers = createBatchHeaders(store, slots, exclusive);
  const entries = createBatchEntries(store, slots);

  return {
    ...headers,
    ...entries,

    /**
     * Removes slots from a batch whose rows there are all released, without an update, and closes the batch with its last slots.
     * @param ofSlots absent: all slots
     */
    async abandon(batchId: string, ofSlots?: ReadonlySet<string>): Promise<void> {
      await entries.clear(batchId, { ofSlots });
      await headers.removeSlots(batchId, ofSlots, ({ size }) => ({ size, state: 'closed' }));
    },

    /** The fence keys: one at the end of each zone. */
    fences: (): string[] =>
      ['h', 'w', ...slots.all.flatMap((slot) => [`e${slot}`, `u${slot}`])].map((zone) => `${zone}${FENCE}`),
  };
}
