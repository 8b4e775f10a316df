import { cp, mkdir, readdir, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLevelStore, type Store } from '../../../../webtable/index.js';
import { fileDigests } from '../../../support/files/file-digests.js';
import { put, scanPlain } from '../../../support/stores/plain-rows.js';
import { suiteFolder, testFolder } from '../../../support/files/temp-folder.js';

const ROWS = 300;
const base = suiteFolder();
const made = join(base, 'made');
let folder: string;

beforeAll(async () => {
  for (let part = 0; part < 3; part++) {
    const store = await openLevelStore(made);
    for (let i = part; i < ROWS; i += 3)
      await store.write('webpage', [put(`k${i}`, { 'm:st': '1', 'p:b': `body ${i}` })]);
    await store.content!.append([{ kind: 'response', url: 'http://a/', date: 0, body: Buffer.from('x') }]);
    await store.close();
  }
});

beforeEach(async () => {
  folder = testFolder();
  await cp(made, folder, { recursive: true });
});

const fileOf = async (name: string, pattern: RegExp): Promise<string> =>
  join(
    folder,
    name,
    (await readdir(join(folder, name))).find((file) => pattern.test(file))!,
  );
const remove = (...path: string[]): Promise<void> => rm(join(folder, ...path), { recursive: true });
const count = async (store: Store): Promise<number> => (await scanPlain(store, 'webpage', { columns: ['m'] })).length;

describe('a table with some files missing', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['CURRENT of hot', () => remove('hot', 'CURRENT'), 'hot/CURRENT is missing'],
    ['the log of hot', async () => rm(await fileOf('hot', /\.log$/)), 'the log of hot is missing'],
    ['content', () => remove('content'), 'content, with the bodies, is missing'],
    ['hot', () => remove('hot'), 'hot, with the rows, is missing'],
    [
      'content, in whose place is a file',
      async () => {
        await remove('content');
        await writeFile(join(folder, 'content'), 'x');
      },
      'content is a file',
    ],
    [
      'hot, in whose place is a file',
      async () => {
        await remove('hot');
        await writeFile(join(folder, 'hot'), 'x');
      },
      'hot is a file',
    ],
    [
      'all but the sorted tables, as while a copy is under way',
      async () => {
        for (const file of await readdir(join(folder, 'hot'))) if (!file.endsWith('.ldb')) await remove('hot', file);
      },
      'hot/CURRENT is missing',
    ],
  ])('is damaged and not changed: %s', async (_, damage, found) => {
    await damage();
    const before = await fileDigests(folder);
    for (const create of [true, false]) {
      await expect(openLevelStore(folder, { create })).rejects.toMatchObject({
        code: 'TABLE_DAMAGED',
        message: expect.stringContaining(found) as string,
        hint: expect.stringMatching(/copy.*repair --files/) as string,
      });
    }
    expect(await fileDigests(folder)).toEqual(before);
  });

  it('is damaged if all rows are gone and the bodies are not', async () => {
    for (const file of await readdir(join(folder, 'hot'))) {
      if (file.endsWith('.log')) await truncate(join(folder, 'hot', file));
      if (file.endsWith('.ldb')) await remove('hot', file);
    }
    await expect(openLevelStore(folder)).rejects.toMatchObject({
      code: 'TABLE_DAMAGED',
      message: expect.stringContaining('hot, with the rows, is empty') as string,
    });
  });

  it('is intact again when the missing files are restored', async () => {
    await remove('hot', 'CURRENT');
    await expect(openLevelStore(folder)).rejects.toMatchObject({ code: 'TABLE_DAMAGED' });
    await cp(join(made, 'hot', 'CURRENT'), join(folder, 'hot', 'CURRENT'));
    await using store = closing(await openLevelStore(folder, { create: false }));
    expect(await count(store)).toBe(ROWS);
  });
});

/** All such files: an unused one that a compaction has replaced may still exist. */
async function ofSortedTables(name: string, damage: (file: string) => Promise<void>): Promise<void> {
  const files = (await readdir(join(folder, name))).filter((file) => file.endsWith('.ldb'));
  expect(files).not.toEqual([]);
  for (const file of files) await damage(join(folder, name, file));
}

