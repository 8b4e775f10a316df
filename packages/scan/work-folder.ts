import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { processMark, processOf } from '../util/index.js';
import { onDisk } from './on-disk.js';

const PREFIX = '.webcrawl-work-';

/**
 * Runs a task with a new temporary folder. It removes the folder at the end, even after an error. Before the task, it removes folders of
 * killed processes.
 * @param parent where the folder is made; created if missing
 * @throws CrawlError STORE_FULL, BAD_OUTPUT when the folder cannot be made
 */
export async function withWorkFolder<T>(parent: string, task: (folder: string) => Promise<T>): Promise<T> {
  const folder = await onDisk(parent, async () => {
    await mkdir(parent, { recursive: true });
    await removeLeft(parent, PREFIX);
    return mkdtemp(join(parent, `${PREFIX}${await processMark()}-`));
  });
  try {
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Removes the files and folders that processes of this machine left in a folder, if these processes no longer run. Their names are
 * `<prefix><process mark>-<rest>`. Files of running processes and of other machines stay. Failures are ignored, because files in a shared
 * folder may belong to other users.
 */
export async function removeLeft(parent: string, prefix: string): Promise<void> {
  // A folder that may be written but not listed is not searched.
  for (const name of await readdir(parent).catch(() => [])) {
    if (await isLeft(name, prefix))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isLeft(name: string, prefix: string): Promise<boolean> {
  if (!name.startsWith(prefix)) return false;
  return (await processOf(name.slice(prefix.length, name.lastIndexOf('-')))) === 'gone';
}
