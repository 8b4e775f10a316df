import type { Command } from 'commander';
import { batchOf } from '../../options/arguments.js';
import { runJob, type Cli } from '../../cli.js';

interface ParseOptions {
  readonly all?: boolean;
  readonly force?: boolean;
}

export function addParse(program: Command, cli: Cli): void {
  program
    .command('parse')
    .summary('parse the fetched pages of a batch')
    .description('Extracts title, text and links from the fetched pages of a batch.')
    .argument('[batch]', 'batch id that generate printed')
    .option('--all', 'parse every open batch')
    .option('--force', 'parse already parsed pages of the batch again')
    .addHelpText(
      'after',
      `
The scope of the last crawl applies. Only crawl adds the hosts of redirect targets of seeds to the stored scope.
After a separate fetch, parse rejects links to such a host from other hosts. Use webcrawl fetch --parse, or run
webcrawl crawl with these seeds.

Examples:
  webcrawl parse 1700000000-2718281828
  webcrawl parse --all --force`,
    )
    .action(async (batchId: string | undefined, { all, ...options }: ParseOptions) => {
      const batch = batchOf(batchId, all);
      await runJob(cli, 'parse', (crawl, job, { jobs }) => jobs.parse(crawl, { batch, ...options, ...job }));
    });
}
