import type { TableName } from '../../schema.js';

/** Bytes that an answer is to have, so that a gateway, which holds all of it in memory, and this process have little to do with it. */
const ANSWER_BYTES = 4 * 1024 * 1024;

/** Bytes of a family in one row, until rows were read; other families are small. */
const FIRST_GUESS: Readonly<Record<string, number>> = { m: 600, l: 4_000, p: 40_000, c: 400_000 };
const SMALL = 200;

/** How much the rows read last count, of which an average is kept. */
const WEIGHT_OF_NEW = 1 / 16;

/** How large rows are, by what is read of them. */
export interface RowSizes {
  of(
    table: TableName,
    families: readonly string[],
  ): {
    /** How many rows to ask for. */
    rowsAtOnce(most: number): number;
    /** A row had so many bytes. */
    learn(bytes: number): void;
  };
}

/** Keeps an average for each table and set of families. */
export function createRowSizes(): RowSizes {
  const known = new Map<string, ReturnType<RowSizes['of']>>();
  return {
    of(table, families) {
      const name = [table, ...families].join();
      const found = known.get(name);
      if (found) return found;
      let average = families.reduce((sum, family) => sum + (FIRST_GUESS[family] ?? SMALL), 0);
      const size = {
        rowsAtOnce: (most: number): number => Math.max(1, Math.min(most, Math.floor(ANSWER_BYTES / average))),
        learn(bytes: number): void {
          // Large rows count at once, so that an answer with many of them is the last one.
          average = Math.max(average + (bytes - average) * WEIGHT_OF_NEW, SMALL / 2);
        },
      };
      known.set(name, size);
      return size;
    },
  };
}
