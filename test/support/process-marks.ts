import { spawnSync } from 'node:child_process';
import { processMark } from '../../packages/util/index.js';

/**
 * Marks of processes of this machine that are gone: one that has ended, one whose id this process has by now, as in a container, one
 * whose id a process has that began later, and one of before the machine was started.
 */
export async function marksOfGone(): Promise<readonly string[]> {
  const [pid, start, boot, machine] = (await processMark()).split('.');
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  return [
    [ended, start, boot, machine],
    [pid, '1', boot, machine],
    [process.ppid, '1', boot, machine],
    [pid, start, 'earlier', machine],
  ].map((parts) => parts.join('.'));
}
