import type { Command } from 'commander';
import type { Shard } from '../../packages/webcrawl/internal.js';
import { CrawlError, parseShard, safeText } from '../../packages/webcrawl/names.js';
import type { Cli } from '../cli.js';
import type { Io } from '../io.js';

type Environment = Io['env'];

const SCHEDULERS: readonly (readonly [
  variable: string,
  read: (env: Environment) => readonly (string | number | undefined)[],
])[] = [
  ['WEBCRAWL_SHARD', ({ WEBCRAWL_SHARD = '' }) => WEBCRAWL_SHARD.split('/')],
  ['JOB_COMPLETION_INDEX', (env) => [env.JOB_COMPLETION_INDEX, env.WEBCRAWL_SHARDS]],
  ['SLURM_ARRAY_TASK_ID', slurmTask],
  ['CLOUD_RUN_TASK_INDEX', (env) => [env.CLOUD_RUN_TASK_INDEX, env.CLOUD_RUN_TASK_COUNT]],
  ['AWS_BATCH_JOB_ARRAY_INDEX', (env) => [env.AWS_BATCH_JOB_ARRAY_INDEX, env.WEBCRAWL_SHARDS]],
  // Hadoop Streaming sets these for each map task.
  ['mapreduce_task_partition', (env) => [env.mapreduce_task_partition, env.mapreduce_job_maps]],
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

export function addShardOption(command: Command): Command {
  return command.option(
    '--shard <i/n|auto>',
    'part i of n of the hosts, counted from 0; auto: from the environment of a scheduler',
  );
}

export const SHARD_HELP = `
With --shard, n workers work on one table (hbase://…), each on a part of its hosts. A table on HBase has a fixed
number of slots; each host is in one. A shard is a part of the slots. n may differ from run to run. Its maximum is
the number of slots.
  i/n   this shard
  auto  the shard of WEBCRAWL_SHARD (i/n); or of JOB_COMPLETION_INDEX or AWS_BATCH_JOB_ARRAY_INDEX with
        WEBCRAWL_SHARDS; or of SLURM_ARRAY_TASK_ID, CLOUD_RUN_TASK_INDEX or a map task of Hadoop
For schedulers: exit status 0 is done. 75 means: run it again (another worker has the shard, this one was
stopped, or the store is unavailable). Any other status is a failure that will repeat. On SIGTERM it sends no new
requests, gives requests in flight two seconds, and releases the shard.`;

export function shardOf(cli: Cli, named: string | undefined): Shard | undefined {
  if (named === undefined) return undefined;
  return named === 'auto' ? shardOfEnvironment(cli.io.env) : parseShard(named);
}
