import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlError, safeText } from '../../errors/index.js';
import { createLooks } from '../back-off.js';
import { TRY_AGAIN, type Pass, type Runner, type WorkerExit } from '../runner.js';
import { countersOf } from './counters.js';
import { indexesOf } from './indexes.js';
import { outputOf, runProgram } from './run-program.js';

/** What {@link slurmRunner} takes. */
export interface SlurmRunnerOptions {
  /** The command of a worker, as the nodes find it: a program, and its first arguments. */
  readonly command: readonly string[];
  /** A batch script with `#SBATCH` lines that runs the worker with its arguments, `"$@"`. Absent: one that runs `command`. */
  readonly template?: string;
  /** A folder that all nodes share, for what the workers write. Absent: the working directory of this process. */
  readonly folder?: string;
  /** Tasks of the array at a time at the most. */
  readonly parallel?: number;
  /** Milliseconds between two looks at the array at the most; it looks sooner while the array is young. Default: 5,000. */
  readonly poll?: number;
  /** Variables of the environment of Slurm's commands; absent: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const HINT = 'run it where Slurm is installed, on a node that may submit jobs';
/** States in which a task is at its end, or will never go on. */
const ENDED = /^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|BOOT_FAIL|DEADLINE|REVOKED)/;
/** Reasons for which Slurm holds back a task that it has started again too often. */
const HELD = /JobHoldMaxRequeue|JobHeldAdmin|launch_failed_requeued_held/i;

/**
 * A runner that submits an array job with `sbatch`, a task for each shard, and waits for it. Each task gets its shard as
 * `WEBCRAWL_SHARD`. Tasks whose node dies, or of which `RequeueExit` names the exit status, are started again by Slurm. An array
 * that an earlier call for the same batch and step has submitted, and that is not at its end, is waited for in place of a new one.
 */
export function slurmRunner({
  command,
  template,
  folder = '.',
  parallel,
  poll = 5000,
  env,
}: SlurmRunnerOptions): Runner {
  const how = { hint: HINT, ...(env && { env }) };

  return async (pass, { signal, onExit }) => {
    const name = `webcrawl-${pass.batchId}-${pass.step}`;
    const id = (await runningArray(name)) ?? (await submit(pass, name));
    const stop = (): void => void runProgram(['scancel', id], how).catch(() => undefined);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await waitFor(id, pass, onExit);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };

  /** The id of an array of this name that is not at its end. */
  async function runningArray(name: string): Promise<string | undefined> {
    const out = await outputOf(['squeue', '--noheader', '--me', `--name=${name}`, '--format=%F'], how);
    return out.split('\n', 1)[0]?.trim() || undefined;
  }

  async function submit({ shards, count, args }: Pass, name: string): Promise<string> {
    const made = template === undefined ? await mkdtemp(join(tmpdir(), 'webcrawl-slurm-')) : undefined;
    const script = template ?? join(made!, 'worker.sh');
    try {
      if (made !== undefined) await writeFile(script, scriptOf(command));
      const limit = parallel === undefined ? '' : `%${parallel}`;
      const out = await outputOf(
        [
          ...['sbatch', '--parsable', '--requeue', `--job-name=${name}`],
          `--array=${shards.join(',')}${limit}`,
          `--output=${join(folder, `${name}-%A-%a.log`)}`,
          '--open-mode=append',
          `--export=ALL,WEBCRAWL_SHARDS=${count}`,
          ...[script, ...args],
        ],
        how,
      );
      return out.trim().split(';', 1)[0]!;
    } finally {
      if (made !== undefined) await rm(made, { recursive: true, force: true });
    }
  }

  /** Looks at the array until each task is at its end; Slurm forgets what has ended some minutes ago. */
  async function waitFor(id: string, pass: Pass, onExit: (exit: WorkerExit) => void): Promise<WorkerExit[]> {
    const exits = new Map<number, WorkerExit>();
    const look = createLooks(poll);
    for (let misses = 0; ; await look()) {
      const { exitCode: status, out, err } = await runProgram(['scontrol', '--oneliner', 'show', 'job', id], how);
      const isForgotten = status !== 0 && /Invalid job id/i.test(err);
      // The controller may be restarted meanwhile.
      if (status !== 0 && !isForgotten && ++misses <= 60) continue;
      if (status !== 0 && !isForgotten) {
        throw new CrawlError(
          'WORKER_FAILED',
          `expected scontrol to show job ${id}, found: ${safeText(err.trim(), 500)}`,
        );
      }
      misses = 0;
      const tasks = isForgotten ? new Map<number, SlurmTask>() : tasksOf(out);
      for (const shard of pass.shards) {
        const task = tasks.get(shard);
        if (exits.has(shard) || (!isForgotten && !task?.isEnded)) continue;
        if (task?.isHeld) await runProgram(['scancel', `${id}_${shard}`], how);
        const { exitCode = null, restarts = 0, log } = task ?? {};
        const exit = { shard, exitCode, restarts, ...(await readLog(log)) };
        exits.set(shard, exit);
        onExit(exit);
      }
      if (isForgotten || exits.size === pass.shards.length) return [...exits.values()];
    }
  }
}

