import { createRecordSorter } from '../../scan/index.js';

const RECORD = 9;

/** Finds pairs of pages in which the first page names the second, but the second does not name the first. */
export function createAlternatePairs(folder: string, memory: number) {
  const sorter = createRecordSorter({ folder, memory: Math.floor(memory / 4), recordBytes: RECORD });
  const record = Buffer.alloc(RECORD);
  return {
    add(from: number, to: number): Promise<void> | undefined {
      record.writeUInt32BE(Math.min(from, to));
      record.writeUInt32BE(Math.max(from, to), 4);
      record[8] = from < to ? 1 : 2;
      return sorter.add(record);
    },
    async oneSided(each: (from: number, to: number) => Promise<void>): Promise<void> {
      let pair: { readonly low: number; readonly high: number; ways: number } | undefined;
      const end = async (): Promise<void> => {
        if (pair?.ways === 1) await each(pair.low, pair.high);
        if (pair?.ways === 2) await each(pair.high, pair.low);
      };
      for await (const group of sorter.groups()) {
        for (const next of group) {
          const [low, high, way] = [next.readUInt32BE(0), next.readUInt32BE(4), next[8]!];
          if (pair?.low === low && pair.high === high) pair.ways |= way;
          else {
            await end();
            pair = { low, high, ways: way };
          }
        }
      }
      await end();
    },
  };
}
