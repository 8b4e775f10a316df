import type { Command } from 'commander';
import { batchOf } from '../../options/arguments.js';
import { SHARD_HELP, addShardOption, overShards } from '../../options/shard-option.js';
import { runJob, type Cli } from '../../cli.js';

interface ParseOptions {
  readonly all?: boolean;
  readonly force?: boolean;
  readonly shard?: string;
}

/** `parse <batch|--all>`: takes text and links out of what was fetched. */
export function addParse(program: Command, cli: Cli): void {
  const command = program
    .command('parse')
    .summary('parse the fetched pages of a batch')
    .description('Takes title, text and links out of the fetched pages of a batch.')
    .argument('[batch]', 'the batch id that generate printed')
    .option('--all', 'every open batch')
    .option('--force', 'parse again what this batch has parsed already');
  addShardOption(command)
    .addHelpText(
      'after',
      `
Examples:
  webcrawl parse 1700000000-2718281828
  webcrawl parse --all --force
${SHARD_HELP}`,
    )
    .action(async (batchId: string | undefined, { all, shard: named, ...options }: ParseOptions) => {
      const batch = batchOf(batchId, all);
      await overShards(cli, named, async (part) => {
        await runJob(cli, 'parse', (crawl, job, { jobs }) => jobs.parse(crawl, { batch, ...options, ...job }), part);
      });
    });
}
