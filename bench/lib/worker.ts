import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

const MAX_ERROR_CHARACTERS = 10_000;

/**
 * Runs a module in its own process with a value as its argument, and resolves with the last value that it sent by {@link reply};
 * `onReply` gets every one. It runs in this folder, or in that of the caller.
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
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => {
    process.stderr.write(bytes);
    if (errors.length < MAX_ERROR_CHARACTERS) errors += bytes.toString();
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  let last: T | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    last = JSON.parse(line) as T;
    onReply?.(last);
  }
  const code = await ended;
  if (code !== 0 || last === undefined) {
    throw new Error(`${basename(pathname)} ended with ${code}: ${errorIn(errors) ?? 'it wrote no error'}`);
  }
  return last;
}

/** The first line with an error in the form of Node or Python, else the first line. */
function errorIn(output: string): string | undefined {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.find((line) => /^[\w.]*Error\b.*:/.test(line)) ?? lines.find((line) => line !== '');
}

export interface JobCall {
  /** The URL of a module, and the name of a function that it exports. */
  readonly module: string;
  readonly name: string;
  readonly argument: unknown;
}

const JOB = new URL('../workers/job.js', import.meta.url);

/**
 * Runs a function in a process of its own, so that its time and its memory are measured alone.
 * @param module the URL of the module that exports the function under its own name
 */
export async function runJob<A, T, R = never>(
  module: string,
  job: (argument: A, report: (value: R) => void) => T | Promise<T>,
  argument: A,
  { onReport, cwd }: { readonly onReport?: (value: R) => void; readonly cwd?: string } = {},
): Promise<T> {
  const call: JobCall = { module, name: job.name, argument };
  const onReply = ({ report }: { report?: R }): void => {
    if (report !== undefined) onReport?.(report);
  };
  const last = await runWorker<{ result?: T; report?: R }>(JOB, call, onReply, cwd);
  return last.result as T;
}

export function givenArgument<T>(): T {
  return JSON.parse(process.argv[2] ?? 'null') as T;
}

export function reply(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** The peak memory of a period, in MB. The first two are undefined if the system does not tell. */
interface PeakMemory {
  residentMb?: number;
  /** The same without mapped pages of the table's files, which the system can take back at any time. */
  ownMb?: number;
  heapMb: number;
  bytesMb: number;
}

/** What a task costs. Without /proc its peaks are those of the process since its start. */
export interface TaskCost extends Required<PeakMemory> {
  readonly seconds: number;
  readonly cpuSeconds: number;
}

export async function measured<T>(task: () => T | Promise<T>): Promise<[T, TaskCost]> {
  const memory = watchMemory();
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = await task();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return [result, { seconds, cpuSeconds: (user + system) / 1e6, ...memory() }];
}

const POLL_MS = 20;
const MB = 1024 * 1024;

/** Watches the memory of a worker. Returns a function that returns the peak since its last call. */
export function watchMemory(): () => Required<PeakMemory> {
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
      // Only Linux has this file.
    }
  };
  const timer = setInterval(look, POLL_MS);
  timer.unref();
  return () => {
    look();
    const { residentMb = process.resourceUsage().maxRSS / 1024, ownMb = residentMb, ...javascript } = most;
    most = { heapMb: 0, bytesMb: 0 };
    return { residentMb, ownMb, ...javascript };
  };
}

function megabytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
}
