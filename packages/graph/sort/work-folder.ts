import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
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
    return mkdtemp(join(parent, `${ownName()}-`));
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
    if (isLeft(name)) await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** A process has the id of an earlier one, at once in a container; but not the time at which it began. */
function ownName(pid: number | string = process.pid, began = Math.round(performance.timeOrigin)): string {
  return `${PREFIX}${machine()}-${pid}-${began}`;
}

function machine(): string {
  return hostname().replaceAll(/[^A-Za-z0-9]/g, '_');
}

function isLeft(name: string): boolean {
  const [, pid, began] = /^\.webcrawl-work-.*-(\d+)-(\d+)-[^-]+$/.exec(name) ?? [];
  if (pid === undefined || !name.startsWith(`${PREFIX}${machine()}-${pid}-`)) return false;
  return Number(pid) === process.pid ? Number(began) !== Math.round(performance.timeOrigin) : !isRunning(Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
