import type { TableName } from '../core/index.js';

/** Target size of a response in bytes. A gateway has the whole response in memory, so the response should be small. */
const RESPONSE_BYTES = 4 * 1024 * 1024;

/** Assumed bytes of a family in one row, until the first row was read. Families that are not listed are small. */
const FIRST_GUESS: Readonly<Record<string, number>> = { m: 600, l: 4_000, p: 40_000, c: 400_000 };
const SMALL = 200;

const WEIGHT_OF_NEW = 1 / 16;

/** The average size of the rows of some families of a table. */
export type RowSize = ReturnType<typeof newSize>;

/** Keeps an average for each table and set of families. */
export function createRowSizes() {
  const known = new Map<string, RowSize>();
  return {
    of(table: TableName, families: readonly string[]): RowSize {
      const name = [table, ...families].join();
      const found = known.get(name);
      if (found) return found;
      const size = newSize(families);
      known.set(name, size);
      return size;
    },
  };
}

function newSize(families: readonly string[]) {
  let average = families.reduce((sum, family) => sum + (FIRST_GUESS[family] ?? SMALL), 0);
  return {
    rowsAtOnce: (most: number): number => Math.max(1, Math.min(most, Math.floor(RESPONSE_BYTES / average))),
    learn(bytes: number): void {
      // A large row changes the average at once, so that the next response has fewer rows.
      average = Math.max(average + (bytes - average) * WEIGHT_OF_NEW, SMALL / 2);
    },
  };
}
