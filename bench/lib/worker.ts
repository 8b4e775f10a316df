import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * Runs a module of ours in a process of its own with a value as its argument, and resolves with the last value that it
 * sent by {@link reply}; `onReply` sees every one.
 * @throws Error when it fails or sends nothing
 */
export async function runWorker<T>(module: URL, argument: unknown, onReply?: (value: T) => void): Promise<T> {
  const { pathname } = module;
  const child = spawn(process.execPath, [pathname, JSON.stringify(argument)], { stdio: ['ignore', 'pipe', 'inherit'] });
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

/**
 * Watches how much memory of its own a worker holds, without the pages of the table's files that the system has mapped
 * and can take back at any time. Returns a function that tells the most so far, in MB; undefined where the system does
 * not say.
 */
export function watchOwnMemory(): () => number | undefined {
  let most: number | undefined;
  const look = (): void => {
    try {
      const kilobytes = /^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
      if (kilobytes !== undefined) most = Math.max(most ?? 0, Number(kilobytes) / 1024);
    } catch {
      // There is no such file but on Linux.
    }
  };
  const timer = setInterval(look, 20);
  timer.unref();
  return () => {
    look();
    return most;
  };
}
