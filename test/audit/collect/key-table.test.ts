import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKeyTable } from '../../../packages/audit/collect/key-table.js';
import { testFolder } from '../../support/files/temp-folder.js';

test('returns keys that are read at the same time and are not on disk yet', async () => {
  for (let round = 0; round < 20; round++) {
    await using keys = await createKeyTable(join(testFolder(), 'keys'));
    const all = Array.from({ length: 2_000 }, (_, i) => `example.site:https/${'x'.repeat(80)}/${i}`);
    for (const key of all) await keys.add(key);
    const some = [1_999, 0, 1_000, 1_500];
    expect(await Promise.all(some.map((row) => keys.get(row)))).toEqual(some.map((row) => all[row]));
  }
});
