import { spawn } from 'node:child_process';
import { CrawlError } from '../../errors/index.js';

interface ProgramEnd {
  /** null: the program was ended by a signal. */
  readonly exitCode: number | null;
  readonly out: string;
  /** The last 8 KiB of the standard error. */
  readonly err: string;
}

interface ProgramOptions {
  /** Data for the standard input of the program. */
  readonly input?: string;
  /** Environment variables of the program. Absent: the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * If given, the program is a worker. It gets a channel, and stops when the channel closes. If the signal aborts, the worker is asked to
   * stop.
   */
  readonly worker?: AbortSignal;
  /** The hint of the error if the program is not installed. */
  readonly hint?: string;
}

const MOST_OUT = 64 * 1024 * 1024;
const MOST_ERR = 8 * 1024;

/** @throws CrawlError MISSING_PACKAGE if the program is not installed */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { input, env, worker, hint }: ProgramOptions = {},
): Promise<ProgramEnd> {
  const child = spawn(program, args, {
    // The channel closes when this process ends, even if it is killed. Then the worker stops.
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...(worker ? (['ipc'] as const) : [])],
    // A worker has its own process group. So Ctrl-C in a terminal reaches only this process, which asks the worker to stop once.
    ...(worker && { detached: true }),
    ...(env && { env }),
  });
  const stop = (): void => void child.kill('SIGTERM');
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (out.length < MOST_OUT) out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err = (err + text).slice(-MOST_ERR)));
  // A program may end before it has read all input. The exit status reports such a failure, so the error is ignored here.
  child.stdin?.on('error', () => {}).end(input);
  try {
    return await new Promise<ProgramEnd>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) => reject(asCrawlError(error, program, hint)));
      child.once('close', (exitCode) => resolve({ exitCode, out, err }));
      worker?.addEventListener('abort', stop);
      if (worker?.aborted) stop();
    });
  } finally {
    worker?.removeEventListener('abort', stop);
  }
}

/**
 * Runs a program that must succeed, and returns its output.
 * @throws CrawlError MISSING_PACKAGE if the program is not installed; WORKER_FAILED if it fails
 */
export async function outputOf(command: readonly string[], options: ProgramOptions = {}): Promise<string> {
  const { exitCode, out, err } = await runProgram(command, options);
  if (exitCode === 0) return out;
  const said = err.trim() === '' ? 'nothing on standard error' : err.trim();
  throw new CrawlError(
    'WORKER_FAILED',
    `expected ${command.slice(0, 2).join(' ')} to succeed, found exit status ${exitCode ?? 'of a signal'}: ${said}`,
  );
}

function asCrawlError(error: NodeJS.ErrnoException, program: string, hint?: string): Error {
  if (error.code !== 'ENOENT') return error;
  return new CrawlError('MISSING_PACKAGE', `expected the program ${program}, found no program with this name`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  });
}
