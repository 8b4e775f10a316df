import type { Command } from 'commander';
import type { UnmarkedHost } from '../../../packages/webcrawl/internal.js';
import { safeText } from '../../../packages/webcrawl/names.js';
import { runJob, type Cli } from '../../cli.js';
import { number, say } from '../../output/output.js';

const MAX_REPORTED_HOSTS = 20;

export function addDedup(program: Command, cli: Cli): void {
  program
    .command('dedup')
    .summary('mark duplicates and near duplicates')
    .description(
      'Finds duplicates and near duplicates among the fetched pages. It keeps one page of each group, and writes the URL of this page into ' +
        'the rows of the other pages as duplicateOf. It removes no page.',
    )
    .option('--exact', 'mark only pages with the same signature; texts are not read')
    .option('--yes', 'mark near duplicates even if they are more than a fifth of the pages of a host')
    .addHelpText(
      'after',
      `
Duplicates have the same signature (db.signature). Near duplicates have at least dedup.minWords words, and their
simhashes differ in at most dedup.distance of 64 bits: a changed date, or one word in a hundred. Their titles,
top headings and numbers must be the same, so the products of a shop are not near duplicates. Dates do not count
as numbers. Each marked page is a duplicate or near duplicate of the kept page itself.

If more than a fifth of the pages of a host, and at least ten, are near duplicates, they may share one template.
Then none of them is marked, and a line names the host. Look at some of its pages, and use --yes if they are the
same. Pages with the same signature are still marked.

In each group, one page is kept: the page that most of the group name as canonical, else the one with the highest
rank (webcrawl rank), with https, with the shortest URL.

Run it again after a crawl: it removes outdated marks. You may stop or kill it at any moment and run it again. It
reads every text once. The row keys are in the system's folder for temporary files.

Examples:
  webcrawl dedup
  webcrawl dedup --exact
  webcrawl dedup --set dedup.distance=4 --json
  webcrawl readdb --dump --status fetched --fields duplicateOf \\
      | jq -r 'select(.duplicateOf == null).url'`,
    )
    .action(async ({ exact = false, yes = false }: { exact?: boolean; yes?: boolean }) => {
      const unmarked: UnmarkedHost[] = [];
      const { counters, interrupted } = await runJob(cli, 'dedup', (crawl, job, { jobs }) =>
        jobs.dedup(crawl, { exact, yes, onUnmarked: (host) => unmarked.push(host), ...job }),
      );
      if (interrupted || cli.options().quiet) return;
      sayUnmarked(cli, unmarked);
      if (cli.options().json) return;
      if (!counters.pages) say(cli.io, 'No page was fetched yet.');
      else if (!counters.groups) say(cli.io, 'No page is a duplicate.');
    });
}

function sayUnmarked({ io }: Cli, hosts: readonly UnmarkedHost[]): void {
  for (const { host, near, pages } of hosts.slice(0, MAX_REPORTED_HOSTS))
    say(
      io,
      `not marked, ${safeText(host)}: ${number(near)} of its ${number(pages)} pages look like pages of one template`,
    );
  if (hosts.length > MAX_REPORTED_HOSTS) say(io, 'more hosts are only counted');
  if (hosts.length > 0) say(io, 'The same command with --yes marks them.');
}
