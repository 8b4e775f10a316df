import { dirname, join } from 'node:path';
import { CrawlError } from '../../errors/index.js';
import { processMark, processOf } from '../../util/index.js';
import { codeOf, noFolder, type TargetFiles } from './files.js';

/** The names of lock files: `lock.<mark of the process>`. All is in the name, so that none is half there. */
const PREFIX = 'lock.';

/** A lock that is held. */
export interface Lock {
  readonly release: () => Promise<void>;
}

/**
 * Takes the lock of a folder, which is made where it is not there. Each process puts a file of its own there, then looks for
 * those of others: of two at once at least one sees the other, and nobody takes away what another may still need. A lock
 * whose process is gone counts for nothing.
 * @param path what the folder is for, for messages
 * @throws CrawlError BAD_OUTPUT where another has it, and where the folder cannot be made since the one above it is missing
 */
export async function takeLock(files: TargetFiles, folder: string, path: string): Promise<Lock> {
  const own = `${PREFIX}${await processMark()}`;
  await placeFile(files, folder, own, path);
  const release = (): Promise<void> => files.rm(join(folder, own), { force: true });
  for (const name of await files.readdir(folder)) {
    if (!name.startsWith(PREFIX) || name === own) continue;
    const mark = name.slice(PREFIX.length);
    const other = await processOf(mark);
    if (other === 'gone') {
      await files.rm(join(folder, name), { force: true });
      continue;
    }
    await release();
    const hint =
      other === 'running'
        ? 'wait until it has ended'
        : `when no process of another machine writes there any more, remove ${join(folder, name)}`;
    const whose = `process ${Number.parseInt(mark)}${other === 'running' ? '' : ' of another machine'}`;
    throw new CrawlError('BAD_OUTPUT', `expected no other export to ${path}, found that of ${whose}`, { hint });
  }
  return { release };
}

async function placeFile(files: TargetFiles, folder: string, name: string, path: string): Promise<void> {
  for (;;) {
    await files.mkdir(folder).catch(async (error: unknown) => {
      if (codeOf(error) === 'ENOENT') throw noFolder(dirname(folder));
      if (codeOf(error) !== 'EEXIST') throw error;
      await checkOwnFolder(files, folder);
    });
    try {
      return await (await files.open(join(folder, name), 'wx')).close();
    } catch (error) {
      if (codeOf(error) === 'EEXIST') {
        throw new CrawlError('BAD_OUTPUT', `expected no other export to ${path}, found one of this process`, {
          hint: 'wait until it has ended',
        });
      }
      // The one who had the lock has ended, and the folder with it.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** Through a link an export would be made, and cleared away, in a folder of something else. */
async function checkOwnFolder(files: TargetFiles, folder: string): Promise<void> {
  // None any more: the one who had it has ended.
  const found = await files.lstat(folder).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return;
  const what = found.isSymbolicLink() ? 'a symbolic link' : 'something that is no folder';
  throw new CrawlError('BAD_OUTPUT', `expected a folder or nothing at ${folder}, found ${what}`, {
    hint: 'an export is made in this folder before it gets its name; remove what is there, or name another target',
  });
}
