import { spawn } from 'node:child_process';

/** The exit of a worker. */
export interface WorkerEnd {
  readonly isKilled: boolean;
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

/** Runs a module in its own process, to its end. */
export function runWorker(module: string, ...args: readonly unknown[]): Promise<WorkerEnd> {
  const child = spawn(process.execPath, [module, ...args.map(String)]);
  let out = '';
  let errors = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ isKilled: signal === 'SIGKILL', code, out, errors }));
  });
}

/** The number of steps that a worker prints; undefined if it was killed. @throws Error for any other exit */
export async function stepsOf(module: string, ...args: readonly unknown[]): Promise<number | undefined> {
  const { isKilled, code, out, errors } = await runWorker(module, ...args);
  if (isKilled) return undefined;
  if (code === 0) return Number(out);
  throw new Error(`it ended with ${code}: ${errors}`);
}
