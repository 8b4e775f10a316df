import { hash } from 'node:crypto';
import { createRecordSorter } from './sort/record-sorter.js';

/** Stands for a number that no key has. */
export const NONE = 2 ** 32 - 1;

/** Finds the rows of keys. The keys need no memory. If a method returns a promise, await the promise before the next call. */
export interface KeyJoin {
  enter(key: string, row: number): Promise<void> | undefined;
  /** Adds a question: which row has this key? `row` is the row that asks. */
  ask(key: string, row: number): Promise<void> | undefined;
  /**
   * Calls `each` for each question, in any order, with the row that asks and the row that has the key; {@link NONE} if no row has it. Call
   * `answer` once, after all calls of `enter` and `ask`.
   */
  answer(each: (asked: number, by: number) => Promise<void> | undefined): Promise<void>;
}

/**
 * Number of bytes of a record that are from the SHA-256 of the key. A flag for a question follows, and then the row. In sorted order, the
 * row with a key comes before all questions for this key. With 120 bits, two different keys practically never have the same digest: among
 * 2^40 keys the chance is one to 2^41.
 */
const DIGEST = 15;
const RECORD = 20;
const HAS = 0;
const ASKS = 1;

/** @param memory bytes for the sort */
export function createKeyJoin(folder: string, memory: number): KeyJoin {
  const sorter = createRecordSorter({ folder, memory, recordBytes: RECORD });
  const record = Buffer.alloc(RECORD);

  function add(key: string, what: number, row: number): Promise<void> | undefined {
    record.write(hash('sha256', key, 'binary'), 0, DIGEST, 'latin1');
    record[DIGEST] = what;
    record.writeUInt32LE(row, DIGEST + 1);
    return sorter.add(record);
  }

  return {
    enter: (key, row) => add(key, HAS, row),
    ask: (key, row) => add(key, ASKS, row),
    async answer(each) {
      const current = Buffer.alloc(DIGEST);
      let found = NONE;
      for await (const group of sorter.groups()) {
        for (const next of group) {
          const row = next.readUInt32LE(DIGEST + 1);
          if (next[DIGEST] === HAS) {
            next.copy(current, 0, 0, DIGEST);
            found = row;
            continue;
          }
          const wait = each(row, found !== NONE && isSame(current, next) ? found : NONE);
          if (wait) await wait;
        }
      }
    },
  };
}

function isSame(digest: Buffer, record: Buffer): boolean {
  for (let i = 0; i < DIGEST; i++) if (digest[i] !== record[i]) return false;
  return true;
}
