import type { BatchEntry } from '../../../webtable/index.js';

/**
 * Returns the name of a row's watermark for a slot of a batch. The value of this watermark is the last source in the slot whose links the
 * row has.
 */
export const watermarkOf = (batchId: string, { slot }: BatchEntry): string => `${batchId}/${slot}`;

/** Returns the batch id in the name of a watermark. */
export const batchOf = (watermark: string): string => watermark.split('/', 1)[0]!;
