/**
 * The targets to which the changes of the table are sent, and the progress of each target. Each target has a row in `meta`, which changes
 * atomically.
 */
import { hashOf, type Exclusive } from '../../packages/util/index.js';
import { isRecord, json, metaValue } from '../pages/codec.js';
import { scanRows } from '../scan-steps.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';
import { changeShared } from '../change-shared.js';

/** The data on the targets, see {@link createWatches}. The job that sends changes defines the content of the data, as JSON. */
export type Watches = ReturnType<typeof createWatches>;

const START = 'watch|';
const STEP = 100;
const COLUMN = INDEX_COLUMNS.watchTarget;
const codec = json<object>(isRecord);
const keyOf = (target: string): string => START + hashOf(target);

export function createWatches(store: Store, exclusive: Exclusive) {
  return {
    /**
     * Returns the data on all targets.
     * @throws CrawlError TABLE_DAMAGED
     */
    async list(): Promise<readonly object[]> {
      const found: object[] = [];
      for await (const row of scanRows(store, 'meta', [COLUMN], [{ start: START, end: 'watch}' }], STEP)) {
        const value = metaValue(row, COLUMN, codec);
        if (value) found.push(value);
      }
      return found;
    },

    /**
     * Changes the data on a target. No other process can change the data meanwhile.
     * @param decide gets the present data, or undefined for a new target. Returns the data to store, or `remove` to remove the target. It
     * may throw
     */
    async change(target: string, decide: (before: object | undefined) => object | 'remove' | undefined): Promise<void> {
      const rows = { table: 'meta', keys: [keyOf(target)], column: COLUMN } as const;
      await changeShared(store, exclusive, rows, (_, row) => {
        const value = decide(metaValue(row, COLUMN, codec));
        if (value === 'remove') return { clear: true };
        return value && { put: new Map([[COLUMN, codec.encode(value)]]) };
      });
    },
  };
}
