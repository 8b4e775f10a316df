import type { Command } from 'commander';
import { runJob, type Cli } from '../../cli.js';

export function addCompact(program: Command, cli: Cli): void {
  program
    .command('compact')
    .summary('free the disk space of bodies that no page uses')
    .description(
      'Removes bodies that no page uses, because the page was fetched again or removed. It copies the other bodies into ' +
        'new files, compressed, and removes the old files.',
    )
    .addHelpText(
      'after',
      `
The bodies are in the folder content of the table, in WARC files (*.warc.gz) that any archive tool reads. Earlier
bodies of a page stay there until the files are compacted. db.keepVersions is the number of bodies that are
kept for each page. crawl and fetch compact at their end if more than half of the stored bytes, and at least
16 MB, are unreferenced.

It needs disk space for the copies until it ends. It also needs exclusive access to the table: during a crawl it
fails with TABLE_LOCKED, or waits with --wait. You may stop or kill it at any moment and run it again.

Examples:
  webcrawl compact
  webcrawl compact --table level:./crawl --set db.keepVersions=3 --json`,
    )
    .action(async () => void (await runJob(cli, 'compact', (crawl, job, { jobs }) => jobs.compact(crawl, job))));
}