/** What the workers of a task wrote, one after the other: their reports, added up, and the last words. */
async function readLog(path: string | undefined): Promise<Pick<WorkerExit, 'counters' | 'message'>> {
  const text = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
  let counters: Record<string, number> | undefined;
  for (const line of text.split('\n')) {
    const report = countersOf(line);
    if (!report) continue;
    counters ??= {};
    for (const [name, n] of Object.entries(report)) counters[name] = (counters[name] ?? 0) + n;
  }
  return { message: text.slice(-8192), ...(counters && { counters }) };
}

/** A task of an array as `scontrol` shows it. */
interface SlurmTask {
  readonly isEnded: boolean;
  readonly isHeld: boolean;
  readonly exitCode: number | null;
  readonly restarts: number;
  /** The file of what its workers write. */
  readonly log: string | undefined;
}

/** The tasks in what `scontrol --oneliner show job` writes; those that wait to be started for the first time are in one line. */
export function tasksOf(text: string): Map<number, SlurmTask> {
  const tasks = new Map<number, SlurmTask>();
  for (const line of text.split('\n')) {
    const fields = new Map([...line.matchAll(/(\w+)=(\S*)/g)].map(([, key = '', value = '']) => [key, value]));
    const state = fields.get('JobState') ?? '';
    const isHeld = state === 'PENDING' && HELD.test(fields.get('Reason') ?? '');
    const task: SlurmTask = {
      isEnded: ENDED.test(state) || isHeld,
      isHeld,
      exitCode: isHeld ? TRY_AGAIN : exitCodeOf(state, fields.get('ExitCode') ?? ''),
      restarts: Number(fields.get('Restarts') ?? 0),
      log: fields.get('StdOut'),
    };
    for (const index of indexesOf(fields.get('ArrayTaskId')?.replace(/%.*/, ''))) tasks.set(index, task);
  }
  return tasks;
}

/** `<status>:<signal>`; where a node died, or the task was ended by Slurm, nobody knows the status. */
function exitCodeOf(state: string, text: string): number | null {
  const [status = 0, signal = 0] = text.split(':').map(Number);
  if (state === 'COMPLETED') return 0;
  return signal > 0 || status === 0 ? null : status;
}

/** Bash stays, so that a worker that is killed ends its task with 137 and not with the signal. */
function scriptOf(command: readonly string[]): string {
  const words = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return `#!/bin/bash\nexport WEBCRAWL_SHARD="$SLURM_ARRAY_TASK_ID/$WEBCRAWL_SHARDS"\n${words} "$@" --shard auto\nexit $?\n`;
}
