import { cp, mkdir, readFile, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLevelStore, repairLevelFiles, type LevelStore } from '../../../../webtable/index.js';
import { fileDigests } from '../../../support/files/file-digests.js';
import { getPlain, put, scanPlain } from '../../../support/stores/plain-rows.js';
import { suiteFolder, testFolder } from '../../../support/files/temp-folder.js';

const ROWS = 300;
const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const COPY = 'before-repair-20260102T030405';
const base = suiteFolder();
const made = join(base, 'made');
let folder: string;

beforeAll(async () => {
  // Every row is written in each run, so that files have old values beside the new ones.
  for (let run = 1; run <= 3; run++) {
    const store = await openLevelStore(made);
    for (let i = 0; i < ROWS; i++) {
      await store.write('webpage', [put(`k${i}`, { 'm:st': `${run}`, 'p:b': `body ${i} of ${run}` })]);
    }
    await store.content!.append([{ kind: 'response', url: 'http://a/', date: 0, body: Buffer.from('x') }]);
    await store.close();
  }
});
beforeEach(async () => {
  folder = testFolder();
  await cp(made, folder, { recursive: true });
});

/** All except LevelDB's own log, which starts again with every lock. */
function dataOf(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).filter(([file]) => !/LOG(?:\.old)?$/.test(file)));
}

async function inStore<T>(task: (store: LevelStore) => Promise<T>): Promise<T> {
  const store = await openLevelStore(folder, { create: false });
  try {
    return await task(store);
  } finally {
    await store.close();
  }
}

const rows = () => inStore((store) => scanPlain(store, 'webpage', { columns: ['m', 'p'] }));
const values = (found: readonly { readonly cells: readonly (readonly [string, string])[] }[]): Set<string> =>
  new Set(found.flatMap(({ cells }) => cells.flatMap(([column, value]) => (column === 'm:st' ? value : []))));
const sortedTables = async (name: string): Promise<string[]> =>
  (await readdir(join(folder, name))).filter((file) => file.endsWith('.ldb')).map((file) => join(folder, name, file));

