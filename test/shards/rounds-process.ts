import { spawn, type ChildProcess } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/docs/source-files.js';
import { SETTINGS } from './made-hosts.js';

const COMMAND = join(ROOT, 'dist/bin/webcrawl.js');

/** The end of `webcrawl rounds`. */
export interface RoundsEnd {
  /** null: it was killed. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `webcrawl rounds` in its own process, with its own workers. */
export interface RoundsProcess {
  readonly ended: Promise<RoundsEnd>;
  /** Its running workers, with the words of their command lines. */
  workers(): Promise<readonly { readonly pid: number; readonly words: readonly string[] }[]>;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts the driver.
 * @param onLine called with each line that it prints
 */
export function startRounds(
  table: string,
  args: readonly string[],
  { onLine = () => {}, env = {} }: { onLine?: (line: string) => void; env?: Readonly<Record<string, string>> } = {},
): RoundsProcess {
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  const child: ChildProcess = spawn(
    process.execPath,
    [COMMAND, 'rounds', ...args, '--stay', 'any', '--verbose', '--table', table, ...settings],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
  );
  let out = '';
  let err = '';
  let rest = '';
  child.stdout!.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => {
    err += chunk.toString();
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  return {
    ended: new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (code) => resolve({ code, out, err }));
    }),
    workers: () => childrenOf(child.pid!),
    kill: (signal) => void child.kill(signal),
  };
}

async function childrenOf(parent: number) {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const [stat = '', words = ''] = await Promise.all(
          ['stat', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
        );
        const [state, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(parentPid) === parent && state !== 'Z' ? [{ pid, words: words.split('\0') }] : [];
      } catch {
        // The process has ended in the meantime.
        return [];
      }
    }),
  );
  return found.flat();
}
