import { hash } from 'node:crypto';
import { readKeys } from './key-file.js';
import { createRecordSorter } from './sort/record-sorter.js';

/** Stands for a number that no key has. */
export const NONE = 2 ** 32 - 1;

/** Looks up the numbers of keys in a key file. The keys need no memory. */
export type KeyJoin = ReturnType<typeof createKeyJoin>;

/**
 * Number of bytes of a record that are from the SHA-256 of the key. A flag for a lookup follows, and then the number. In sorted order, a
 * key of the file comes before all lookups of this key. With 120 bits, two different keys practically never have the same digest: among
 * 2^40 keys the chance is one to 2^41.
 */
const DIGEST = 15;
const RECORD = 20;
const KEY = 0;
const LOOKUP = 1;

/** @param memory bytes for the sort */
export function createKeyJoin(folder: string, memory: number) {
  const sorter = createRecordSorter({ folder, memory, recordBytes: RECORD });
  const record = Buffer.alloc(RECORD);
  let lookups = 0;

  function sort(key: string, type: number, number: number): Promise<void> | undefined {
    record.write(hash('sha256', key, 'binary'), 0, DIGEST, 'latin1');
    record[DIGEST] = type;
    record.writeUInt32LE(number, DIGEST + 1);
    return sorter.add(record);
  }

  /**
   * Calls `each` for each lookup, in any order, with the number of the key; {@link NONE} if the file does not have it. Call `join` or
   * `numbers` once, after all calls of `add`.
   * @param keys the path of the key file
   */
  async function join(keys: string, each: (row: number, number: number) => Promise<void> | undefined): Promise<void> {
    if (lookups === 0) return;
    let number = 0;
    for await (const group of readKeys(keys)) {
      for (const key of group) {
        const wait = sort(key, KEY, number++);
        if (wait) await wait;
      }
    }
    const current = Buffer.alloc(DIGEST);
    let found = NONE;
    for await (const group of sorter.groups()) {
      for (const next of group) {
        const of = next.readUInt32LE(DIGEST + 1);
        if (next[DIGEST] === KEY) {
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
    /** Adds a lookup of a key, for the row with a number. If this returns a promise, await it before the next call. */
    add(key: string, row: number): Promise<void> | undefined {
      lookups += 1;
      return sort(key, LOOKUP, row);
    },
    join,
    /**
     * Returns the number of the key of each row; {@link NONE} for a row without a key of the file. The array is empty if nothing was
     * added.
     */
    async numbers(keys: string, rows: number): Promise<Uint32Array> {
      const numbers = new Uint32Array(lookups === 0 ? 0 : rows).fill(NONE);
      await join(keys, (row, number) => void (numbers[row] = number));
      return numbers;
    },
  };
}

function isSame(digest: Buffer, record: Buffer): boolean {
  for (let i = 0; i < DIGEST; i++) if (digest[i] !== record[i]) return false;
  return true;
}
