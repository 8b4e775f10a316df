import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRecordSorter, type SortOptions } from '../../../packages/scan/index.js';
import { runs } from '../../support/runs.js';
import { testFolder } from '../../support/files/temp-folder.js';

/** The number of runs of the sort, more than are merged at a time. */
const RUNS = runs(110, 150);

let folder: string;
beforeEach(() => void (folder = testFolder()));
afterEach(() => void vi.restoreAllMocks());

async function* sortRecords(records: Iterable<Uint8Array>, options: SortOptions): AsyncGenerator<Buffer> {
  const sorter = createRecordSorter(options);
  for (const record of records) await sorter.add(record);
  yield* sorter.sorted();
}

async function sorted(records: Iterable<Uint8Array>, options: Partial<SortOptions> = {}): Promise<string[]> {
  const found: string[] = [];
  for await (const record of sortRecords(records, { folder, ...options })) found.push(record.toString('hex'));
  return found;
}

const expected = (records: readonly Uint8Array[]): string[] =>
  [...records].sort((a, b) => Buffer.compare(a, b)).map((record) => Buffer.from(record).toString('hex'));

/** Numbers from 0 to 2^32, always the same. */
function numbers(seed: number): () => number {
  let x = seed;
  return () => (x = (Math.imul(x, 1664525) + 1013904223) >>> 0);
}

describe('records in memory', () => {
  test('with any bytes come in byte order', async () => {
    // Few different bytes, including zeros: most records equal others, or share a prefix.
    const record = fc.uint8Array({ maxLength: 14, max: 2 });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 200, size: 'max' }), async (records) => {
        expect(await sorted(records)).toEqual(expected(records));
      }),
      { numRuns: 200 },
    );
  });

  test('that share long prefixes, as URLs do', async () => {
    const urls = Array.from({ length: 5000 }, (_, i) =>
      Buffer.from(`com.example.www:https/${i % 3 ? 'news' : 'new'}/${(i * 7919) % 5003}/page`),
    );
    expect(await sorted(urls)).toEqual(expected(urls));
  });

  test('none, and empty ones', async () => {
    expect(await sorted([])).toEqual([]);
    expect(await sorted([Buffer.from('a'), Buffer.alloc(0), Buffer.from([0])])).toEqual(['', '00', '61']);
  });
});

describe('more records than fit into memory', () => {
  const many = (count: number, size: (n: number) => number): Buffer[] => {
    const random = numbers(7);
    return Array.from({ length: count }, () => {
      const record = Buffer.alloc(size(random()));
      for (let i = 0; i < record.length; i++) record[i] = random() >>> 29;
      return record;
    });
  };

  test('are merged from runs, which are removed afterwards', async () => {
    const records = many(runs(70_000, 100_000), (n) => (n >>> 8) % 40);
    expect(await sorted(records, { memory: 1 })).toEqual(expected(records));
    expect(await readdir(folder)).toEqual([]);
  });

  test('of one size', async () => {
    const records = many(runs(60_000, 120_000), () => 20);
    expect(await sorted(records, { memory: 1, recordBytes: 20 })).toEqual(expected(records));
  });

  test('in more runs than are merged at a time', async () => {
    // Each of them nearly fills the memory, so it is a run of its own.
    const records = many(RUNS, (n) => 4000 + (n % 1000)).map((record) =>
      Buffer.concat([record, Buffer.alloc(900_000)]),
    );
    const sorter = createRecordSorter({ folder, memory: 1 });
    for (const record of records) await sorter.add(record);
    expect((await readdir(folder)).length).toBeGreaterThan(100);
    let before = Buffer.alloc(0);
    let count = 0;
    for await (const record of sorter.sorted()) {
      expect(Buffer.compare(before, record)).toBeLessThanOrEqual(0);
      before = Buffer.from(record);
      count += 1;
    }
    expect(count).toBe(RUNS);
    expect(await readdir(folder)).toEqual([]);
  });

  test('with one that is larger than the memory', async () => {
    const records = [Buffer.alloc(5_000_000, 'b'), Buffer.alloc(3_000_000, 'c'), Buffer.from('a')];
    const sizes: number[] = [];
    for await (const record of sortRecords(records, { folder, memory: 1 })) sizes.push(record.length);
    expect(sizes).toEqual([1, 5_000_000, 3_000_000]);
  });

  test('leave no file open if a reader stops early', async () => {
    const records = many(100_000, () => 20);
    for await (const _ of sortRecords(records, { folder, memory: 1 })) break;
    expect(await readdir(folder)).toEqual([]);
  });
});

test('on a full disk give STORE_FULL, with advice', async () => {
  // For every open file: a mock of the module would affect other tests, or not reach the sorter.
  await using file = await open(join(folder, 'a'), 'w');
  const prototype = Object.getPrototypeOf(file) as typeof file;
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  vi.spyOn(prototype, 'write').mockRejectedValue(full);
  const records = Array.from({ length: 100_000 }, (_, i) => Buffer.from(`record ${i}`));
  await expect(sorted(records, { memory: 1 })).rejects.toMatchObject({
    code: 'STORE_FULL',
    message: expect.stringMatching(/^the disk is full: cannot write /) as string,
    hint: 'free disk space and run the same command again',
  });
});

test('a missing folder is BAD_OUTPUT', async () => {
  const records = Array.from({ length: 100_000 }, (_, i) => Buffer.from(`record ${i}`));
  await expect(sorted(records, { memory: 1, folder: join(folder, 'none') })).rejects.toMatchObject({
    code: 'BAD_OUTPUT',
  });
});
