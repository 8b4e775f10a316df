import type { Command } from 'commander';
import { batchOf } from '../../options/arguments.js';
import { SHARD_HELP, addShardOption, overShards } from '../../options/shard-option.js';
import { runJob, type Cli } from '../../cli.js';

export function addUpdatedb(program: Command, cli: Cli): void {
  const command = program
    .command('updatedb')
    .summary('write the results of a batch to the table')
    .description(
      'Adds the pages that the batch links to, and updates their inlinks, scores and distances. Then it plans when each page of ' +
        'the batch is due again, and closes the batch.',
    )
    .argument('[batch]', 'batch id that generate printed')
    .option('--all', 'update and close every open batch');
  addShardOption(command)
    .addHelpText(
      'after',
      `
With --shard, repeat the command for all shards until it reports that the batch is closed.
${SHARD_HELP}

Examples:
  webcrawl updatedb 1700000000-2718281828
  webcrawl updatedb --all`,
    )
    .action(async (batchId: string | undefined, { all, shard: named }: { all?: boolean; shard?: string }) => {
      const batch = batchOf(batchId, all);
      await overShards(cli, named, async (part) => {
        await runJob(cli, 'updatedb', (crawl, job, { jobs }) => jobs.updatedb(crawl, { batch, ...job }), part);
      });
    });
}
