import { hash } from 'node:crypto';
import { createRecordSorter } from './sort/index.js';
import { NONE } from './resolve.js';

/** Says which rows have keys, without holding the keys. Where a promise is returned, wait for it before the next call. */
export interface KeyJoin {
  /** A key, and the row that has it. */
  enter(key: string, row: number): Promise<void> | undefined;
  /** Asks for a row which row has a key. */
  ask(key: string, row: number): Promise<void> | undefined;
  /**
   * Each question's row, with the row that has its key or {@link NONE}; not in the order of the questions. It is called once,
   * when all is entered and asked.
   */
  answer(each: (asked: number, by: number) => Promise<void> | undefined): Promise<void>;
}

/**
 * A record is so much of the SHA-256 of a key, whether the row has the key or asks for it, and the row. Sorted, who has a key
 * comes before all who ask for it. Of 120 bits two keys do not meet: among 2^40 of them the chance is one to 2^41.
 */
const DIGEST = 15;
const RECORD = 20;
const HAS = 0;
const ASKS = 1;

/** @param memory bytes for what is sorted */
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
