import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Measurement {
  readonly seconds: number;
  /** User and system time of the process and of the child processes that it waited for. */
  readonly cpuSeconds: number;
  /** Peak resident memory of all its processes together, in MB. Undefined: there is no /proc. */
  readonly peakMb?: number;
  readonly stdout: string;
}

export interface MeasureOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Called twenty times a second with the CPU seconds of the command so far; 0 if there is no /proc. */
  readonly onLook?: (cpuSeconds: number) => void;
  /** Run on this number of the first cores, on Linux. Absent: on all. */
  readonly cores?: number;
  readonly mayFail?: boolean;
}

const SAMPLE_MS = 50;
const TICKS_PER_SECOND = 100;
const BLOCK = 4096;
/** Measures the time of its arguments. The figures go to descriptor 3, errors of the command to standard error. */
const TIMED = `TIMEFORMAT='%R %U %S'; { time "$@" 2>&4; } 4>&2 2>&3`;

/** Runs a command to its end and measures it. Needs bash, whose `time` counts the CPU time of children as well. */
export async function measure(
  command: string,
  args: readonly string[],
  { onLook, cores, mayFail = false, ...options }: MeasureOptions = {},
): Promise<Measurement> {
  const pinned = cores === undefined ? [] : ['taskset', '--cpu-list', allowedCores().slice(0, cores).join()];
  const child = spawn('bash', ['-c', TIMED, 'bash', ...pinned, command, ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  let peakKb = 0;
  const sampler = setInterval(() => {
    const processes = childrenOf(child.pid!);
    peakKb = Math.max(peakKb, sum(processes, highWaterMark));
    onLook?.(sum(processes, cpuTicks) / TICKS_PER_SECOND);
  }, SAMPLE_MS);
  try {
    const [code, stdout, stderr, times] = await Promise.all([
      ended,
      text(child.stdout!),
      text(child.stderr!),
      text(child.stdio[3] as NodeJS.ReadableStream),
    ]);
    if (code !== 0 && !mayFail) throw new Error(`${command} ended with ${code}: ${excerpt(stderr || stdout)}`);
    const [seconds = NaN, user = NaN, system = NaN] = times.trim().split(/\s+/).map(Number);
    return { seconds, cpuSeconds: user + system, stdout, ...(peakKb > 0 && { peakMb: peakKb / 1024 }) };
  } finally {
    clearInterval(sampler);
  }
}

function allowedCores(): number[] {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

function childrenOf(pid: number): number[] {
  const children: number[] = [];
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      for (const child of readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ')) {
        if (child !== '') children.push(Number(child), ...childrenOf(Number(child)));
      }
    }
  } catch {
    // The process has ended, or there is no /proc.
  }
  return children;
}

/** Processes that have ended in the meantime count as 0. */
function sum(processes: readonly number[], figure: (pid: number) => number): number {
  let total = 0;
  for (const pid of processes) {
    try {
      total += figure(pid);
    } catch {
      // The process has ended.
    }
  }
  return total;
}

/** The peak memory of a process so far, in KB. It never falls, so little is lost between two polls. */
function highWaterMark(pid: number): number {
  const match = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0);
}

/** User and system time of a process and of its children that have ended. */
function cpuTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The second field is a name in brackets that may contain spaces; these are the fields 14 to 17 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0);
}

/** CPU seconds of a running process, and of its children that have ended; 0 if there is no /proc. */
export const cpuSecondsOf = (pid: number): number => sum([pid], cpuTicks) / TICKS_PER_SECOND;

/** Disk space of the files below a folder, in blocks of 4 KB; 0 if there is no folder. */
export async function bytesOnDisk(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  for (const name of entries) {
    // LevelDB removes files at any time.
    const stats = await lstat(join(folder, name)).catch(() => undefined);
    // Not the allocated blocks: file systems may reserve more for a file that is being written.
    if (stats?.isFile()) bytes += Math.ceil(stats.size / BLOCK) * BLOCK;
  }
  return bytes;
}

function excerpt(output: string): string {
  const lines = output.trim().split('\n');
  return (lines.length > 10 ? [...lines.slice(0, 5), '…', ...lines.slice(-5)] : lines).join('\n');
}
