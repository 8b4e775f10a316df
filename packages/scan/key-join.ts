import { hash } from 'node:crypto';
import { readKeys } from './key-file.js';
import { createRecordSorter } from './sort/record-sorter.js';

/** Stands for a number that no key has. */
export const NONE = 2 ** 32 - 1;

/** Finds the numbers of keys in a key file. The keys need no memory. */
export interface KeyJoin {
  /** Asks for the number of a key. `by` is the number of the row that asks. If this returns a promise, await it before the next call. */
  ask(key: string, by: number): Promise<void> | undefined;
  /**
   * Calls `each` for each question, in any order, with the number of the key; {@link NONE} if the file does not have it. Call `answer` or
   * `numbers` once, after all calls of `ask`.
   * @param keys the path of the key file
   */
  answer(keys: string, each: (by: number, number: number) => Promise<void> | undefined): Promise<void>;
  /**
   * Returns the numbers by the number of the row that asked; {@link NONE} for a row that asked for no key of the file. The array is empty
   * if no row asked.
   */
  numbers(keys: string, rows: number): Promise<Uint32Array>;
}

/**
 * Number of bytes of a record that are from the SHA-256 of the key. A flag for a question follows, and then the number. In sorted order, a
 * key of the file comes before all questions for this key. With 120 bits, two different keys practically never have the same digest: among
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
  let asked = 0;

  function add(key: string, what: number, number: number): Promise<void> | undefined {
    record.write(hash('sha256', key, 'binary'), 0, DIGEST, 'latin1');
    record[DIGEST] = what;
    record.writeUInt32LE(number, DIGEST + 1);
    return sorter.add(record);
  }

  async function answer(keys: string, each: (by: number, number: number) => Promise<void> | undefined): Promise<void> {
    if (asked === 0) return;
    let number = 0;
    for await (const group of readKeys(keys)) {
      for (const key of group) {
        const wait = add(key, HAS, number++);
        if (wait) await wait;
      }
    }
    const current = Buffer.alloc(DIGEST);
    let found = NONE;
    for await (const group of sorter.groups()) {
      for (const next of group) {
        const of = next.readUInt32LE(DIGEST + 1);
        if (next[DIGEST] === HAS) {
          next.copy(current, 0, 0, DIGEST);
          found = of;
          continue;
        }
        const wait = each(of, found !== NONE && isSame(current, next) ? found : NONE);
        if (wait) await wait;
      }
    }
  }

  return {
    ask(key, by) {
      asked += 1;
      return add(key, ASKS, by);
    },
    answer,
    async numbers(keys, rows) {
      const numbers = new Uint32Array(asked === 0 ? 0 : rows).fill(NONE);
      await answer(keys, (by, number) => void (numbers[by] = number));
      return numbers;
    },
  };
}

function isSame(digest: Buffer, record: Buffer): boolean {
  for (let i = 0; i < DIGEST; i++) if (digest[i] !== record[i]) return false;
  return true;
}
