import type { Command } from 'commander';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { jsonLine, write } from '../../output/output.js';
import { statusText } from '../../output/status-text.js';

/** `status`: what goes on at the table, in this moment. */
export function addStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .summary('show what a running crawl is at, or what is left to do')
    .description(
      'Shows the job that another process runs on the table: how long, how many pages and how fast, what failed and why, ' +
        'which hosts wait or are set aside, what is in flight. Where none runs, it shows what is due, and when the last ' +
        'fetch was. It says how many pages the search index has, and how many batches wait for webcrawl index. It costs a running crawl next to nothing.',
    )
    .addHelpText(
      'after',
      `
Examples:
  webcrawl status
  webcrawl status --json | jq '.jobs[0].rate'
  watch -n 5 webcrawl status`,
    )
    .action(async () => {
      await using crawl = await open(cli, { name: 'status' });
      const { status } = await library();
      const found = await status(crawl);
      await write(cli.io.stdout, cli.options().json ? jsonLine(found) : statusText(found));
    });
}
