import type { Command } from 'commander';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { eachGiven } from '../../options/arguments.js';
import { SHARD_HELP, addShardOption, overShards } from '../../options/shard-option.js';
import { runJob, type Cli } from '../../cli.js';
import { readSeeds, reportRejections } from '../../input/seeds.js';
import { readSitemaps } from '../../input/sitemap-seeds.js';

/** `inject <file|url|->…`: adds seeds to the table. */
export function addInject(program: Command, cli: Cli): void {
  const command = program
    .command('inject')
    .summary('add seeds to the table')
    .description('Adds seeds to the table. A page that is known already keeps its row.')
    .argument('[seed...]', 'URLs, files of seed lines, or - for standard input')
    .option('--sitemap <url|file>', 'a sitemap, an index of sitemaps or a feed; may be given many times', eachGiven);
  addShardOption(command)
    .addHelpText(
      'after',
      `
A seed line is a URL, then key=value pairs set off by tabs. Known keys are score and fetchInterval
(seconds); others are kept as metadata of the page. Empty lines and lines that begin with # are
passed over. Files are UTF-8.

A URL that is an argument, and was denied before by 401, 403 or robots.txt, is due again at once.

The pages that a sitemap names are added when the crawl fetches it, which it does once a day. Of a
file the pages are added now, and the sitemaps of an index are fetched. Both may be packed by gzip.

Examples:
  webcrawl inject https://example.com/ https://example.org/
  webcrawl inject seeds.txt
  webcrawl inject --sitemap https://example.com/sitemap.xml.gz
  printf 'https://example.com/\\tscore=5\\tlanguage=en\\n' | webcrawl inject -

In shards each is given the same seeds, and takes those of its hosts; --shard - cannot be used, as seeds may come from there.
${SHARD_HELP}`,
    )
    .action(async (args: string[], { sitemap: named = [], shard }: { sitemap?: readonly string[]; shard?: string }) => {
      if (args.length + named.length === 0) throw new CrawlError('USAGE', 'expected seeds or --sitemap, found neither');
      if (shard === '-')
        throw new CrawlError('USAGE', 'expected --shard i/n or auto, found -: seeds may come from there');
      const { seeds, sitemaps } = await readSitemaps(cli, named, readSeeds(args, cli.io.stdin));
      const { lines, isArgument } = seeds;
      const taken = {
        seeds: lines,
        retryDenied: isArgument,
        onRejected: reportRejections(cli.io, seeds),
        ...(sitemaps.length > 0 && { sitemaps }),
      };
      await overShards(cli, shard, async (part) => {
        const how = { create: true, alone: false, ...part };
        await runJob(cli, 'inject', (crawl, job, { jobs }) => jobs.inject(crawl, { ...taken, ...job }), how);
      });
    });
}
