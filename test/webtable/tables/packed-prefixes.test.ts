import { expect, test } from 'vitest';
import { createPrefixPacker, type StoredPrefix } from '../../../webtable/index.js';
import { unpackPrefixes } from '../../../webtable/tables/packed-prefixes.js';

const made = (count: number): StoredPrefix[] =>
  Array.from({ length: count }, (_, i) => ({
    key: `${String(i).padStart(6, '0')}/ü`,
    figures: { rows: i % 64, statuses: { fetched: 1 }, relevant: 2, duplicates: 3, errors: 4, bytes: 5, fetchMs: 6 },
  }));

async function pack(prefixes: readonly StoredPrefix[], min: number, mostBytes?: number) {
  const packer = createPrefixPacker(min, mostBytes);
  for (const prefix of prefixes) packer.add(prefix);
  const { bytes, ...rest } = await packer.end();
  const found: StoredPrefix[] = [];
  for await (const prefix of unpackPrefixes(bytes)) found.push(prefix);
  return { ...rest, found };
}

test('prefixes are read in key order, whatever their order before was, without those with too few rows', async () => {
  const all = made(20_000);
  const { found, min, count } = await pack([...all].reverse(), 3);
  expect(found).toEqual(all.filter(({ figures }) => figures.rows >= 3));
  expect({ min, count }).toEqual({ min: 3, count: found.length });
});

test('if a value is too small for all, those with the fewest rows are left out, and the minimum number of rows is stated', async () => {
  const all = made(20_000);
  const { found, min, count } = await pack(all, 3, 200_000);
  expect(min).toBeGreaterThan(3);
  expect(found).toEqual(all.filter(({ figures }) => figures.rows >= min));
  expect(count).toBe(found.length);
  expect(JSON.stringify(found.map(({ key }) => key)).length).toBeLessThan(200_000);
});
