import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './docs/source-files.js';

const COMMAND = join(ROOT, 'dist/bin/webcrawl.js');

/** The exit of the command, and its whole output. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The command as a process. */
export interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ended>;
}

/** @throws Error if the command is not built */
export function requireCommand(): void {
  if (!existsSync(COMMAND)) throw new Error('dist is missing: run `npm test`, or `npm run build` before vitest');
}

/**
 * Starts the command in a folder, on the table there, with no delay between requests.
 * @param to.table another table
 * @param to.stdout an open file for standard output; `out` is then empty
 * @param to.env additional environment variables
 */
export function startCommand(
  folder: string,
  args: readonly string[],
  to: {
    readonly stdout?: number;
    readonly env?: Readonly<Record<string, string>>;
    readonly table?: string;
  } = {},
): Started {
  const options = ['--table', to.table ?? `level:${join(folder, 'table')}`, '--set', 'fetcher.serverDelay=0'];
  const child = spawn(process.execPath, [COMMAND, ...args, ...options], {
    cwd: folder,
    stdio: ['pipe', to.stdout ?? 'pipe', 'pipe'],
    env: { ...process.env, ...to.env },
  }) as ChildProcessWithoutNullStreams;
  let out = '';
  let err = '';
  if (to.stdout === undefined) child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
  return { child, ended };
}

/** Waits until the child has printed this on standard error. */
export function said(child: ChildProcessWithoutNullStreams, words: string): Promise<void> {
  let text = '';
  return new Promise((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes(words)) resolve();
    });
  });
}
