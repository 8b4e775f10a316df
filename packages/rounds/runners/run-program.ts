import { spawn } from 'node:child_process';
import { CrawlError } from '../../errors/index.js';

/** How a program ended, and what it wrote. */
export interface ProgramEnd {
  /** Null where a signal ended it. */
  readonly exitCode: number | null;
  readonly out: string;
  /** The last 8 KiB of standard error. */
  readonly err: string;
}

/** How a program is run. */
export interface ProgramOptions {
  /** Written to its standard input. */
  readonly input?: string;
  /** Variables of the environment; absent: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** It is a worker: it gets a channel, at whose end it stops by itself, and is asked to stop when this aborts. */
  readonly worker?: AbortSignal;
  /** What to do where the program is not there. */
  readonly hint?: string;
}

const MOST_OUT = 64 * 1024 * 1024;
const MOST_ERR = 8 * 1024;

/**
 * Runs a program to its end.
 * @throws CrawlError MISSING_PACKAGE where it is not there
 */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { input, env, worker, hint }: ProgramOptions = {},
): Promise<ProgramEnd> {
  const child = spawn(program, args, {
    // The channel ends with this process, however that ends, and a worker stops then.
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...(worker ? (['ipc'] as const) : [])],
    // In a group of its own: Ctrl-C of a terminal reaches this process alone, which hands it on once.
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
  // One that ends before it has read all says so by its exit status.
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
 * Runs a program that has to end well, and returns what it wrote.
 * @throws CrawlError MISSING_PACKAGE where it is not there; WORKER_FAILED where it ends otherwise
 */
export async function outputOf(command: readonly string[], options: ProgramOptions = {}): Promise<string> {
  const { exitCode, out, err } = await runProgram(command, options);
  if (exitCode === 0) return out;
  const said = err.trim() === '' ? 'nothing on standard error' : err.trim();
  throw new CrawlError(
    'WORKER_FAILED',
    `expected ${command.slice(0, 2).join(' ')} to end well, found exit status ${exitCode ?? 'of a signal'}: ${said}`,
  );
}

function asCrawlError(error: NodeJS.ErrnoException, program: string, hint?: string): Error {
  if (error.code !== 'ENOENT') return error;
  return new CrawlError('MISSING_PACKAGE', `expected the program ${program}, found none of this name`, {
    cause: error,
    ...(hint !== undefined && { hint }),
  });
}
