import { Option, type Command } from 'commander';
import { jobs } from '../../packages/webcrawl/index.js';
import { durationInSeconds, wholeNumber } from '../arguments.js';
import { runJob, type Cli } from '../cli.js';
import { askForContact } from '../contact.js';
import { readSeeds, rejectionTeller } from '../seeds.js';

interface CrawlOptions {
  readonly rounds?: number;
  readonly topN?: number;
  readonly maxPages?: number;
  readonly maxTime?: number;
  readonly depth?: number;
  readonly stay?: 'host' | 'domain' | 'any';
  readonly threads?: number;
}

/** `crawl <seed…>`: all jobs in rounds, until nothing is due or a limit is reached. */
export function addCrawl(program: Command, cli: Cli): void {
  program
    .command('crawl')
    .summary('crawl sites from seeds to their end')
    .description(
      'Injects the seeds, then repeats generate, fetch, parse and updatedb until nothing is due or a limit is reached. ' +
        'Stopped, the same command goes on where it was.',
    )
    .argument('<seed...>', 'URLs, files of seed lines, or - for standard input')
    .option('--rounds <n>', 'rounds at the most', wholeNumber(1))
    .option('--top-n <n>', 'pages of a round at the most', wholeNumber(1))
    .option('--max-pages <n>', 'pages selected in this run at the most; redirects may add some', wholeNumber(1))
    .option('--max-time <duration>', 'time after which nothing more is fetched: 90s, 30m, 2h', durationInSeconds)
    .option('--depth <n>', 'links from a seed at the most', wholeNumber(0))
    .addOption(
      new Option('--stay <where>', "follow links within the seeds' hosts, their domains, or to any place")
        .choices(['host', 'domain', 'any'])
        .default('host'),
    )
    .option('--threads <n>', 'requests in flight at the most', wholeNumber(1))
    .addHelpText(
      'after',
      `
Rounds overlap, and go on without hosts that hold them up, unless --rounds or --depth is given. Pages
that were due before are fetched too.

Examples:
  webcrawl crawl https://example.com/
  webcrawl crawl seeds.txt --stay domain --max-pages 10000 --max-time 2h
  webcrawl crawl https://example.com/ --depth 2 --set fetcher.serverDelay=2`,
    )
    .action(async (args: string[], options: CrawlOptions) => {
      const seeds = readSeeds(args, cli.io.stdin);
      const taken = { seeds: seeds.lines, onRejected: rejectionTeller(cli.io, seeds) };
      const start: Parameters<typeof runJob>[1] = (crawl, job) => {
        askForContact(cli, crawl);
        return jobs.crawl(crawl, { ...taken, ...options, ...job });
      };
      await runJob(cli, start, { create: true });
    });
}
