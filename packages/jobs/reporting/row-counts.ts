import type { Count } from './counters.js';

/**
 * Counts what becomes of rows that are decided on again where somebody else has changed them meanwhile: of each row only the last
 * decision counts.
 */
export interface RowCounts {
  /** For a row that is decided on now; what was counted of it before is forgotten. */
  of(key: string): Count;
  /** Counts what was decided on in the end. */
  end(): void;
}

/** @param count what counts in the end */
export function createRowCounts(count: Count): RowCounts {
  const ofRow = new Map<string, Parameters<Count>[]>();
  return {
    of(key) {
      const counted: Parameters<Count>[] = [];
      ofRow.set(key, counted);
      return (...args) => void counted.push(args);
    },
    end() {
      for (const counted of ofRow.values()) for (const args of counted) count(...args);
      ofRow.clear();
    },
  };
}
