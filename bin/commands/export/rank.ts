import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { runJob, type Cli } from '../../cli.js';
import { addShardOption, overShards } from '../../options/shard-option.js';
import { say } from '../../output/output.js';

interface RankOptions {
  readonly level: 'page' | 'host' | 'both';
  readonly work?: string;
  readonly shard?: string;
}

/** `rank`: computes PageRank and writes it to the rows. */
export function addRank(program: Command, cli: Cli): void {
  const command = program
    .command('rank')
    .summary('compute PageRank of pages and hosts, and write it to the rows')
    .description(
      'Computes PageRank over the links between pages, and over those between hosts, and writes it to the rows as rank and ' +
        'hostRank. All ranks together are 1.',
    )
    .addOption(new Option('--level <level>', 'what to rank').choices(['page', 'host', 'both']).default('both'))
    .option('--work <folder>', 'with --shard: a folder that all shards share, a new one for each run');
  addShardOption(command, 'pages')
    .addHelpText(
      'after',
      `
It begins at the last ranks, so that after some more pages it takes fewer rounds than the first
time (the report counts them) and comes to the same ranks, within rank.tolerance. Where nothing has
changed it changes nothing. The settings rank.* say how; webcrawl config --help shows them.

The graph is made in the folder for temporary files (TMPDIR) and takes some 30 bytes for each link.
It can be stopped or killed at any moment and run again.

With --shard each of n workers reads a part of the rows into the folder --work, which all of them share.
When all have, one computes the ranks, which are those of one process, and then each writes those of
its rows. One that cannot go on waits for 40 seconds, ends with 75, and goes on when it is run again.
auto and - are as of webcrawl fetch --help.

Examples:
  webcrawl rank
  webcrawl rank --shard 2/6 --work /shared/rank-2026-01 --table hbase://gateway/crawl
  webcrawl rank --level host --set rank.damping=0.9
  webcrawl rank --set rank.internalLinkWeight=0.2 --json
  webcrawl export pages -o ranks.csv --fields rank,hostRank`,
    )
    .action(async ({ level, work, shard: named }: RankOptions) => {
      if (named === undefined && work !== undefined) throw new CrawlError('USAGE', '--work goes with --shard');
      await overShards(cli, named, async (part) => {
        const folder = work === undefined ? {} : { folder: resolve(work) };
        const start: Parameters<typeof runJob>[2] = (crawl, job, { jobs }) =>
          jobs.rank(crawl, { level, ...folder, ...job });
        const { counters, interrupted } = await runJob(cli, 'rank', start, part);
        if (cli.options().quiet || interrupted) return;
        if (counters.ranks_written) say(cli.io, 'These ranks are written already. Name a new folder for a new run.');
        else if (!counters.scanned && !part.shard) say(cli.io, 'The table has no pages.');
        if (counters.not_converged) {
          say(cli.io, 'The ranks still change by more than rank.tolerance: raise rank.maxRounds, and run it again.');
        }
      });
    });
}
