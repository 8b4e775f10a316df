import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What a command cost. */
export interface Measurement {
  /** From start to end, the start of the process with it. */
  readonly seconds: number;
  /** User and system time of the process and of the children that it waited for. */
  readonly cpuSeconds: number;
  /** Greatest resident memory of all its processes together, in MB; undefined where there is no /proc. */
  readonly peakMb?: number;
  readonly stdout: string;
}

const SAMPLE_MS = 50;
const BLOCK = 4096;
/** Times its arguments; the figures go to descriptor 3, the errors of the command to standard error. */
const TIMED = `TIMEFORMAT='%R %U %S'; { time "$@" 2>&4; } 4>&2 2>&3`;

/**
 * Runs a command to its end and measures it. Needs bash, whose `time` counts the CPU time of children as well.
 * @throws Error with some of its standard error when it fails
 */
export async function measure(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<Measurement> {
  const child = spawn('bash', ['-c', TIMED, 'bash', command, ...args], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  let peakKb = 0;
  const sampler = setInterval(() => (peakKb = Math.max(peakKb, memoryOfChildren(child.pid!))), SAMPLE_MS);
  try {
    const [code, stdout, stderr, times] = await Promise.all([
      ended,
      text(child.stdout!),
      text(child.stderr!),
      text(child.stdio[3] as NodeJS.ReadableStream),
    ]);
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${excerpt(stderr || stdout)}`);
    const [seconds = NaN, user = NaN, system = NaN] = times.trim().split(/\s+/).map(Number);
    return { seconds, cpuSeconds: user + system, stdout, ...(peakKb > 0 && { peakMb: peakKb / 1024 }) };
  } finally {
    clearInterval(sampler);
  }
}

/**
 * Sum of the high-water marks of all processes below one, in KB. The marks never fall while a process lives, so that little
 * is lost between two looks.
 */
function memoryOfChildren(pid: number): number {
  let sum = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      for (const child of readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ')) {
        if (child !== '') sum += highWaterMark(child) + memoryOfChildren(Number(child));
      }
    }
  } catch {
    // It has ended, or there is no /proc.
  }
  return sum;
}

function highWaterMark(pid: string): number {
  const match = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0);
}

/** Bytes that the files below a folder take on the disk, in blocks of 4 KB; 0 where there is none. */
export async function bytesOnDisk(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  for (const name of entries) {
    // LevelDB removes files at any time.
    const stats = await lstat(join(folder, name)).catch(() => undefined);
    // Not the blocks it has: file systems may set some aside for a file that was being written.
    if (stats?.isFile()) bytes += Math.ceil(stats.size / BLOCK) * BLOCK;
  }
  return bytes;
}

/** Few lines, of the beginning and of the end. */
function excerpt(output: string): string {
  const lines = output.trim().split('\n');
  return (lines.length > 10 ? [...lines.slice(0, 5), '…', ...lines.slice(-5)] : lines).join('\n');
}
