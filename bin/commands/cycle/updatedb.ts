import type { Command } from 'commander';
import { batchOf } from '../../options/arguments.js';
import { runJob, type Cli } from '../../cli.js';

export function addUpdatedb(program: Command, cli: Cli): void {
  program
    .command('updatedb')
    .summary('write the results of a batch to the table')
    .description(
      'Adds the pages that the batch links to, and updates their inlinks, scores and distances. Then it plans when each page of ' +
        'the batch is due again, and closes the batch.',
    )
    .argument('[batch]', 'batch id that generate printed')
    .option('--all', 'update and close every open batch')
    .addHelpText(
      'after',
      `
Examples:
  webcrawl updatedb 1700000000-2718281828
  webcrawl updatedb --all`,
    )
    .action(async (batchId: string | undefined, { all }: { all?: boolean }) => {
      const batch = batchOf(batchId, all);
      await runJob(cli, 'updatedb', (crawl, job, { jobs }) => jobs.updatedb(crawl, { batch, ...job }));
    });
}
