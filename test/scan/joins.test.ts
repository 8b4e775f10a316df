import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NONE, createKeyFile, createKeyJoin, createKeyedRecords, numberRows } from '../../packages/scan/index.js';
import { testFolder } from '../support/files/temp-folder.js';

/** More records than fit into the memory of a sort, which is at least 1 MiB. */
const MANY = 60_000;

test('a key join finds the number of each key of the file, and none for other keys', async () => {
  const folder = testFolder();
  await using keys = await createKeyFile(join(folder, 'keys'));
  const rows = Array.from({ length: MANY }, (_, i) => ({ key: `example.site:https/${i}` }));
  const lookups = createKeyJoin(folder, 1);
  for await (const { number } of numberRows(rows, keys, {})) {
    if (number % 3 > 0) await lookups.add(`example.site:https/${number * 2}`, number);
  }
  const expected = rows.map((_, row) => (row % 3 > 0 && row * 2 < MANY ? row * 2 : NONE));
  expect([...(await lookups.numbers(keys.path, MANY))]).toEqual(expected);
});

test('a key join without lookups does not read the key file', async () => {
  const folder = testFolder();
  expect(await createKeyJoin(folder, 1).numbers(join(folder, 'missing'), 10)).toEqual(new Uint32Array(0));
});

test('records come by key, type and content, and say which is the first of its key', async () => {
  const records = createKeyedRecords(testFolder(), 1);
  const keys = ['a', 'a:b', 'a/b', 'ab', `b${'x'.repeat(5_000)}`, ...Array.from({ length: 3_000 }, (_, i) => `c/${i}`)];
  const all = keys.flatMap((key) =>
    [1, 255].flatMap((type) => ['', '\0', 'ü'].map((text) => [key, type, text] as const)),
  );
  for (const [key, type, text] of all.toReversed()) await records.add(key, type, Buffer.from(text));
  const found: (readonly [string, number, string])[] = [];
  const firsts: string[] = [];
  for await (const group of records.joined()) {
    for (const { key, isFirst, type, content } of group) {
      found.push([key, type, content.toString()]);
      if (isFirst) firsts.push(key);
    }
  }
  const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(`${a}\0`), Buffer.from(`${b}\0`)));
  expect(firsts).toEqual(sorted);
  expect(found).toEqual(sorted.flatMap((key) => all.filter(([other]) => other === key)));
});

test('a scan numbers rows, and names each host at its first row', async () => {
  await using keys = await createKeyFile(join(testFolder(), 'keys'));
  const rows = ['a.x:http/', 'a.x:http/1', 'a.x.y:http/', 'b.x:https/'].map((key) => ({ key }));
  let seen = 0;
  const numbered = [];
  for await (const each of numberRows(rows, keys, { onRow: () => (seen += 1) })) numbered.push(each);
  expect(numbered).toEqual(
    rows.map((row, number) => ({ row, number, newHost: number === 1 ? undefined : row.key.split(':')[0] })),
  );
  expect(seen).toBe(4);
  const signal = AbortSignal.abort(new Error('stopped'));
  await expect(numberRows(rows, keys, { signal }).next()).rejects.toThrow('stopped');
});
