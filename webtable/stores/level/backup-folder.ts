import { randomBytes } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { CrawlError } from '../../../packages/errors/index.js';
import { processMark, processOf } from '../../../packages/util/index.js';
import { linkFile } from '../../link-file.js';
import { makePrivateFolder } from '../../private-folder.js';
import { toCrawlError } from '../../store-errors.js';
import { TABLE_PARTS, inspectTable } from './table-folder.js';

/** A backup of a table. */
export interface Backup {
  /** The folder of the backup, which can be opened like any table. */
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
  /** Number of files that are shared with the previous backup, by hard links. */
  readonly sharedFiles: number;
  readonly sharedBytes: number;
}

/** The names of complete backups, which are times in UTC. */
const BACKUP = /^\d{8}T\d{6}Z(?:-\d+)?$/;
/** The names of incomplete backups: the time, the mark of the process that makes it, and a random part. Earlier versions wrote no mark. */
const PARTIAL = /^(\d{8}T\d{6}Z)(?:-\d+)?(?:\.(.+)-\w+)?\.partial$/;
/** Milliseconds for which an incomplete backup stays if it is unknown whether its process still runs. */
const DAY = 86_400_000;
/** Files that never change: if name, size and time are equal, the content is equal. */
const WRITTEN_ONCE = /\.(?:ldb|sst|warc\.gz)$/;

/**
 * Makes a backup of staged files in a folder of backups. Earlier backups in the folder stay unchanged. Unchanged files are shared with the
 * last backup, by hard links. The backup gets its final name when it is completely on the disk. Other backups may be made in the folder at the
 * same time.
 * @param staged a folder with the files of a table, as they were at one moment
 * @param now for the name of the backup, in ms since the epoch
 * @returns the backup; undefined if the signal stopped it and no backup was made
 * @throws CrawlError STORE_FULL, STORE_FAILED
 */
export async function writeBackup(
  staged: string,
  folder: string,
  { now, signal }: { readonly now: number; readonly signal?: AbortSignal },
): Promise<Backup | undefined> {
  const path = resolve(folder);
  try {
    await makePrivateFolder(path);
    const names = await readdir(path);
    await removeLeft(path, names, now);
    const last = names
      .filter((name) => BACKUP.test(name))
      .sort()
      .at(-1);
    const own = `${await processMark()}-${randomBytes(4).toString('hex')}`;
    const partial = join(path, `${nameOf(now)}.${own}.partial`);
    try {
      const counts = await fill(partial, staged, last === undefined ? undefined : join(path, last), signal);
      if (!counts) return undefined;
      if (!(await isThere(staged))) throw replaced(staged);
      const { state, found } = await inspectTable(partial);
      if (state !== 'whole')
        throw new CrawlError('STORE_FAILED', `the copy of the table is not whole${found && `: ${found}`}`);
      const directory = await giveName(partial, path, now);
      await toDisk(path);
      return { directory, ...counts };
    } catch (error) {
      throw (await isThere(staged)) ? error : replaced(staged, error);
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  } catch (error) {
    throw toCrawlError(error, path);
  }
}

/** Removes the incomplete backups of processes that have ended. */
async function removeLeft(path: string, names: readonly string[], now: number): Promise<void> {
  const dayAgo = nameOf(now - DAY);
  for (const name of names) {
    const [, time, mark = ''] = PARTIAL.exec(name) ?? [];
    if (time === undefined) continue;
    const owner = await processOf(mark);
    if (owner === 'gone' || (owner === 'unknown' && time < dayAgo))
      await rm(join(path, name), { recursive: true, force: true });
  }
}

function nameOf(time: number): string {
  return `${new Date(time).toISOString().replace(/[-:]|\..*/g, '')}Z`;
}

/** Gives a complete backup its name: its time, and a number if another backup has the same time. Returns its path. */
async function giveName(partial: string, path: string, now: number): Promise<string> {
  for (;;) {
    const directory = join(path, freeName(await readdir(path), now));
    try {
      await rename(partial, directory);
      return directory;
    } catch (error) {
      // Another backup may have taken the name meanwhile.
      if (!(await isThere(directory))) throw error;
    }
  }
}

function freeName(taken: readonly string[], now: number): string {
  const name = nameOf(now);
  let free = name;
  for (let n = 2; taken.includes(free); n++) free = `${name}-${n}`;
  return free;
}

/** Copies the staged files. Returns undefined if the signal stopped it. */
async function fill(
  partial: string,
  staged: string,
  last: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Omit<Backup, 'directory'> | undefined> {
  const counts = { files: 0, bytes: 0, sharedFiles: 0, sharedBytes: 0 };
  for (const part of TABLE_PARTS) {
    await makePrivateFolder(join(partial, part));
    for (const name of await readdir(join(staged, part))) {
      if (signal?.aborted) return undefined;
      const from = join(staged, part, name);
      const to = join(partial, part, name);
      const { size } = await stat(from);
      const isShared = last !== undefined && (await share(from, join(last, part, name), to));
      if (!isShared) {
        if (!(await linkFile(from, to))) throw replaced(staged);
        await toDisk(to);
      }
      counts.files += 1;
      counts.bytes += size;
      if (!isShared) continue;
      counts.sharedFiles += 1;
      counts.sharedBytes += size;
    }
    await toDisk(join(partial, part));
  }
  await toDisk(partial);
  return counts;
}

/** Links the file of the last backup if it equals the staged file. Returns whether the file was linked. */
async function share(staged: string, earlier: string, to: string): Promise<boolean> {
  if (!WRITTEN_ONCE.test(staged)) return false;
  const [now, before] = await Promise.all([stat(staged), stat(earlier).catch(() => undefined)]);
  // The time of a copied file is exact only to the microsecond.
  const isSame = before?.size === now.size && Math.abs(before.mtimeMs - now.mtimeMs) < 1;
  return isSame && linkFile(earlier, to);
}

async function isThere(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}

function replaced(staged: string, cause?: unknown): CrawlError {
  return new CrawlError('STORE_FAILED', `expected the files in ${basename(staged)}, found them gone`, {
    hint: 'another backup of the table has begun; run the same command again',
    ...(cause !== undefined && { cause }),
  });
}

/** Flushes a file, or the names in a folder, to the disk, if the system supports this. */
async function toDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EBADF'].includes(code)) throw error;
  } finally {
    await handle.close();
  }
}
