import type { Command } from 'commander';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { eachGiven } from '../../options/arguments.js';
import { runJob, type Cli } from '../../cli.js';
import { readSeeds, reportRejections } from '../../input/seeds.js';
import { readSitemaps } from '../../input/sitemap-seeds.js';

export function addInject(program: Command, cli: Cli): void {
  program
    .command('inject')
    .summary('add seeds to the table')
    .description('Adds seeds to the table. A page that is already in the table keeps its row.')
    .argument('[seed...]', 'URLs, sites such as example.com, files of seed lines, or - for standard input')
    .option(
      '--sitemap <url|file>',
      'add the pages of a sitemap, a sitemap index or a feed; may be given many times',
      eachGiven,
    )
    .addHelpText(
      'after',
      `
A seed line is a URL, then key=value pairs separated by tabs. Known keys are score and fetchInterval (seconds).
Pairs with another key are stored as metadata of the page. Empty lines and lines that begin with # are ignored.
Files are UTF-8.

A URL on the command line is due again at once, even if 401, 403 or robots.txt denied it before.

A sitemap URL is fetched by the crawl, once a day. A local file is read now: its pages are added at once, and the
sitemaps that it lists are fetched by the crawl, once a day. Both may be compressed by gzip.

Examples:
  webcrawl inject https://example.com/ https://example.org/
  webcrawl inject seeds.txt
  webcrawl inject --sitemap https://example.com/sitemap.xml.gz
  printf 'https://example.com/\\tscore=5\\tlanguage=en\\n' | webcrawl inject -`,
    )
    .action(async (args: string[], { sitemap: named = [] }: { sitemap?: readonly string[] }) => {
      if (args.length + named.length === 0) throw new CrawlError('USAGE', 'no seeds and no --sitemap');
      const { seeds, sitemaps } = await readSitemaps(cli, named, readSeeds(cli, args));
      const { lines, isArgument } = seeds;
      const taken = {
        seeds: lines,
        retryDenied: isArgument,
        onRejected: reportRejections(cli.io, seeds),
        ...(sitemaps.length > 0 && { sitemaps }),
      };
      const how = { create: true, alone: false };
      await runJob(cli, 'inject', (crawl, job, { jobs }) => jobs.inject(crawl, { ...taken, ...job }), how);
    });
}