describe('repair of the files of a table', () => {
  it('reports what it would do, and changes nothing', async () => {
    await rm(join(folder, 'hot', 'CURRENT'));
    const before = await fileDigests(folder);
    const plan = await repairLevelFiles(folder, { now: NOW });
    expect(plan).toEqual({
      directory: folder,
      copy: join(folder, COPY),
      bytes: expect.any(Number) as number,
      parts: [
        { name: 'content', found: 'there', step: 'keep' },
        { name: 'hot', found: 'hot/CURRENT is missing', step: 'rebuild' },
      ],
      done: false,
    });
    expect(plan.bytes).toBeGreaterThan(1000);
    expect(await fileDigests(folder)).toEqual(before);
  });

  it('saves all rows if hot/CURRENT is lost, keeps a copy of them, and does not touch the bodies', async () => {
    await rm(join(folder, 'hot', 'CURRENT'));
    const before = dataOf(await fileDigests(join(folder, 'hot')));
    const bodies = await fileDigests(join(folder, 'content'));
    expect(Object.keys(bodies)).toHaveLength(3);
    const repaired = await repairLevelFiles(folder, { dryRun: false, now: NOW });
    expect(repaired.done).toBe(true);
    expect(repaired.parts.map(({ step }) => step)).toEqual(['keep', 'rebuild']);
    expect(await fileDigests(join(folder, 'content'))).toEqual(bodies);
    const found = await rows();
    expect(found).toHaveLength(ROWS);
    expect(found.filter(({ damaged }) => damaged !== undefined)).toEqual([]);
    expect(values(found)).toEqual(new Set(['3']));
    expect((await inStore((store) => getPlain(store, ['k7'], ['p'])))[0]?.cells).toEqual([['p:b', 'body 7 of 3']]);
    expect(dataOf(await fileDigests(join(folder, COPY, 'hot')))).toEqual(before);
    expect(await readdir(join(folder, 'hot'))).not.toContain('lost');
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'CURRENT is a folder',
      async () => {
        await rm(join(folder, 'hot', 'CURRENT'));
        await mkdir(join(folder, 'hot', 'CURRENT'));
      },
    ],
    ['CURRENT holds a zero byte', () => writeFile(join(folder, 'hot', 'CURRENT'), 'MANIFEST-000004\0x\n')],
  ])('saves all rows if %s', async (_, damage) => {
    await damage();
    await expect(rows()).rejects.toMatchObject({ code: 'TABLE_DAMAGED' });
    const { parts } = await repairLevelFiles(folder, { dryRun: false, now: NOW });
    expect(parts[1]).toMatchObject({ name: 'hot', step: 'rebuild' });
    expect(await rows()).toHaveLength(ROWS);
  });

  it('leaves a database without CURRENT during a rebuild, so that no process opens it after a kill', async () => {
    const tables = await sortedTables('hot');
    await truncate(tables[0]!, 10);
    // LevelDB stops at a folder with the name of the first file that it creates.
    await mkdir(join(folder, 'hot', 'lost'), { recursive: true });
    for (const file of await readdir(join(folder, 'hot'))) {
      if (file.endsWith('.log')) await mkdir(join(folder, 'hot', 'lost', file));
    }
    await mkdir(join(folder, 'hot', '000001.dbtmp', 'x'), { recursive: true });
    await expect(repairLevelFiles(folder, { dryRun: false, now: NOW })).rejects.toThrow(/./);
    expect(await readdir(join(folder, 'hot'))).not.toContain('CURRENT');
    await expect(rows()).rejects.toMatchObject({ code: 'TABLE_DAMAGED' });
    await rm(join(folder, 'hot', '000001.dbtmp'), { recursive: true });
    await repairLevelFiles(folder, { dryRun: false, now: NOW });
    expect(await rows()).toHaveLength(ROWS);
  });

  it('creates an empty place for bodies if the old one is lost', async () => {
    await rm(join(folder, 'content'), { recursive: true });
    const { parts } = await repairLevelFiles(folder, { dryRun: false, now: NOW });
    expect(parts).toEqual([
      { name: 'content', found: 'missing', step: 'create' },
      { name: 'hot', found: 'looks whole', step: 'check' },
    ]);
    expect(await rows()).toHaveLength(ROWS);
  });

  it('leaves out what cannot be read', async () => {
    const tables = await sortedTables('hot');
    expect(tables.length).toBeGreaterThan(1);
    await truncate(tables[0]!, 10);
    await expect(rows()).rejects.toMatchObject({ code: 'TABLE_DAMAGED' });
    const { parts } = await repairLevelFiles(folder, { dryRun: false, now: NOW });
    expect(parts[1]).toMatchObject({
      name: 'hot',
      step: 'rebuild',
      found: expect.stringContaining('.ldb') as string,
    });
    expect(await rows()).toHaveLength(ROWS);
  });

  it('only reads an intact table to its end, and changes nothing', async () => {
    const before = await rows();
    const { parts } = await repairLevelFiles(folder, { dryRun: false, now: NOW });
    expect(parts.map(({ step }) => step)).toEqual(['keep', 'check']);
    expect(await rows()).toEqual(before);
  });

  it('continues after a kill, in the copy or while LevelDB had moved files away', async () => {
    await mkdir(join(folder, `${COPY}.partial`, 'hot'), { recursive: true });
    await rm(join(folder, 'hot', 'CURRENT'));
    await mkdir(join(folder, 'hot', 'lost'));
    await writeFile(join(folder, 'hot', 'lost', '000001.log'), 'put aside');
    await repairLevelFiles(folder, { dryRun: false, now: NOW });
    expect(await rows()).toHaveLength(ROWS);
    expect((await readdir(folder)).sort()).toEqual([COPY, 'content', 'hot']);
    expect(await readFile(join(folder, COPY, 'hot', 'lost', '000001.log'), 'utf8')).toBe('put aside');
  });

  it('keeps the existing copy when it runs again in the same second', async () => {
    await rm(join(folder, 'hot', 'CURRENT'));
    const first = await repairLevelFiles(folder, { dryRun: false, now: NOW });
    const kept = await fileDigests(first.copy);
    await rm(join(folder, 'hot', 'CURRENT'));
    const second = await repairLevelFiles(folder, { dryRun: false, now: NOW });
    expect(second.copy).toBe(`${first.copy}-2`);
    expect(await fileDigests(first.copy)).toEqual(kept);
    expect(await rows()).toHaveLength(ROWS);
  });

  it.each<[string, (file: string) => boolean]>([
    ['hot is missing', () => true],
    ['hot has no data', (file) => /\.(?:ldb|log)$/.test(file)],
    ['hot has only its lock', (file) => file !== 'LOCK'],
  ])('has nothing to save if %s, and removes no body', async (why, isLost) => {
    for (const file of await readdir(join(folder, 'hot'))) if (isLost(file)) await rm(join(folder, 'hot', file));
    if (why === 'hot is missing') await rm(join(folder, 'hot'), { recursive: true });
    const before = await fileDigests(join(folder, 'content'));
    const refused = { code: 'TABLE_DAMAGED', message: expect.stringContaining('rows to save') as string };
    await expect(repairLevelFiles(folder, { dryRun: false, now: NOW })).rejects.toMatchObject(refused);
    const bodies = await fileDigests(join(folder, 'content'));
    for (const [file, bytes] of Object.entries(before)) expect(bodies[file]).toBe(bytes);
  });

  it('throws TABLE_LOCKED while the table is open, and NO_TABLE if there is none', async () => {
    const store = await openLevelStore(folder);
    await expect(repairLevelFiles(folder, { dryRun: false })).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
    await store.write('webpage', [put('a', { 'm:st': '1' })]);
    await store.close();
    expect((await readdir(folder)).sort()).toEqual(['content', 'hot']);
    for (const place of [join(folder, 'none'), join(folder, 'hot', 'LOCK')]) {
      await expect(repairLevelFiles(place)).rejects.toMatchObject({ code: 'NO_TABLE' });
    }
  });
});
