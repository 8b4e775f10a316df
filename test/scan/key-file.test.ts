import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKeyFile, readKeys } from '../../packages/scan/index.js';
import { testFolder } from '../support/files/temp-folder.js';

const KEYS = Array.from({ length: 10_000 }, (_, i) => `example.site:https/${'x'.repeat(80)}/${i}`);

test('returns keys that are read at the same time and are not on disk yet', async () => {
  for (let round = 0; round < 20; round++) {
    await using keys = await createKeyFile(join(testFolder(), 'keys'));
    for (const key of KEYS.slice(0, 2_000)) await keys.add(key);
    const some = [1_999, 0, 1_000, 1_500];
    expect(await Promise.all(some.map((number) => keys.get(number)))).toEqual(some.map((number) => KEYS[number]));
  }
});

test('returns keys while a key is added', async () => {
  await using keys = await createKeyFile(join(testFolder(), 'keys'));
  for (const [number, key] of KEYS.entries()) {
    const written = keys.add(key);
    const before = Math.max(0, number - 1);
    const found = written ? await Promise.all([keys.get(before), keys.get(number >>> 1), written]) : [];
    if (written) expect(found.slice(0, 2)).toEqual([KEYS[before], KEYS[number >>> 1]]);
  }
  for (const number of [0, KEYS.length - 1, 777]) expect(await keys.get(number)).toBe(KEYS[number]);
});

test('yields all keys in order, and a key longer than a write', async () => {
  const all = [...KEYS, `example.site:https/${'y'.repeat(300_000)}`, 'example.site:https/z'];
  await using keys = await createKeyFile(join(testFolder(), 'keys'));
  for (const key of all) await keys.add(key);
  await keys.flush();
  const found: string[] = [];
  for await (const group of readKeys(keys.path)) found.push(...group);
  expect(found).toEqual(all);
  expect(await keys.get(KEYS.length)).toBe(all[KEYS.length]);
});
