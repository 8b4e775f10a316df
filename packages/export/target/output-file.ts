import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Tables } from '../../core/index.js';
import { onDisk, removeLeft } from '../../scan/index.js';
import { processMark } from '../../util/index.js';
import { CrawlError } from '../../errors/index.js';
import { DISK, kindOf, noFolder, syncFile, thereAlready } from './files.js';
import { openPart } from './part-file.js';
import { checkOutside } from './outside.js';
import { checkName, nameNew, otherKind } from './disk-destination.js';
import { isS3 } from './s3/s3-url.js';

const PREFIX = '.webcrawl-output-';

/** A file that gets its name only when it is complete. */
export interface OutputFile {
  /** Appends data; text as UTF-8. @throws CrawlError STORE_FULL, BAD_OUTPUT */
  write(data: string | Uint8Array): Promise<void>;
  /** Syncs the file to disk and gives it its name. */
  commit(): Promise<void>;
  /** Removes the file, unless it was committed. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Begins a temporary file in the folder of the requested one. If the process is killed, the temporary file remains, and the next output in
 * this folder removes it.
 * @param force replace an existing file at the end, also one of another program
 * @param tables the table whose folder must not contain the file
 * @throws CrawlError BAD_OUTPUT when the file exists already, or cannot be written
 */
export async function openOutput(
  path: string,
  force: boolean,
  tables?: Pick<Tables, 'directory'>,
): Promise<OutputFile> {
  checkName(path, 'file');
  if (isS3(path)) {
    throw new CrawlError('BAD_OUTPUT', `expected a path as output, found ${path}`, {
      hint: 'only webcrawl export and webcrawl graph write to such a store',
    });
  }
  if (tables) await checkOutside(tables, path);
  const folder = dirname(path);
  // The name of the output is not used: together with the mark, it could be too long.
  const name = `${PREFIX}${await processMark()}-${randomBytes(4).toString('hex')}`;
  const part = join(folder, name);
  const file = await onDisk(path, async () => {
    // This is checked before writing, which may take an hour.
    const found = await kindOf(DISK, path);
    if (found !== undefined && found !== 'file') throw otherKind(path, 'file', found);
    if (found && !force) throw thereAlready(path);
    if ((await kindOf(DISK, folder)) === undefined) throw noFolder(dirname(resolve(path)));
    await removeLeft(folder, PREFIX);
    return openPart(DISK, part, name, () => Promise.resolve());
  });
  return {
    write: (data) => file.write(typeof data === 'string' ? data : Uint8Array.from(data)),
    commit: () =>
      onDisk(path, async () => {
        await file.end();
        await syncFile(DISK, part);
        if (force) await DISK.rename(part, path);
        else await nameNew(DISK, part, path);
      }),
    async [Symbol.asyncDispose]() {
      await file.close();
      await rm(part, { force: true });
    },
  };
}
