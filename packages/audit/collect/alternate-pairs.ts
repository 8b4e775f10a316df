import { createKeyedRecords } from '../../scan/index.js';

export type AlternatePairs = ReturnType<typeof createAlternatePairs>;

const FORTH = 1;
const BACK = 2;

/** Finds pairs of pages in which the first page names the second, but the second does not name the first. */
export function createAlternatePairs(folder: string, memory: number) {
  const records = createKeyedRecords(folder, Math.floor(memory / 4));
  return {
    add(from: number, to: number): Promise<void> | undefined {
      return records.add(`${Math.min(from, to)} ${Math.max(from, to)}`, from < to ? FORTH : BACK);
    },
    async oneSided(each: (from: number, to: number) => Promise<void>): Promise<void> {
      let pair = { key: '', ways: 0 };
      const end = async (): Promise<void> => {
        const [low = 0, high = 0] = pair.key.split(' ').map(Number);
        if (pair.ways === FORTH) await each(low, high);
        if (pair.ways === BACK) await each(high, low);
      };
      for await (const group of records.joined()) {
        for (const { key, isFirst, type } of group) {
          if (isFirst) {
            await end();
            pair = { key, ways: 0 };
          }
          pair.ways |= type;
        }
      }
      await end();
    },
  };
}
