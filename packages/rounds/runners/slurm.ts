import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlError, safeText } from '../../errors/index.js';
import { addCounters } from '../../core/index.js';
import { createPolling } from '../back-off.js';
import { TRY_AGAIN, type Pass, type Runner, type WorkerExit } from '../runner.js';
import { countersOf } from './counters.js';
import { indexesOf } from './indexes.js';
import { outputOf, runProgram } from './run-program.js';

/** Options of {@link slurmRunner}. */
export interface SlurmRunnerOptions {
  /** The command that starts a worker: a program, and its first arguments. It must be valid on all nodes. */
  readonly command: readonly string[];
  /**
   * The path of a batch script with `#SBATCH` lines. It must run a worker with the arguments of the script, `"$@"`. Absent: a script that
   * runs `command`.
   */
  readonly template?: string;
  /** A folder for the output of the workers. All nodes must share it. Absent: the working directory of this process. */
  readonly folder?: string;
  /** Maximum number of tasks of the array that run at a time. */
  readonly parallel?: number;
  /** Maximum milliseconds between two polls of the array. Polls are more frequent at first. Default: 5,000. */
  readonly poll?: number;
  /** Environment variables of Slurm's commands. Absent: the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const HINT = 'run webcrawl on a node where Slurm is installed and jobs may be submitted';
/** Matches the states of a task that has ended, or that will never continue. */
const ENDED = /^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL|OUT_OF_MEMORY|PREEMPTED|BOOT_FAIL|DEADLINE|REVOKED)/;
/** Matches the reasons for which Slurm holds a task that was requeued too often. */
const HELD = /JobHoldMaxRequeue|JobHeldAdmin|launch_failed_requeued_held/i;

/**
 * Makes a runner that submits an array job with `sbatch`, and waits until all its tasks have ended. The array has one task for each shard.
 * The task gets its shard as `WEBCRAWL_SHARD`. Slurm requeues tasks whose node fails, and tasks whose exit status is in `RequeueExit`. If
 * an earlier call has submitted an array for the same batch and step, and this array has not ended, the runner waits for it and submits no
 * other array.
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

  /** Returns the id of an unfinished array with this name. */
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

  /** Polls the array until all tasks have ended. Slurm forgets a task some minutes after the end of the task. */
  async function waitFor(id: string, pass: Pass, onExit: (exit: WorkerExit) => void): Promise<WorkerExit[]> {
    const exits = new Map<number, WorkerExit>();
    const nextPoll = createPolling(poll);
    for (let misses = 0; ; await nextPoll()) {
      const { exitCode: status, out, err } = await runProgram(['scontrol', '--oneliner', 'show', 'job', id], how);
      const isForgotten = status !== 0 && /Invalid job id/i.test(err);
      // The Slurm controller may be restarting.
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

/** Reads the output of the workers of a task. Returns the sums of the counters in their reports, and the last part of the output. */
async function readLog(path: string | undefined): Promise<Pick<WorkerExit, 'counters' | 'message'>> {
  const text = path === undefined ? '' : await readFile(path, 'utf8').catch(() => '');
  let counters: Readonly<Record<string, number>> | undefined;
  for (const line of text.split('\n')) {
    const report = countersOf(line);
    if (!report) continue;
    counters = addCounters(counters ?? {}, report);
  }
  return { message: text.slice(-8192), ...(counters && { counters }) };
}

interface SlurmTask {
  readonly isEnded: boolean;
  readonly isHeld: boolean;
  readonly exitCode: number | null;
  readonly restarts: number;
  /** The file with the output of the workers of this task. */
  readonly log: string | undefined;
}

/** Parses the tasks in the output of `scontrol --oneliner show job`. One line has all tasks that were never started. */
function tasksOf(text: string): Map<number, SlurmTask> {
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

/** Parses `<status>:<signal>`. Returns null if the status is unknown, because a node failed or Slurm ended the task. */
function exitCodeOf(state: string, text: string): number | null {
  const [status = 0, signal = 0] = text.split(':').map(Number);
  if (state === 'COMPLETED') return 0;
  return signal > 0 || status === 0 ? null : status;
}

/**
 * Returns the script of a task. Bash stays the parent of the worker. So if the worker is killed, the exit status of the task is 137.
 * Otherwise Slurm would report a signal.
 */
function scriptOf(command: readonly string[]): string {
  const words = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return `#!/bin/bash\nexport WEBCRAWL_SHARD="$SLURM_ARRAY_TASK_ID/$WEBCRAWL_SHARDS"\n${words} "$@" --shard auto\nexit $?\n`;
}
