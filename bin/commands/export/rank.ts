import { Option, type Command } from 'commander';
import { jobs } from '../../../packages/webcrawl/index.js';
import { runJob, type Cli } from '../../cli.js';
import { say } from '../../output/output.js';

/** `rank`: computes PageRank and writes it to the rows. */
export function addRank(program: Command, cli: Cli): void {
  program
    .command('rank')
    .summary('compute PageRank of pages and hosts, and write it to the rows')
    .description(
      'Computes PageRank over the links between pages, and over those between hosts, and writes it to the rows as rank and ' +
        'hostRank. All ranks together are 1.',
    )
    .addOption(new Option('--level <level>', 'what to rank').choices(['page', 'host', 'both']).default('both'))
    .addHelpText(
      'after',
      `
It begins at the last ranks, so that after some more pages it takes fewer rounds than the first
time (the report counts them) and comes to the same ranks, within rank.tolerance. Where nothing has
changed it changes nothing. The settings rank.* say how; webcrawl config --help shows them.

The graph is made in the folder for temporary files (TMPDIR) and takes some 30 bytes for each link.
It can be stopped or killed at any moment and run again.

Examples:
  webcrawl rank
  webcrawl rank --level host --set rank.damping=0.9
  webcrawl rank --set rank.internalLinkWeight=0.2 --json
  webcrawl export pages -o ranks.csv --fields rank,hostRank`,
    )
    .action(async ({ level }: { readonly level: 'page' | 'host' | 'both' }) => {
      const { counters, interrupted } = await runJob(cli, 'rank', (crawl, job) => jobs.rank(crawl, { level, ...job }));
      if (cli.options().quiet || interrupted) return;
      if (!counters.scanned) say(cli.io, 'The table has no pages.');
      if (counters.not_converged) {
        say(cli.io, 'The ranks still change by more than rank.tolerance: raise rank.maxRounds, and run it again.');
      }
    });
}
