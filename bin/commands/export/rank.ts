import { Option, type Command } from 'commander';
import { runJob, type Cli } from '../../cli.js';
import { say } from '../../output/output.js';

interface RankOptions {
  readonly level: 'page' | 'host' | 'both';
}

export function addRank(program: Command, cli: Cli): void {
  program
    .command('rank')
    .summary('compute PageRank of pages and hosts')
    .description(
      'Computes PageRank of pages over the links between pages, and of hosts over the links between hosts. It writes both to the rows, as ' +
        'rank and hostRank. The sum of all ranks is 1.',
    )
    .addOption(new Option('--level <level>', 'what to rank').choices(['page', 'host', 'both']).default('both'))
    .addHelpText(
      'after',
      `
It begins with the last ranks. So after small changes it takes fewer iterations than the first time. The result is the
same within rank.tolerance. If nothing has changed, it writes nothing. webcrawl config --describe shows the
settings (rank.*).

The graph is made in the folder for temporary files (TMPDIR), and takes about 30 bytes for each link. You may stop
or kill it at any moment and run it again.

Examples:
  webcrawl rank
  webcrawl rank --level host --set rank.damping=0.9
  webcrawl rank --set rank.internalLinkWeight=0.2 --json
  webcrawl export pages -o ranks.csv --fields rank,hostRank`,
    )
    .action(async ({ level }: RankOptions) => {
      const { counters, interrupted } = await runJob(cli, 'rank', (crawl, job, { jobs }) =>
        jobs.rank(crawl, { level, ...job }),
      );
      if (cli.options().quiet || interrupted) return;
      if (!counters.scanned) say(cli.io, 'The table has no pages.');
      if (counters.not_converged) {
        say(cli.io, 'The ranks still change by more than rank.tolerance: raise rank.maxIterations, and run it again.');
      }
    });
}
