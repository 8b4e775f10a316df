import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

const MARK = /^(\d+)\.(\w+)\.(\w+)\.(\w+)$/;

/**
 * Returns a unique name of this process, `<pid>.<start>.<boot>.<machine>`, of letters and digits. It is used in the names of files that the
 * process may leave behind. Systems reuse process ids, in a container even at once. So the name also contains the start times of the
 * process and of the machine.
 */
export async function processMark(): Promise<string> {
  return [process.pid, await startOf(process.pid), await bootOf(), machineOf()].join('.');
}

/** Whether the process of a {@link processMark} still runs; `unknown` for a process of another machine, and for a text that is not a mark. */
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
    // The process may belong to another user.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Returns when a process began, in units of the system; undefined if the system does not tell. */
async function startOf(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // The name of the program is in brackets and may contain any characters, so the text is split after the last bracket.
  const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return start ?? (pid === process.pid ? String(Math.round(performance.timeOrigin)) : undefined);
}

/** Returns the id of the machine's last start; `0` if the system does not tell. */
async function bootOf(): Promise<string> {
  const id = await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(() => '');
  return /^[0-9a-f]{8}/.exec(id)?.[0] ?? '0';
}

function machineOf(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 12);
}
