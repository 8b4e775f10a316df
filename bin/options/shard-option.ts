import type { Command } from 'commander';
import type { Shard } from '../../packages/webcrawl/index.js';
import { CrawlError, parseShard, safeText, shardText } from '../../packages/webcrawl/names.js';
import type { Cli } from '../cli.js';
import { readLines } from '../input/input.js';
import type { Io } from '../io.js';

type Environment = Io['env'];

/** Where schedulers say which of their tasks this is: the variable that says so, and how index and count come of it. */
const SCHEDULERS: readonly (readonly [
  variable: string,
  read: (env: Environment) => readonly (string | number | undefined)[],
])[] = [
  ['WEBCRAWL_SHARD', ({ WEBCRAWL_SHARD = '' }) => WEBCRAWL_SHARD.split('/')],
  ['JOB_COMPLETION_INDEX', (env) => [env.JOB_COMPLETION_INDEX, env.WEBCRAWL_SHARDS]],
  ['SLURM_ARRAY_TASK_ID', slurmTask],
  ['CLOUD_RUN_TASK_INDEX', (env) => [env.CLOUD_RUN_TASK_INDEX, env.CLOUD_RUN_TASK_COUNT]],
  ['AWS_BATCH_JOB_ARRAY_INDEX', (env) => [env.AWS_BATCH_JOB_ARRAY_INDEX, env.WEBCRAWL_SHARDS]],
];

/** An array of Slurm may begin at any number, and go on in steps. */
function slurmTask(env: Environment): readonly (string | number | undefined)[] {
  const { SLURM_ARRAY_TASK_ID: id, SLURM_ARRAY_TASK_MIN: first = 0, SLURM_ARRAY_TASK_STEP: step = 1 } = env;
  return [(Number(id) - Number(first)) / Number(step), env.SLURM_ARRAY_TASK_COUNT];
}

/** The shard that the environment of a scheduler names. @throws CrawlError USAGE where it names none */
export function shardOfEnvironment(env: Environment): Shard {
  const found = SCHEDULERS.find(([variable]) => env[variable]);
  if (!found) {
    throw new CrawlError('USAGE', 'expected a scheduler to say in the environment which shard this is, found nothing', {
      hint: `set one of ${SCHEDULERS.map(([variable]) => variable).join(', ')}, or give --shard i/n`,
    });
  }
  const [variable, read] = found;
  const [index, count] = read(env);
  try {
    return parseShard(`${index}/${count}`);
  } catch (cause) {
    const also = variable === 'JOB_COMPLETION_INDEX' || variable === 'AWS_BATCH_JOB_ARRAY_INDEX';
    throw new CrawlError(
      'USAGE',
      `expected ${variable} to say which shard this is, found ${safeText(`${index} of ${count}`, 80)}`,
      { cause, hint: also ? 'set WEBCRAWL_SHARDS to the number of tasks' : 'give --shard i/n' },
    );
  }
}

/** Adds `--shard`. @param parts what is divided */
export function addShardOption(command: Command, parts = 'hosts'): Command {
  return command.option(
    '--shard <i/n|auto|->',
    `the i-th of n parts of the ${parts}, from 0; auto: as a scheduler's environment says; -: lines i/n on standard input`,
  );
}

/** The end of the help of a verb that has `--shard`. */
export const SHARD_HELP = `
With --shard many workers share the work on a table that processes share (hbase://…), each with a part of
its hosts; n may differ from run to run, and is at most the slots of the table. auto reads WEBCRAWL_SHARD
(i/n), JOB_COMPLETION_INDEX or AWS_BATCH_JOB_ARRAY_INDEX with WEBCRAWL_SHARDS, SLURM_ARRAY_TASK_ID or
CLOUD_RUN_TASK_INDEX. With - each line of standard input is a shard, one after another, and standard error
has the lines reporter:status and reporter:counter of Hadoop Streaming. For schedulers: 0 is done, 75 is
to be tried again (another worker has the part, this one was stopped, or the store is away), any other
status is wrong and stays so. On SIGTERM nothing new is asked, requests in flight have two seconds to
end, and the part is released.`;

/** A shard to run, with what a scheduler reads of it. */
export interface ShardRun {
  readonly shard?: Shard;
  /** Progress and counters go to standard error as Hadoop Streaming reads them. */
  readonly isStreaming?: true;
}

/**
 * Runs a job for what `--shard` names: once without it.
 * @throws CrawlError USAGE, and what `run` throws: then the shards that are left are not run
 */
export async function overShards(
  cli: Cli,
  named: string | undefined,
  run: (shard: ShardRun) => Promise<void>,
): Promise<void> {
  if (named === undefined) return run({});
  if (named !== '-') return run({ shard: named === 'auto' ? shardOfEnvironment(cli.io.env) : parseShard(named) });
  let isEmpty = true;
  for await (const line of readLines(cli.io.stdin, 'standard input')) {
    // Hadoop may put where the line is in its file before it.
    const text = line.split('\t').at(-1)!.trim();
    if (text === '') continue;
    isEmpty = false;
    await run({ shard: parseShard(text), isStreaming: true });
    if (cli.io.signal.aborted) return;
  }
  if (isEmpty) throw new CrawlError('USAGE', 'expected lines i/n on standard input, found none');
}

/** Counters as Hadoop Streaming adds them up; its names have no commas. */
export function reporterCounters(job: string, counters: Readonly<Record<string, number>>): string {
  return Object.entries(counters)
    .map(([name, n]) => `reporter:counter:webcrawl ${job},${oneWord(name)},${Math.round(n)}\n`)
    .join('');
}

/** How a shard gets on, which also keeps Hadoop from ending it as hung. */
export function reporterStatus({ shard }: ShardRun, line: string): string {
  return `reporter:status:${shard ? `${shardText(shard)} ` : ''}${safeText(line, 500)}\n`;
}

const oneWord = (name: string): string => safeText(name, 100).replace(/[,\s]+/g, '_');
