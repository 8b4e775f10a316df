import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

const MARK = /^(\d+)\.(\w+)\.(\w+)\.(\w+)$/;

/**
 * What names this process and no other: `<pid>.<start>.<boot>.<machine>`, of letters and digits, for the names of what it may leave
 * behind. An id of a process is used again, in a container at once; so it also has when the process and the machine began.
 */
export async function processMark(): Promise<string> {
  return [process.pid, await startOf(process.pid), await bootOf(), machineOf()].join('.');
}

/** What became of the process of a {@link processMark}; `unknown` for one of another machine, and for a text that is none. */
export async function processOf(mark: string): Promise<'running' | 'gone' | 'unknown'> {
  const [, pid, start, boot, machine] = MARK.exec(mark) ?? [];
  if (pid === undefined || machine !== machineOf()) return 'unknown';
  if (boot !== (await bootOf())) return 'gone';
  if (!isRunning(Number(pid))) return 'gone';
  const now = await startOf(Number(pid));
  return now === undefined || now === start ? 'running' : 'gone';
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Of another user, for instance.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** When a process began, in units of the system; undefined where the system does not say. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name of the program, in brackets, may hold anything.
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return start ?? (pid === process.pid ? String(Math.round(performance.timeOrigin)) : undefined);
}

/** Which start of the machine this is; `0` where the system does not say. */
async function bootOf(): Promise<string> {
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '');
  return /^[0-9a-f]{8}/.exec(id)?.[0] ?? '0';
}

function machineOf(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 12);
}
