import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Runs a module of ours in a process of its own with a value as its argument, and resolves with the last value that it
 * sent by {@link reply}; `onReply` sees every one. It runs in this folder, or in that of the caller.
 * @throws Error when it fails or sends nothing
 */
export async function runWorker<T>(
  module: URL,
  argument: unknown,
  onReply?: (value: T) => void,
  cwd?: string,
): Promise<T> {
  const { pathname } = module;
  const child = spawn(process.execPath, [pathname, JSON.stringify(argument)], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  let last: T | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    last = JSON.parse(line) as T;
    onReply?.(last);
  }
  const code = await ended;
  if (code !== 0 || last === undefined) throw new Error(`${pathname} ended with ${code}`);
  return last;
}

/** In a worker: what it was given. */
export function givenArgument<T>(): T {
  return JSON.parse(process.argv[2] ?? 'null') as T;
}

/** In a worker: sends a value to who runs it. */
export function reply(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** In a worker: its greatest resident memory so far, in MB. */
export function peakMemoryMb(): number {
  return process.resourceUsage().maxRSS / 1024;
}

/** The most memory of some time, in MB. The first two are undefined where the system does not say. */
export interface PeakMemory {
  /** All that is resident. */
  residentMb?: number;
  /** The same without the pages of the table's files that the system has mapped and can take back at any time. */
  ownMb?: number;
  /** What the thread that asks has for objects. */
  heapMb: number;
  /** Its bytes outside of that. */
  bytesMb: number;
}

const LOOK_MS = 20;
const MB = 1024 * 1024;

/** Watches the memory of a worker. Returns a function that tells the most since it was last called. */
export function watchMemory(): () => PeakMemory {
  let most: PeakMemory = { heapMb: 0, bytesMb: 0 };
  const look = (): void => {
    const { heapTotal, external } = process.memoryUsage();
    most.heapMb = Math.max(most.heapMb, heapTotal / MB);
    most.bytesMb = Math.max(most.bytesMb, external / MB);
    try {
      const status = readFileSync('/proc/self/status', 'latin1');
      most.residentMb = Math.max(most.residentMb ?? 0, megabytes(status, 'VmRSS'));
      most.ownMb = Math.max(most.ownMb ?? 0, megabytes(status, 'RssAnon'));
    } catch {
      // There is no such file but on Linux.
    }
  };
  const timer = setInterval(look, LOOK_MS);
  timer.unref();
  return () => {
    look();
    const told = most;
    most = { heapMb: 0, bytesMb: 0 };
    return told;
  };
}

function megabytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
}
