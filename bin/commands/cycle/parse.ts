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
The scope of the last crawl applies. A host that a seed redirected to during a fetch of its own is not in it: links
of other hosts may not lead there. webcrawl fetch --parse accepts them, and so does every job after the next crawl with
these seeds.

Examples:
  webcrawl parse 1700000000-2718281828
  webcrawl parse --all --force`,
    )
    .action(async (batchId: string | undefined, { all, ...options }: ParseOptions) => {
      const batch = batchOf(batchId, all);
      await runJob(cli, 'parse', (crawl, job, { jobs }) => jobs.parse(crawl, { batch, ...options, ...job }));
    });
}
