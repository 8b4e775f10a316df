import { expect, test } from 'vitest';
import { createPairSorter, createRecordSorter } from '../../../packages/scan/index.js';
import { sortWords } from '../../../packages/scan/sort/sort-words.js';
import { atOnce } from '../../../packages/util/index.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { testFolder } from '../../support/files/temp-folder.js';

const PIECE = 2 ** 17;

test.each([
  ['none', 0, 1],
  ['fewer than are sorted in one step', 1000, 2 ** 52],
  ['as many', PIECE, 2 ** 52],
  ['one more', PIECE + 1, 2 ** 52],
  ['equal ones among many', 3 * PIECE + 7, 100],
  ['more, of all sizes', 5 * PIECE + 1234, 2 ** 64],
])('words are sorted as by the native sort: %s', (_, count, below) => {
  const random = randomNumbers(count);
  const words = BigUint64Array.from({ length: count }, () => BigInt(Math.floor(random() * below)));
  const expected = words.slice().sort();
  atOnce(sortWords(words));
  expect(Buffer.from(words.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
});

test('a part of a buffer is sorted, and nothing around it', () => {
  const all = BigUint64Array.from({ length: 2 * PIECE }, (_, i) => BigInt(2 * PIECE - i));
  atOnce(sortWords(all.subarray(10, 10 + PIECE + 5)));
  expect([...all.subarray(0, 10)]).toEqual([...BigUint64Array.from({ length: 10 }, (_, i) => BigInt(2 * PIECE - i))]);
  expect(all[10]).toBe(BigInt(2 * PIECE - 10 - (PIECE + 4)));
  expect(all[10 + PIECE + 5]).toBe(BigInt(2 * PIECE - (10 + PIECE + 5)));
});

/** The number of event loop turns during a task. */
async function turnsDuring(task: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  try {
    await task();
  } finally {
    isOver = true;
  }
  return turns;
}

test('other work gets turns while very many records and pairs are sorted in memory', async () => {
  const folder = testFolder();
  const records = createRecordSorter({ folder, recordBytes: 20 });
  const pairs = createPairSorter(folder);
  const random = randomNumbers(1);
  for (let i = 0; i < 300_000; i++) {
    const [first, second] = [Math.floor(random() * 2 ** 32), Math.floor(random() * 2 ** 32)];
    const record = Buffer.alloc(20);
    record.writeUInt32BE(first, 4);
    record.writeUInt32BE(second, 12);
    await records.add(record);
    await pairs.add(first, second);
  }
  expect(
    await turnsDuring(async () => {
      for await (const group of records.groups()) expect(group.length).toBeGreaterThan(0);
    }),
  ).toBeGreaterThan(3);
  expect(
    await turnsDuring(async () => {
      for await (const piece of pairs.sorted()) expect(piece.length).toBeGreaterThan(0);
    }),
  ).toBeGreaterThan(1);
});
