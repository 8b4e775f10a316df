import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { withWorkFolder } from '../../packages/scan/index.js';
import { processMark } from '../../packages/util/index.js';
import { marksOfGone } from '../support/process-marks.js';
import { testFolder } from '../support/files/temp-folder.js';

let parent: string;
beforeEach(() => void (parent = testFolder()));

test('the folder exists during the task, and is removed however the task ends', async () => {
  const name = await withWorkFolder(join(parent, 'deep', 'er'), async (folder) => {
    await writeFile(join(folder, 'a'), 'a');
    return basename(folder);
  });
  expect(name).toMatch(/^\.webcrawl-work-/);
  expect(await readdir(join(parent, 'deep', 'er'))).toEqual([]);
  await expect(withWorkFolder(parent, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await readdir(parent)).toEqual(['deep']);
});

test('files of a killed process are removed; files in use, and files of other programs, stay', async () => {
  const left = (await marksOfGone()).map((mark) => `.webcrawl-work-${mark}-abc`);
  const own = await processMark();
  const kept = [
    `.webcrawl-work-${own}-abc`,
    `.webcrawl-work-${own.replace(/\w+$/, 'othermachine')}-abc`,
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

// Root can remove everything.
test.skipIf(process.getuid?.() === 0)(
  'files that cannot be removed, such as those of another user, do no harm',
  async () => {
    const left = join(parent, `.webcrawl-work-${(await marksOfGone())[0]!}-abc`);
    await mkdir(left);
    await writeFile(join(left, 'a'), 'a');
    await chmod(left, 0o500);
    try {
      expect(await withWorkFolder(parent, () => Promise.resolve(1))).toBe(1);
    } finally {
      await chmod(left, 0o700);
    }
  },
);
