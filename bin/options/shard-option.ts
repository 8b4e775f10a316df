import type { Command } from 'commander';
import type { Shard } from '../../packages/webcrawl/internal.js';
import { CrawlError, parseShard, safeText, shardText } from '../../packages/webcrawl/names.js';
import type { Cli } from '../cli.js';
import { readLines } from '../input/input.js';
import type { Io } from '../io.js';

type Environment = Io['env'];

/**
 * The environment variables by which schedulers number their tasks. Each entry has a function that returns the index and the number of
 * tasks.
 */
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

/** The indexes of a Slurm array may begin at any number and have any step. */
function slurmTask(env: Environment): readonly (string | number | undefined)[] {
  const { SLURM_ARRAY_TASK_ID: id, SLURM_ARRAY_TASK_MIN: first = 0, SLURM_ARRAY_TASK_STEP: step = 1 } = env;
  return [(Number(id) - Number(first)) / Number(step), env.SLURM_ARRAY_TASK_COUNT];
}

/**
 * Returns the shard from the environment variables of a scheduler.
 * @throws CrawlError USAGE if there are no such variables
 */
function shardOfEnvironment(env: Environment): Shard {
  const found = SCHEDULERS.find(([variable]) => env[variable]);
  if (!found) {
    throw new CrawlError('USAGE', '--shard auto: no environment variable of a scheduler is set', {
      hint: `set one of ${SCHEDULERS.map(([variable]) => variable).join(', ')}, or give --shard i/n`,
    });
  }
  const [variable, read] = found;
  const [index, count] = read(env);
  try {
    return parseShard(`${index}/${count}`);
  } catch (cause) {
    const also = variable === 'JOB_COMPLETION_INDEX' || variable === 'AWS_BATCH_JOB_ARRAY_INDEX';
    throw new CrawlError('USAGE', `${variable} gives no shard: ${safeText(`${index} of ${count}`, 80)}`, {
      cause,
      hint: also ? 'set WEBCRAWL_SHARDS to the number of tasks' : 'give --shard i/n',
    });
  }
}

/**
 * Adds `--shard`.
 * @param parts what is divided among the shards
 */
export function addShardOption(command: Command, parts = 'hosts'): Command {
  return command.option(
    '--shard <i/n|auto|->',
    `part i of n of the ${parts}, counted from 0; auto: from the environment of a scheduler; -: lines i/n on standard input`,
  );
}

/** The end of the help of verbs with `--shard`. */
export const SHARD_HELP = `
With --shard, many workers work on one table (hbase://…), each on a part of its hosts. n may differ from run to
run. Its maximum is the number of slots of the table.
  i/n   this shard
  auto  the shard of WEBCRAWL_SHARD (i/n); or of JOB_COMPLETION_INDEX or AWS_BATCH_JOB_ARRAY_INDEX with
        WEBCRAWL_SHARDS; or of SLURM_ARRAY_TASK_ID or CLOUD_RUN_TASK_INDEX
  -     each line of standard input is a shard; standard error has lines for Hadoop Streaming
For schedulers: exit status 0 is done. 75 means: run it again (another worker has the shard, this one was
stopped, or the store is away). Any other status is a failure that will repeat. On SIGTERM it sends no new
requests, gives requests in flight two seconds, and releases the shard.`;

/** The shard of a run, and the form in which its scheduler reads progress. */
export interface ShardRun {
  readonly shard?: Shard;
  /** Whether progress and counters are written to standard error in the format of Hadoop Streaming. */
  readonly isStreaming?: true;
}

/**
 * Runs a job for each shard that `--shard` names, or once without `--shard`.
 * @throws CrawlError USAGE, and the error of `run`; after an error, the remaining shards are not run
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
    // Hadoop may put the offset of the line in its file before the line.
    const text = line.split('\t').at(-1)!.trim();
    if (text === '') continue;
    isEmpty = false;
    await run({ shard: parseShard(text), isStreaming: true });
    if (cli.io.signal.aborted) return;
  }
  if (isEmpty) throw new CrawlError('USAGE', '--shard -: no lines i/n on standard input');
}

/** Returns counters in the format whose numbers Hadoop Streaming adds up. A name has no commas. */
export function reporterCounters(job: string, counters: Readonly<Record<string, number>>): string {
  return Object.entries(counters)
    .map(([name, n]) => `reporter:counter:webcrawl ${job},${oneWord(name)},${Math.round(n)}\n`)
    .join('');
}

/** Returns a line of progress for a shard. Without such lines, Hadoop would kill the task as hung. */
export function reporterStatus({ shard }: ShardRun, line: string): string {
  return `reporter:status:${shard ? `${shardText(shard)} ` : ''}${safeText(line, 500)}\n`;
}

const oneWord = (name: string): string => safeText(name, 100).replace(/[,\s]+/g, '_');
