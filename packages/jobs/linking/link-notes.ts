import type { BatchEntry } from '../../../webtable/index.js';

/** Names of the notes of a row, or of a host, that say what it has of batches that are open. */
export const noteOf = (batchId: string, { slot }: BatchEntry): string => `${batchId}/${slot}`;

/** The note of the batch of which links made a row, as long as other shards may add more of it. */
export const madeBy = (batchId: string): string => `${batchId}/made`;

/** The note of the batch of which links made a useful row: the first page, in order of row keys, that links to it. */
export const firstBy = (batchId: string): string => `${batchId}/first`;

/** The batch of which a note is. */
export const batchOf = (note: string): string => note.split('/', 1)[0]!;
