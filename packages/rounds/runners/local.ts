import { pause, waitBefore, type BackOff } from '../back-off.js';
import { outcomeOf, type Pass, type Runner, type RunnerOptions, type WorkerExit } from '../runner.js';
import { countersOf } from './counters.js';
import { runProgram } from './run-program.js';

/** What {@link localRunner} takes. */
export interface LocalRunnerOptions {
  /** The command of a worker: a program, and its first arguments. */
  readonly command: readonly string[];
  /** Workers at a time at the most. Absent: one for each shard. */
  readonly parallel?: number;
  /** How a worker is started again that was killed or asks for it. */
  readonly backOff?: BackOff;
  /** Variables of their environment; absent: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const BACK_OFF: BackOff = { first: 1000, most: 30_000, limit: 8 };
/** Milliseconds after which a worker has done something: what fails then fails for the first time. */
const AT_WORK = 60_000;

/** A runner whose workers are processes on this machine. They stop by themselves when this process ends. */
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
        // What is wrong is wrong for all.
        if (outcomeOf(exit) === 'failed') failed.abort();
      }
    };
    const lanes = Array.from({ length: Math.min(parallel, left.length) }, lane);
    await Promise.all(lanes).finally(() => failed.abort());
    const ended = new Set(exits.map(({ shard }) => shard));
    return [...exits, ...pass.shards.filter((shard) => !ended.has(shard)).map((shard) => ({ shard, exitCode: null }))];
  };
}
