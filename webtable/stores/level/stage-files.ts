import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyIfThere, linkFile } from '../../link-file.js';

/** Files that LevelDB writes once and never changes. */
const WRITTEN_ONCE = /^\d+\.(?:ldb|sst)$/;
const LOG = /^\d+\.log$/;

/**
 * Puts the files of an open LevelDB, as they are at one moment, into a new folder of the same file system. The caller must not write to the
 * database meanwhile. LevelDB may merge files.
 *
 * Before LevelDB removes a file, it appends the change to its list of files (MANIFEST). So if the list did not grow while the files were
 * linked, all files in the list existed during this time. Otherwise the files are linked again. This succeeds in the end, because LevelDB
 * runs out of files to merge.
 * @param linkOne gives a file a second name; replaced by tests
 */
export async function stageDatabase(from: string, to: string, linkOne: typeof linkFile = linkFile): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const staged = new Set<string>();
  for (;;) {
    const list = await readList(from);
    const names = await readdir(from);
    for (const name of names) {
      if (LOG.test(name) && (await copyIfThere(join(from, name), join(to, name)))) staged.add(name);
      if (!WRITTEN_ONCE.test(name) || staged.has(name)) continue;
      if (await linkOne(join(from, name), join(to, name))) staged.add(name);
    }
    const after = await readList(from);
    if (after.name !== list.name || after.bytes.length !== list.bytes.length) continue;
    for (const name of staged) if (!names.includes(name)) await rm(join(to, name));
    await writeFile(join(to, list.name), list.bytes, { mode: 0o600 });
    await writeFile(join(to, 'CURRENT'), list.current, { mode: 0o600 });
    return;
  }
}

/** The list of files to which CURRENT points. */
async function readList(directory: string): Promise<{ name: string; current: string; bytes: Buffer }> {
  const current = await readFile(join(directory, 'CURRENT'), 'latin1');
  const name = current.trim();
  return { name, current, bytes: await readFile(join(directory, name)) };
}
