import { spawnSync } from 'node:child_process';
import { processMark } from '../../packages/util/index.js';

/**
 * Marks of processes of this machine that are gone: one that has ended; one whose id now belongs to this process, as in a container; one
 * whose id belongs to a process that began later; and one from before the start of the machine.
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
