import type { Command } from 'commander';
import { runJob, type Cli } from '../../cli.js';
import { say } from '../../output/output.js';

/** `dedup`: marks pages whose content is that of another page, or nearly. */
export function addDedup(program: Command, cli: Cli): void {
  program
    .command('dedup')
    .summary('mark pages that are the same as another page, or nearly')
    .description(
      'Finds fetched pages that are the same, or nearly, keeps one of each group, and writes its URL into the rows of the ' +
        'others as duplicateOf. No page is removed.',
    )
    .option('--exact', 'only pages with the same signature; texts are not read')
    .addHelpText(
      'after',
      `
The same are pages with the same signature (db.signature). Nearly the same are pages of at least
dedup.minWords words whose texts differ little: their simhashes differ in at most dedup.distance of
64 bits. A changed date or a word in a hundred is such a difference; pages of one template with other
content are not found. Each page that is marked has the signature of the page that is kept, or is
near it itself.

Kept is the page that most of its group name as canonical; then the one of the highest rank (webcrawl
rank), with https, of the shortest URL.

Run it again after a crawl: marks that do not hold any more are removed. It can be stopped or killed
at any moment, and the next run ends as if nothing had happened. It reads every text once, and needs
about 300 MB of memory for 1,000,000 fetched pages, and 165 bytes for each further one.

Examples:
  webcrawl dedup
  webcrawl dedup --exact
  webcrawl dedup --set dedup.distance=4 --json
  webcrawl readdb --dump --status fetched --fields duplicateOf | jq -r 'select(.duplicateOf == null).url'`,
    )
    .action(async ({ exact = false }: { exact?: boolean }) => {
      const { counters, interrupted } = await runJob(cli, 'dedup', (crawl, job, { jobs }) =>
        jobs.dedup(crawl, { exact, ...job }),
      );
      if (interrupted || cli.options().quiet || cli.options().json) return;
      if (!counters.pages) say(cli.io, 'No page was fetched yet.');
      else if (!counters.groups) say(cli.io, 'No page is a duplicate.');
    });
}
