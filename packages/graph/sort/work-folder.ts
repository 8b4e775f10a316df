import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { processMark, processOf } from '../../util/index.js';
import { onDisk } from './on-disk.js';

const PREFIX = '.webcrawl-work-';

/**
 * Runs a task with a folder of its own for files that it needs no longer than itself, and removes the folder whatever comes
 * of the task. Before that it removes the folders that processes left which were killed.
 * @param parent where the folder is made; made itself where it is missing
 * @throws CrawlError STORE_FULL, BAD_OUTPUT where the folder cannot be made
 */
export async function withWorkFolder<T>(parent: string, task: (folder: string) => Promise<T>): Promise<T> {
  const folder = await onDisk(parent, async () => {
    await mkdir(parent, { recursive: true });
    await removeLeftFolders(parent);
    return mkdtemp(join(parent, `${PREFIX}${await processMark()}-`));
  });
  try {
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Removes the work folders of processes of this machine that have ended, where it may: in a folder for all, some are of other users.
 * Others and those of running processes stay.
 */
export async function removeLeftFolders(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (await isLeft(name)) await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isLeft(name: string): Promise<boolean> {
  if (!name.startsWith(PREFIX)) return false;
  return (await processOf(name.slice(PREFIX.length, name.lastIndexOf('-')))) === 'gone';
}
