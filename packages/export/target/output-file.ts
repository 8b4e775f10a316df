import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Tables } from '../../../webtable/index.js';
import { onDisk } from '../../graph/index.js';
import { CrawlError } from '../../errors/index.js';
import { DISK, kindOf, noFolder, thereAlready } from './files.js';
import { openPart } from './part-file.js';
import { checkOutside } from './outside.js';
import { checkName, nameNew, otherKind } from './place.js';
import { isS3 } from './s3/s3-url.js';

/** A file that is being written, and is not seen under its name before it is whole. */
export interface OutputFile {
  /** Appends; text as UTF-8. @throws CrawlError STORE_FULL, BAD_OUTPUT */
  write(data: string | Uint8Array): Promise<void>;
  /** Makes all of it safe on the disk and gives it its name. */
  commit(): Promise<void>;
  /** Removes what was written, unless it was committed. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Begins a file beside the one that is meant, `.<name>.<pid>.part`. A process that is killed leaves that one behind.
 * @param force a file that is there already is replaced at the end, whoever made it
 * @param tables the table that it may not be in the folder of
 * @throws CrawlError BAD_OUTPUT when it is there already, or cannot be written
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
  const name = `.${basename(path)}.${process.pid}.part`;
  const part = join(dirname(path), name);
  const file = await onDisk(path, async () => {
    // Found out now, and not after an hour of writing.
    const found = await kindOf(DISK, path);
    if (found !== undefined && found !== 'file') throw otherKind(path, 'file', found);
    if (found && !force) throw thereAlready(path);
    if ((await kindOf(DISK, dirname(path))) === undefined) throw noFolder(dirname(resolve(path)));
    return openPart(DISK, part, { name, rows: 0, bytes: 0 }, () => undefined);
  });
  return {
    write: (data) => file.write(typeof data === 'string' ? data : Uint8Array.from(data)),
    commit: () =>
      onDisk(path, async () => {
        await file.flush(true);
        await file.close();
        if (force) await DISK.rename(part, path);
        else await nameNew(DISK, part, path);
      }),
    async [Symbol.asyncDispose]() {
      await file.close();
      await rm(part, { force: true });
    },
  };
}
