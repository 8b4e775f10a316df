import { InvalidArgumentError, type Command } from 'commander';
import type { JobFailure } from '../../../packages/webcrawl/index.js';
import { durationInSeconds, wholeNumber } from '../../options/arguments.js';
import { runJob, type Cli } from '../../cli.js';
import { askForContact } from '../../contact.js';
import { addRequestOptions, requestSettings, type RequestOptions } from '../../options/request-options.js';
import { addScopeOptions, type ScopeOptions } from '../../options/scope-options.js';
import { addServeOptions, sayError, sayWhere, serveAddress, type ServeOptions } from '../../options/serve-options.js';
import { readSeeds, reportRejections } from '../../input/seeds.js';
import { safeLines, say } from '../../output/output.js';

interface CrawlOptions extends RequestOptions, ServeOptions, ScopeOptions {
  readonly serve?: boolean;
  readonly rounds?: number;
  readonly topN?: number;
  readonly maxPages?: number;
  readonly maxTime?: number;
  readonly threads?: number;
  readonly refetch?: boolean;
  readonly propose?: number;
}

/** `crawl <seed…>`: all jobs in rounds, until nothing is due or a limit is reached. */
export function addCrawl(program: Command, cli: Cli): void {
  const command = program
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
    .option('--max-time <duration>', 'time after which nothing more is fetched: 90s, 30m, 2h', durationInSeconds);
  addScopeOptions(command)
    .option('--refetch', "fetch the known pages of the seeds' sites again now, each once")
    .option('--propose <n>', 'propose rules after every so many rounds, and add them', wholeNumber(1))
    .option('--threads <n>', 'requests in flight at the most', wholeNumber(1));
  command.option(
    '--serve',
    'rank, index and serve a search page and a dashboard, and crawl again what becomes due, until stopped',
  );
  addRequestOptions(addServeOptions(command))
    .addHelpText(
      'after',
      `
Rounds overlap, and go on without hosts that hold them up, unless --rounds or --depth is given. Pages
that were due before are fetched too. A seed on the command line that was denied before, by 401, 403
or robots.txt, is tried again at once.

A pattern is a regular expression that is looked for anywhere in the URL. Seeds, and where they redirect
to, are taken whatever the patterns say. With --stay path, the folder of a seed is its path up to the
last /. Sitemaps that a robots.txt or an index names are read wherever they are on the site, unless
--exclude names them; --include and --stay path hold for the pages that they list. The table keeps --stay, --depth, --include and --exclude: generate, fetch and parse go by them
until the next crawl, which states its own.

With --propose rules are made while the crawl runs that cut what holds nothing useful: rules of kind
useful say what is. webcrawl rules propose --help says what is checked, and webcrawl rules list shows them.

With --serve it goes on until it is stopped: pages come into the search index as they are crawled, and
are crawled again when they are due; the limits --rounds, --max-pages and --max-time end the crawling,
not the serving. webcrawl serve --help says what is served, and where.

Examples:
  webcrawl crawl https://example.com/
  webcrawl crawl seeds.txt --stay domain --max-pages 10000 --max-time 2h
  webcrawl crawl https://example.com/ --refetch
  webcrawl crawl seeds.txt --serve --port 8000
  webcrawl crawl seeds.txt --propose 5
  webcrawl crawl https://example.com/docs/ --stay path --exclude '/print/' --exclude '\\.pdf$'
  webcrawl crawl https://example.com/ --depth 2 --delay 2 --agent examplebot -H 'From: me@example.com'`,
    )
    .action(
      async (
        args: string[],
        { delay, agent, header, serve: isServed, port, host, changes, ...options }: CrawlOptions,
      ) => {
        if (!isServed && (port !== undefined || host !== undefined || changes !== undefined)) {
          throw new InvalidArgumentError('Expected --serve with --port, --host and --changes.');
        }
        const where = serveAddress({
          ...(port !== undefined && { port }),
          ...(host && { host }),
          ...(changes !== undefined && { changes }),
        });
        const seeds = readSeeds(args, cli.io.stdin);
        const { lines, isArgument } = seeds;
        const taken = { seeds: lines, retryDenied: isArgument, onRejected: reportRejections(cli.io, seeds) };
        const start: Parameters<typeof runJob>[2] = async (crawl, job, library) => {
          askForContact(cli, crawl);
          if (!isServed) return library.jobs.crawl(crawl, { ...taken, ...options, ...job });
          await using served = await library.serve(crawl, { ...where, onError: sayError(cli) });
          sayWhere(cli, served);
          // Awaited here, as what serves is closed when this returns.
          return await library.keepCrawled(crawl, { ...taken, ...options, ...job, onFailing: reportFailing(cli) });
        };
        await runJob(cli, 'crawl', start, { create: true, settings: requestSettings({ delay, agent, header }) });
      },
    );
}

/** Says once of each job that it fails; `status` and the dashboard show it as long as it does. */
function reportFailing({ io, options }: Cli): (failure: JobFailure) => void {
  return ({ job, message, hint, times }) => {
    if (times > 1 || options().quiet) return;
    const how = hint === undefined ? '' : `\n${hint}`;
    say(io, safeLines(`${job} failed; the crawl goes on, and it is tried again. ${message}${how}`));
  };
}
