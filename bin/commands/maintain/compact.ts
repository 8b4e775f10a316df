import type { Command } from 'commander';
import { runJob, type Cli } from '../../cli.js';

/** `compact`: frees the room of bodies that no row needs any more. */
export function addCompact(program: Command, cli: Cli): void {
  program
    .command('compact')
    .summary('free the room of bodies that nothing needs any more')
    .description(
      'Removes the bodies of pages that were fetched anew or removed: what is still needed is copied out of the files ' +
        'that hold them, compressed, then these files are removed.',
    )
    .addHelpText(
      'after',
      `
The bodies are in the folder content of the table, in WARC files (*.warc.gz) that any archive tool
reads. Earlier bodies of a page stay in them until they are compacted; db.keepVersions says how many
bodies of a page are kept then. crawl and fetch compact by themselves at their end when more than
half of what is stored, and 16 MB at least, is needed by nobody.

It needs the room of what is copied for a while, and the table for itself: beside a crawl it says
TABLE_LOCKED, or waits with --wait. It can be stopped or killed at any moment and run again.

Examples:
  webcrawl compact
  webcrawl compact --table level:./crawl --set db.keepVersions=3 --json`,
    )
    .action(async () => void (await runJob(cli, 'compact', (crawl, job, { jobs }) => jobs.compact(crawl, job))));
}
