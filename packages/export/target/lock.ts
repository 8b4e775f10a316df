import { dirname, join } from 'node:path';
import { CrawlError } from '../../errors/index.js';
import { processMark, processOf } from '../../util/index.js';
import { codeOf, noFolder, type TargetFiles } from './files.js';

/** Prefix of lock files: `lock.<mark of the process>`. All data is in the name, so a lock file is never incomplete. */
const PREFIX = 'lock.';

/**
 * Locks a folder, which is created if missing. Each process creates its own file in the folder, then looks for the files of other
 * processes. If two processes do so at the same time, at least one sees the other. No process removes a file that another may still need. A
 * lock whose process has ended is ignored.
 * @param path the purpose of the folder, for messages
 * @returns the function that releases the lock
 * @throws CrawlError BAD_OUTPUT when another process has the lock, or the folder cannot be created because the folder around it is missing
 */
export async function takeLock(files: TargetFiles, folder: string, path: string): Promise<() => Promise<void>> {
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
        : `when no process on another machine writes there, remove ${join(folder, name)}`;
    const whose = `process ${Number.parseInt(mark)}${other === 'running' ? '' : ' of another machine'}`;
    throw new CrawlError('BAD_OUTPUT', `another export to ${path} is running, in ${whose}`, { hint });
  }
  return release;
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
        throw new CrawlError('BAD_OUTPUT', `another export to ${path} is running in this process`, {
          hint: 'wait until it has ended',
        });
      }
      // The folder is missing: another process had the lock, and removed the folder when it ended. So the loop creates it again.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** Checks that the folder is not a link. Through a link, an export would write and delete files in the folder of another program. */
async function checkOwnFolder(files: TargetFiles, folder: string): Promise<void> {
  // The folder may be gone already, if its owner has ended.
  const found = await files.lstat(folder).catch(() => undefined);
  if (found === undefined || found.isDirectory()) return;
  const what = found.isSymbolicLink() ? 'a symbolic link' : 'something that is no folder';
  throw new CrawlError('BAD_OUTPUT', `${folder} is ${what}`, {
    hint: 'an export is made in this folder before it gets its name; remove what is there, or name another target',
  });
}
