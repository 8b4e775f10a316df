import { pause } from '../../util/index.js';
import { waitBefore, type BackOff } from '../back-off.js';
import { outcomeOf, type Pass, type Runner, type RunnerOptions, type WorkerExit } from '../runner.js';
import { countersOf } from './counters.js';
import { runProgram } from './run-program.js';

/** Options of {@link localRunner}. */
export interface LocalRunnerOptions {
  /** The command that starts a worker: a program, and its first arguments. */
  readonly command: readonly string[];
  /** Maximum number of workers at a time. Absent: one worker for each shard. */
  readonly parallel?: number;
  /** Limits on restarts of a worker that was killed, or whose exit status requests a restart. */
  readonly backOff?: BackOff;
  /** Environment variables of the workers. Absent: the variables of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const BACK_OFF: BackOff = { first: 1000, most: 30_000, limit: 8 };
/** Milliseconds. A worker that ran for at least this time has made progress. Its next failure counts as the first failure. */
const AT_WORK = 60_000;

/** Makes a runner whose workers are processes on this machine. Workers stop by themselves if this process ends. */
export function localRunner({ command, parallel = Infinity, backOff = BACK_OFF, env }: LocalRunnerOptions): Runner {
  const runOnce = async ({ args, count }: Pass, shard: number, worker: AbortSignal): Promise<WorkerExit> => {
    const options = { worker, ...(env && { env }) };
    const { exitCode, out, err } = await runProgram([...command, ...args, '--shard', `${shard}/${count}`], options);
    const counters = countersOf(out);
    return { shard, exitCode, message: err, ...(counters && { counters }) };
  };

  async function runShard(pass: Pass, shard: number, { signal, onExit }: RunnerOptions): Promise<WorkerExit> {
    let failures = 0;
    for (let restarts = 0; ; restarts++) {
      const began = performance.now();
      const exit = { ...(await runOnce(pass, shard, signal)), restarts };
      failures = performance.now() - began > AT_WORK ? 1 : failures + 1;
      const wait = outcomeOf(exit) === 'again' && !signal.aborted ? waitBefore(backOff, failures) : undefined;
      onExit(exit, wait);
      if (wait === undefined) return exit;
      await pause(wait, signal);
      if (signal.aborted) return exit;
    }
  }

  return async (pass, options) => {
    const left = [...pass.shards];
    const exits: WorkerExit[] = [];
    const failed = new AbortController();
    const signal = AbortSignal.any([options.signal, failed.signal]);
    const lane = async (): Promise<void> => {
      for (let shard = left.shift(); shard !== undefined && !signal.aborted; shard = left.shift()) {
        const exit = await runShard(pass, shard, { ...options, signal });
        exits.push(exit);
        // If a worker fails permanently, the other workers would fail too. So they are stopped.
        if (outcomeOf(exit) === 'failed') failed.abort();
      }
    };
    const lanes = Array.from({ length: Math.min(parallel, left.length) }, lane);
    await Promise.all(lanes).finally(() => failed.abort());
    const ended = new Set(exits.map(({ shard }) => shard));
    return [...exits, ...pass.shards.filter((shard) => !ended.has(shard)).map((shard) => ({ shard, exitCode: null }))];
  };
}
