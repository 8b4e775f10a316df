import { renameSync } from 'node:fs';
import { appendFile, mkdir, readFile, readdir, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import { beforeEach, describe, expect, test, onTestFinished } from 'vitest';
import { processMark } from '../../../../packages/util/index.js';
import { linkFile } from '../../../../webtable/link-file.js';
import {
  LevelStore,
  SegmentFolder,
  openLevelStore,
  openSharedStore,
  repairLevelFiles,
  writeBackup,
  type ContentLocation,
  type SharedStore,
} from '../../../../webtable/index.js';
import { DATABASE_OPTIONS } from '../../../../webtable/stores/level/database.js';
import { stageDatabase } from '../../../../webtable/stores/level/stage-files.js';
import { runs } from '../../../support/runs.js';
import { getPlain, put } from '../../../support/stores/plain-rows.js';
import { randomNumbers } from '../../../support/web/fake-web.js';
import { testFolder } from '../../../support/files/temp-folder.js';

let folder: string;
beforeEach(() => void (folder = testFolder()));

const files = async (path: string): Promise<string[]> => (await readdir(path, { recursive: true })).sort();

describe('the files of an open database', () => {
  test('are from one moment, whatever LevelDB merges while they are linked', async () => {
    const from = join(folder, 'hot');
    await mkdir(from);
    await writeFile(join(from, 'CURRENT'), 'MANIFEST-000002\n');
    await writeFile(join(from, 'MANIFEST-000002'), '5 6;');
    for (const name of ['000005.ldb', '000006.ldb', '000003.log', 'LOCK', 'LOG'])
      await writeFile(join(from, name), name);
    let links = 0;
    // LevelDB merges 5 and 6 into 7 while the first of them is linked.
    await stageDatabase(from, join(folder, 'staged'), async (file, to) => {
      links += 1;
      const done = await linkFile(file, to);
      if (links > 1) return done;
      await writeFile(join(from, '000007.ldb'), 'both');
      await appendFile(join(from, 'MANIFEST-000002'), '7;');
      for (const name of ['000005.ldb', '000006.ldb']) await unlink(join(from, name));
      return done;
    });
    expect(await files(join(folder, 'staged'))).toEqual(['000003.log', '000007.ldb', 'CURRENT', 'MANIFEST-000002']);
    expect(await readFile(join(folder, 'staged/MANIFEST-000002'), 'latin1')).toBe('5 6;7;');
  });

  test('are not changed by later writes', async () => {
    const store = await openLevelStore(join(folder, 'table'));
    onTestFinished(() => store.close());
    await store.write('webpage', [put('a', { 'm:st': '1' })]);
    const staged = join(folder, 'table', await store.stage());
    const before = await files(staged);
    const [log = ''] = before.filter((name) => name.endsWith('.log'));
    const { size } = await stat(join(staged, log));
    await store.write('webpage', [put('b', { 'm:st': '2' })]);
    expect((await stat(join(staged, log))).size).toBe(size);
    expect(await files(staged)).toEqual(before);
  });
});

describe('a backup at any moment', () => {
  test('has all acknowledged writes complete, and later ones up to some point', async () => {
    const directory = join(folder, 'table');
    // Small files, so that LevelDB merges all the time.
    for (const part of ['hot', 'content']) await mkdir(join(directory, part), { recursive: true });
    const database = new Level<string, Uint8Array>(join(directory, 'hot'), {
      ...DATABASE_OPTIONS,
      writeBufferSize: 64 * 1024,
      maxFileSize: 64 * 1024,
    });
    const store = new LevelStore({ database, content: new SegmentFolder(join(directory, 'content')), directory });
    onTestFinished(() => store.close());
    const random = randomNumbers(7);
    let acknowledged = 0;
    let isOver = false;
    const writing = (async () => {
      for (let n = 1; !isOver; n++) {
        const url = `http://example.com/${n}`;
        const body = Buffer.from(`body ${n} `.repeat(1 + Math.floor(random() * 300)));
        const [place] = await store.content!.append([
          { kind: 'response', url, date: 0, contentType: 'text/plain', body },
        ]);
        const cells = { 'm:st': JSON.stringify(place), 'm:ft': String(n), 'p:c': String(random()).repeat(30) };
        // Keys in no order, so that files overlap and are merged.
        await store.write('webpage', [put(`k${(n * 7919) % 1009}`, cells), put('last', { 'm:st': String(n) })]);
        acknowledged = n;
      }
    })();
    let checked = 0;
    for (let round = 0; round < runs(5, 30); round++) {
      const target = acknowledged + Math.floor(random() * 400);
      while (acknowledged < target) await new Promise((resolve) => setImmediate(resolve));
      const least = acknowledged;
      const staged = join(directory, await store.stage());
      const backup = await writeBackup(staged, join(folder, 'backups'), { now: round * 1000 });
      expect(await repairLevelFiles(backup!.directory)).toMatchObject({
        parts: [{ step: 'keep' }, { found: 'looks whole' }],
      });
      const copy = await openLevelStore(backup!.directory, { create: false });
      const [{ cells: [[, last = '0'] = []] = [] } = {}] = await getPlain(copy, ['last'], ['m']);
      const count = Number(last);
      expect(count).toBeGreaterThanOrEqual(least);
      const newest = new Map<string, number>();
      for (let n = 1; n <= count; n++) newest.set(`k${(n * 7919) % 1009}`, n);
      for (const row of await getPlain(copy, [...newest.keys()], ['m'])) {
        const cells = new Map(row!.cells);
        // The changes of one call are separate row changes, so those of the next call may have begun.
        expect([newest.get(row!.key), count + 1]).toContain(Number(cells.get('m:ft')));
        const place = JSON.parse(cells.get('m:st') ?? '') as ContentLocation;
        const [content] = await copy.content!.read([place]);
        expect(content?.url).toBe(`http://example.com/${cells.get('m:ft')}`);
        checked += 1;
      }
      await copy.close();
    }
    isOver = true;
    await writing;
    expect(checked).toBeGreaterThan(500);
  }, 120_000);
});

describe('backups in one folder', () => {
  const shared = async (): Promise<SharedStore> => {
    const directory = join(folder, 'table');
    const store = await openSharedStore({ directory, open: () => openLevelStore(directory), name: 't', version: '1' });
    onTestFinished(() => store.close());
    await store.serve();
    return store;
  };
  const body = (n: number) =>
    ({
      kind: 'response',
      url: `http://example.com/${n}`,
      date: 0,
      contentType: 'text/plain',
      body: Buffer.from('x'),
    }) as const;
  const backups = (): string => join(folder, 'backups');
  const backUp = async (store: SharedStore, now = 0) =>
    writeBackup(join(folder, 'table', await store.stage()), backups(), { now });

  test('share what has not changed; the earlier one stays as it is', async () => {
    const store = await shared();
    await store.content!.append([body(1)]);
    await store.write('webpage', [put('a', { 'm:st': '1' })]);
    const first = await backUp(store);
    expect(first).toMatchObject({ directory: join(backups(), '19700101T000000Z'), sharedFiles: 0 });
    await store.content!.append([body(2)]);
    await store.write('webpage', [put('a', { 'm:st': '2' })]);
    const second = await backUp(store);
    // In the same second it still gets its own name.
    expect(second).toMatchObject({ directory: join(backups(), '19700101T000000Z-2'), sharedFiles: 1 });
    for (const [backup, value] of [
      [first, '1'],
      [second, '2'],
    ] as const) {
      const copy = await openLevelStore(backup!.directory, { create: false });
      expect(await getPlain(copy, ['a'], ['m'])).toMatchObject([{ cells: [['m:st', value]] }]);
      await copy.close();
    }
  });

  test('are taken through the process that has the table open', async () => {
    const owner = await shared();
    await owner.write('webpage', [put('a', { 'm:st': '1' })]);
    const asking = await shared();
    expect(asking.owner).toBeDefined();
    const backup = await backUp(asking);
    const copy = await openLevelStore(backup!.directory, { create: false });
    expect(await getPlain(copy, ['a'], ['m'])).toMatchObject([{ cells: [['m:st', '1']] }]);
    await copy.close();
  });

  test('remove the rest of a killed backup, and keep complete ones', async () => {
    const store = await shared();
    await store.write('webpage', [put('a', { 'm:st': '1' })]);
    const first = await backUp(store);
    const before = await files(first!.directory);
    const mark = await processMark();
    // The same process id with another start time.
    const ended = mark.replace(/^(\d+)\.\w+/, '$1.0');
    await mkdir(join(backups(), `19700101T000009Z.${ended}-0a.partial/hot`), { recursive: true });
    const left = await store.stage();
    await backUp(store, 20_000);
    expect((await readdir(backups())).sort()).toEqual(['19700101T000000Z', '19700101T000020Z']);
    expect(await files(first!.directory)).toEqual(before);
    expect(await readdir(join(folder, 'table'))).not.toContain(left);
  });

  test('do not touch a backup of a running process, nor for a day one of an unknown process', async () => {
    const store = await shared();
    const running = `19700101T000009Z.${await processMark()}-0a.partial`;
    const foreign = ['19700101T000009Z.7.1.ab.cd-0a.partial', '19700101T000009Z-2.partial'];
    for (const name of [running, ...foreign]) await mkdir(join(backups(), name, 'hot'), { recursive: true });
    await backUp(store, 86_409_000);
    expect(await readdir(backups())).toEqual(expect.arrayContaining([running, ...foreign]));
    await backUp(store, 86_410_000);
    expect((await readdir(backups())).filter((name) => name.endsWith('.partial'))).toEqual([running]);
  });

  test('of two tables at once are complete, each with its own rows', async () => {
    const tables = ['one', 'two', 'three'].map((name) => join(folder, name));
    const staged = tables.map(async (directory) => {
      const store = await openLevelStore(directory);
      await store.write('webpage', [put(directory, { 'm:st': '1' })]);
      const path = join(directory, await store.stage());
      await store.close();
      return path;
    });
    const made = (await Promise.all(staged)).map(async (path) => (await writeBackup(path, backups(), { now: 0 }))!);
    const directories = (await Promise.all(made)).map(({ directory }) => directory);
    const names = ['19700101T000000Z', '19700101T000000Z-2', '19700101T000000Z-3'];
    expect([...directories].sort()).toEqual(names.map((name) => join(backups(), name)));
    expect((await readdir(backups())).sort()).toEqual(names);
    for (const [i, directory] of directories.entries()) {
      const copy = await openLevelStore(directory, { create: false });
      const rows = await getPlain(copy, tables, ['m']);
      expect(rows.map((row) => row?.key)).toEqual(tables.map((key, j) => (j === i ? key : undefined)));
      await copy.close();
    }
  });

  test('leave no incomplete backup after a signal, or if files are removed meanwhile', async () => {
    const store = await shared();
    const staged = join(folder, 'table', await store.stage());
    expect(await writeBackup(staged, backups(), { now: 0, signal: AbortSignal.abort() })).toBeUndefined();
    expect(await readdir(backups())).toEqual([]);
    await rm(join(staged, 'hot/CURRENT'));
    await expect(writeBackup(staged, backups(), { now: 0 })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await readdir(backups())).toEqual([]);
  });

  test.each([0, 1, 2, 3])('leave no incomplete backup if another one begins meanwhile, at file %i', async (at) => {
    const store = await shared();
    await store.content!.append([body(1)]);
    await store.write('webpage', [put('a', { 'm:st': '1' })]);
    const staged = join(folder, 'table', await store.stage());
    let looks = 0;
    // The signal is read once for each file.
    const signal = {
      get aborted() {
        if (looks++ === at) renameSync(staged, `${staged}.removed`);
        return false;
      },
    } as AbortSignal;
    const made = writeBackup(staged, backups(), { now: 0, signal });
    const hint = expect.stringContaining('another backup') as string;
    await expect(made).rejects.toMatchObject({ code: 'STORE_FAILED', hint });
    expect(await readdir(backups())).toEqual([]);
    await store.stage();
    expect((await readdir(join(folder, 'table'))).filter((name) => name.endsWith('.removed'))).toEqual([]);
  });
});
