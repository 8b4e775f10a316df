import type { Command } from 'commander';
import { batchOf } from '../../options/arguments.js';
import { SHARD_HELP, addShardOption, overShards } from '../../options/shard-option.js';
import { runJob, type Cli } from '../../cli.js';

/** `updatedb <batch|--all>`: brings what a batch found into the table. */
export function addUpdatedb(program: Command, cli: Cli): void {
  const command = program
    .command('updatedb')
    .summary('bring what a batch found into the table, and close it')
    .description(
      'Adds the pages that a batch found links to, updates their inlinks, scores and distances, plans when each page of ' +
        'the batch is due again, and closes the batch.',
    )
    .argument('[batch]', 'the batch id that generate printed')
    .option('--all', 'every open batch');
  addShardOption(command)
    .addHelpText(
      'after',
      `
Examples:
  webcrawl updatedb 1700000000-2718281828
  webcrawl updatedb --all

In shards it is run for all of them again until it says that the batch is closed.
${SHARD_HELP}`,
    )
    .action(async (batchId: string | undefined, { all, shard: named }: { all?: boolean; shard?: string }) => {
      const batch = batchOf(batchId, all);
      await overShards(cli, named, async (part) => {
        await runJob(cli, 'updatedb', (crawl, job, { jobs }) => jobs.updatedb(crawl, { batch, ...job }), part);
      });
    });
}
