import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CrawlError } from '../../errors/index.js';
import { codeOf, type TargetFiles } from './files.js';

/** The names of lock files: `lock.<pid>.<start of the process>.<machine>`. All is in the name, so that none is half there. */
const NAME = /^lock\.(\d+)\.(\w+)\.(\w+)$/;

/** A lock that is held. */
export interface Lock {
  readonly release: () => Promise<void>;
}

/**
 * Takes the lock of a folder, which is made where it is not there. Each process puts a file of its own there, then looks for
 * those of others: of two at once at least one sees the other, and nobody takes away what another may still need. A lock
 * whose process is gone counts for nothing.
 * @param path what the folder is for, for messages
 * @throws CrawlError BAD_OUTPUT where another has it
 */
export async function takeLock(files: TargetFiles, folder: string, path: string): Promise<Lock> {
  const machine = createHash('sha256').update(hostname()).digest('hex').slice(0, 12);
  const own = `lock.${process.pid}.${await startOf(process.pid)}.${machine}`;
  await placeFile(files, folder, own, path);
  const release = (): Promise<void> => files.rm(join(folder, own), { force: true });
  for (const name of await files.readdir(folder)) {
    const [, pid, start, where] = NAME.exec(name) ?? [];
    if (pid === undefined || name === own) continue;
    if (where === machine && (await isGone(Number(pid), start!))) {
      await files.rm(join(folder, name), { force: true });
      continue;
    }
    await release();
    const hint =
      where === machine
        ? 'wait until it has ended'
        : `when no process of another machine writes there any more, remove ${join(folder, name)}`;
    const whose = `process ${pid}${where === machine ? '' : ' of another machine'}`;
    throw new CrawlError('BAD_OUTPUT', `expected no other export to ${path}, found that of ${whose}`, { hint });
  }
  return { release };
}

async function placeFile(files: TargetFiles, folder: string, name: string, path: string): Promise<void> {
  for (;;) {
    await files.mkdir(folder).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
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

/** An id that goes to another process may be used again, so where the system says when it began that counts too. */
async function isGone(pid: number, start: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return true;
  }
  return (await startOf(pid)) !== start;
}

/** When a process began, in units of the system; `0` where it does not say. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name of the program, in brackets, may hold anything.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
}
