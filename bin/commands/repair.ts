import type { Command } from 'commander';
import { jobs } from '../../packages/webcrawl/index.js';
import { runJob, type Cli } from '../cli.js';

/** `repair`: rebuilds the indexes from the rows. */
export function addRepair(program: Command, cli: Cli): void {
  program
    .command('repair')
    .summary('rebuild the indexes from the rows')
    .description('Reads every row and rebuilds the indexes from them, and counts what was missing or stale.')
    .addHelpText('after', '\nExample:\n  webcrawl repair --table level:./crawl')
    .action(async () => {
      await runJob(cli, 'repair', (crawl, job) => jobs.repair(crawl, job));
    });
}