describe('a table with a broken file', () => {
  it.each<[string, (name: string) => Promise<unknown>]>([
    ['a list that is missing', async (name) => rm(await fileOf(name, /^MANIFEST/))],
    ['a list that was cut', async (name) => truncate(await fileOf(name, /^MANIFEST/), 10)],
    ['a CURRENT that leads nowhere', (name) => writeFile(join(folder, name, 'CURRENT'), 'MANIFEST-999999\n')],
    ['a CURRENT that was changed', (name) => writeFile(join(folder, name, 'CURRENT'), 'MANHFEST-000004\n')],
    ['an empty CURRENT', (name) => truncate(join(folder, name, 'CURRENT'))],
    ['sorted tables that are missing', (name) => ofSortedTables(name, (file) => rm(file))],
    ['sorted tables that were cut', (name) => ofSortedTables(name, (file) => truncate(file, 100))],
    ['empty sorted tables', (name) => ofSortedTables(name, (file) => truncate(file))],
  ])('gives TABLE_DAMAGED: %s', async (_, damage) => {
    await damage('hot');
    const read = async (): Promise<void> => {
      await using store = closing(await openLevelStore(folder, { create: false }));
      await scanPlain(store, 'webpage', { columns: ['m', 'p'] });
    };
    const refused = { code: 'TABLE_DAMAGED', hint: expect.stringContaining('repair --files') as string };
    await expect(read()).rejects.toMatchObject(refused);
  });
});

describe('a place without a table', () => {
  const NOTHING = /^no table in \S+$/;
  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['that is not there', () => rm(folder, { recursive: true }), NOTHING],
    ['that is an empty folder', () => emptied(), /found an empty folder$/],
    [
      'that has other files',
      async () => (await emptied(), writeFile(join(folder, 'notes'), '')),
      /found a folder without/,
    ],
    ['where a table was about to be made', () => halfMade([]), /found a folder without/],
    ['with a lock only', () => halfMade(['LOCK']), /found a folder without/],
    [
      'without CURRENT yet',
      () => halfMade(['LOCK', 'LOG', 'MANIFEST-000001', '000001.dbtmp']),
      /found a folder without/,
    ],
    ['with a place for bodies only', () => onlyContent(), /found a folder without/],
  ])('%s is NO_TABLE, and a table can be created there', async (_, prepare, found) => {
    await prepare();
    const refused = { code: 'NO_TABLE', message: expect.stringMatching(found) as string };
    await expect(openLevelStore(folder, { create: false })).rejects.toMatchObject(refused);
    const store = await openLevelStore(folder);
    await store.write('webpage', [put('a', { 'm:st': '1', 'p:b': '2' })]);
    await store.close();
    await using again = closing(await openLevelStore(folder, { create: false }));
    expect(await count(again)).toBe(1);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['a file', async () => (await rm(folder, { recursive: true }), writeFile(folder, 'x')), /found a file$/],
    [
      'a link to what is not there',
      async () => (await rm(folder, { recursive: true }), symlink(join(base, 'nowhere'), folder)),
      /found a link to .*nowhere, which does not exist/,
    ],
  ])('is rejected if it is %s', async (_, prepare, found) => {
    await prepare();
    const message = expect.stringMatching(found) as string;
    await expect(openLevelStore(folder, { create: false })).rejects.toMatchObject({ code: 'NO_TABLE', message });
    await expect(openLevelStore(folder)).rejects.toMatchObject({ code: 'STORE_FAILED', message });
  });

  it('may be a link to a folder', async () => {
    const link = join(base, 'link');
    await symlink(folder, link);
    await using store = closing(await openLevelStore(link, { create: false }));
    expect(await count(store)).toBe(ROWS);
  });

  it.runIf(process.platform === 'linux')('in which nothing can be created ends with an error', async () => {
    for (const place of ['/proc/x', '/proc/self', '/proc/x/y/z']) {
      await expect(openLevelStore(place), place).rejects.toMatchObject({ code: 'STORE_FAILED' });
      await expect(openLevelStore(place, { create: false }), place).rejects.toMatchObject({ code: 'NO_TABLE' });
    }
  });
});

it.skipIf(process.platform === 'win32')(
  'the folder of a new table is readable by its owner only; existing folders keep their mode',
  async () => {
    const own = join(base, 'above', 'own');
    await (await openLevelStore(own)).close();
    const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
    expect(await modeOf(own)).toBe(0o700);
    expect((await modeOf(join(base, 'above'))) & 0o700).toBe(0o700);
    const given = join(base, 'given');
    await mkdir(given, { mode: 0o755 });
    await (await openLevelStore(given)).close();
    expect(await modeOf(given)).toBe(0o755);
    expect(await modeOf(join(given, 'hot'))).toBe(0o700);
  },
);

async function emptied(): Promise<void> {
  await rm(folder, { recursive: true });
  await mkdir(folder);
}

/** Like after a kill during the creation of a table. */
async function halfMade(names: readonly string[]): Promise<void> {
  await emptied();
  await mkdir(join(folder, 'content'));
  await mkdir(join(folder, 'hot'));
  for (const name of names) await writeFile(join(folder, 'hot', name), name.startsWith('MANIFEST') ? 'x' : '');
}

async function onlyContent(): Promise<void> {
  await emptied();
  await (await openLevelStore(folder)).close();
  await remove('hot');
}

function closing(store: Store): Store & AsyncDisposable {
  return Object.assign(store, { [Symbol.asyncDispose]: () => store.close() });
}
