import { readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { beforeEach, describe, expect, it } from 'vitest';
import { openLevelStore } from '../../../../webtable/index.js';
import { getPlain, put } from '../../../support/stores/plain-rows.js';
import { testFolder } from '../../../support/files/temp-folder.js';

describe('openLevelStore', () => {
  let directory: string;
  beforeEach(() => void (directory = testFolder()));

  it('creates missing directories', async () => {
    const deep = join(directory, 'not', 'there yet');
    const store = await openLevelStore(deep);
    await store.write('webpage', [put('a', { 'm:st': '1', 'p:b': '2' })]);
    await store.close();
    expect((await readdir(deep)).sort()).toEqual(['content', 'hot']);
  });

  it('throws TABLE_LOCKED if hot is open elsewhere, and then holds no lock', async () => {
    await (await openLevelStore(directory)).close();
    const owner = new Level(join(directory, 'hot'));
    await owner.open();
    const refused = { code: 'TABLE_LOCKED', message: expect.stringContaining(directory) as string };
    await expect(openLevelStore(directory)).rejects.toMatchObject(refused);
    await expect(openLevelStore(directory)).rejects.toHaveProperty('hint', expect.stringContaining('stop it'));
    await owner.close();
    await (await openLevelStore(directory)).close();
  });

  it('does not disturb the owner of a locked table', async () => {
    const owner = await openLevelStore(directory);
    await owner.write('webpage', [put('a', { 'm:st': '1' })]);
    await expect(openLevelStore(directory)).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
    await owner.write('webpage', [put('a', { 'm:sc': '2', 'p:b': '3' })]);
    expect((await getPlain(owner, ['a'], ['m', 'p']))[0]?.cells).toHaveLength(3);
    await owner.close();
  });

  it('throws TABLE_DAMAGED if hot cannot be read, and then holds no lock', async () => {
    await (await openLevelStore(directory)).close();
    const manifest = (await readdir(join(directory, 'hot'))).find((file) => file.startsWith('MANIFEST'))!;
    await truncate(join(directory, 'hot', manifest), 10);
    for (let i = 0; i < 2; i++) {
      const refused = { code: 'TABLE_DAMAGED', message: expect.stringContaining(directory) as string };
      await expect(openLevelStore(directory)).rejects.toMatchObject(refused);
    }
  });

  it('throws STORE_FAILED if the directory cannot be created', async () => {
    await writeFile(join(directory, 'file'), '');
    const refused = { code: 'STORE_FAILED', message: expect.stringContaining('file') as string };
    await expect(openLevelStore(join(directory, 'file'))).rejects.toMatchObject(refused);
  });
});
