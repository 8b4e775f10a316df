import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface Finished {
  /** Null if a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

/** Runs a command to its end, or kills it after `timeout` milliseconds. Rejects if it cannot be started. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; timeout: number },
): Promise<Finished> {
  const start = performance.now();
  const child = spawn(command, args, { ...options, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr, seconds: (performance.now() - start) / 1000 };
}
