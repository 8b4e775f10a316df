import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withWorkFolder } from '../../../packages/graph/index.js';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'webcrawl-work-'));
});
afterEach(() => rm(parent, { recursive: true }));

test('the folder is there for the task, and gone whatever comes of it', async () => {
  const name = await withWorkFolder(join(parent, 'deep', 'er'), async (folder) => {
    await writeFile(join(folder, 'a'), 'a');
    return basename(folder);
  });
  expect(name).toMatch(/^\.webcrawl-work-/);
  expect(await readdir(join(parent, 'deep', 'er'))).toEqual([]);
  await expect(withWorkFolder(parent, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await readdir(parent)).toEqual(['deep']);
});

test('what a killed process left is removed; what others use, and what is not ours, stays', async () => {
  const machine = hostname().replaceAll(/[^A-Za-z0-9]/g, '_');
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  const left = [`.webcrawl-work-${machine}-${ended}-1-abc`, `.webcrawl-work-${machine}-${process.pid}-1-abc`];
  const kept = [
    `.webcrawl-work-${machine}-${process.ppid}-1-abc`,
    `.webcrawl-work-other.machine-${ended}-1-abc`,
    '.webcrawl-work-mine',
    'pages',
  ];
  for (const name of [...left, ...kept]) {
    await mkdir(join(parent, name));
    await writeFile(join(parent, name, 'a'), 'a');
  }
  await withWorkFolder(parent, async (outer) => {
    await withWorkFolder(parent, async (inner) => {
      expect((await readdir(parent)).sort()).toEqual([...kept, basename(outer), basename(inner)].sort());
    });
  });
  expect((await readdir(parent)).sort()).toEqual([...kept].sort());
});

// Root may remove everything.
test.skipIf(process.getuid?.() === 0)('what cannot be removed, as of another user, is no obstacle', async () => {
  const machine = hostname().replaceAll(/[^A-Za-z0-9]/g, '_');
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  const left = join(parent, `.webcrawl-work-${machine}-${ended}-1-abc`);
  await mkdir(left);
  await writeFile(join(left, 'a'), 'a');
  await chmod(left, 0o500);
  try {
    expect(await withWorkFolder(parent, () => Promise.resolve(1))).toBe(1);
  } finally {
    await chmod(left, 0o700);
  }
});
