import type { Count } from './counters.js';

/**
 * Collects the counts of each row until the decision on the row is final.
 * @param count receives the final counts
 */
export function createRowCounts(count: Count) {
  const ofRow = new Map<string, Parameters<Count>[]>();
  return {
    /** Returns the count function for a row on which the job decides. Counts of an earlier decision on this row are dropped. */
    of(key: string): Count {
      const counted: Parameters<Count>[] = [];
      ofRow.set(key, counted);
      return (...args) => void counted.push(args);
    },
    /** Adds the counts of the final decisions. */
    end(): void {
      for (const counted of ofRow.values()) for (const args of counted) count(...args);
      ofRow.clear();
    },
  };
}
