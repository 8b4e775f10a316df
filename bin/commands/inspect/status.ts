import type { Command } from 'commander';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { jsonLine, write } from '../../output/output.js';
import { statusText } from '../../output/status-text.js';

export function addStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .summary('show the progress of a crawl, or what is left')
    .description(
      'Shows the job that another process runs on the table: time, pages, speed, errors, requests in flight, and hosts that wait or ' +
        'are set aside. If no job runs, it shows the due pages and the time of the last fetch. It also shows the number of pages in the ' +
        'search index, and of batches that wait for webcrawl index. It costs a running crawl almost nothing.',
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
