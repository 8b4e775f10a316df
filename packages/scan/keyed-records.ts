import { createRecordSorter } from './sort/record-sorter.js';

/** Records of keys. They may be added in any order, and are joined by key on disk. */
export type KeyedRecords = ReturnType<typeof createKeyedRecords>;

interface KeyedRecord {
  readonly key: string;
  readonly isFirst: boolean;
  readonly type: number;
  readonly content: Buffer;
}

const EMPTY = new Uint8Array(0);
/** Number of bytes between key and content: a zero, which sorts before any character of a longer key, and the type. */
const HEAD_BYTES = 2;

/**
 * @param memory bytes for the sort
 * @throws CrawlError STORE_FULL, BAD_OUTPUT from the methods
 */
export function createKeyedRecords(folder: string, memory?: number) {
  const sorter = createRecordSorter({ folder, ...(memory !== undefined && { memory }) });
  let record = Buffer.alloc(2 ** 12);
  return {
    /**
     * Adds a record. If this returns a promise, await the promise before the next call.
     * @param key a string in Latin-1, not empty and without zeros, such as a row key
     * @param type 0 to 255
     */
    add(key: string, type: number, content: Uint8Array = EMPTY): Promise<void> | undefined {
      const start = key.length + HEAD_BYTES;
      const size = start + content.length;
      if (size > record.length) record = Buffer.alloc(2 * size);
      record.write(key, 0, 'latin1');
      record[key.length] = 0;
      record[key.length + 1] = type;
      record.set(content, start);
      return sorter.add(record.subarray(0, size));
    },
    /**
     * Yields the records in the order of their keys; those of a key in the order of their types, then of the bytes of their content. They
     * come in groups of any number. A group is valid only until the next one is read. Call `joined` once, and add nothing after it.
     */
    async *joined(): AsyncGenerator<readonly KeyedRecord[]> {
      let bytes = Buffer.alloc(0);
      let key = '';
      for await (const group of sorter.groups()) {
        const records: KeyedRecord[] = [];
        for (const each of group) {
          const isFirst = !isOfKey(each, bytes);
          if (isFirst) {
            bytes = Buffer.from(each.subarray(0, each.indexOf(0)));
            key = bytes.toString('latin1');
          }
          const type = each[bytes.length + 1]!;
          records.push({ key, isFirst, type, content: each.subarray(bytes.length + HEAD_BYTES) });
        }
        yield records;
      }
    },
  };
}

function isOfKey(record: Buffer, key: Buffer): boolean {
  const { length } = key;
  return length > 0 && record[length] === 0 && record.compare(key, 0, length, 0, length) === 0;
}
