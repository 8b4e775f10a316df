import type { Command } from 'commander';
import type {
  AwaitedHolder,
  CrawlOptions as JobCrawlOptions,
  IdleCrawl,
  JobFailure,
} from '../../../packages/webcrawl/internal.js';
import { CrawlError, defined, safeText } from '../../../packages/webcrawl/names.js';
import { durationInSeconds, wholeNumber } from '../../options/arguments.js';
import { runJob, type Cli } from '../../cli.js';
import { addLogOption, openPageLog, type LogTarget } from '../../output/page-log.js';
import { askForContact } from '../../contact.js';
import { addRequestOptions, requestSettings, type RequestOptions } from '../../options/request-options.js';
import { addScopeOptions, type ScopeOptions } from '../../options/scope-options.js';
import { SHARD_HELP, addShardOption, shardOf } from '../../options/shard-option.js';
import { addServeOptions, sayError, sayWhere, serveAddress, type ServeOptions } from '../../options/serve-options.js';
import { readSeeds, reportRejections } from '../../input/seeds.js';
import { quantity, safeLines, say } from '../../output/output.js';

type Limits = Pick<JobCrawlOptions, 'rounds' | 'topN' | 'maxPages' | 'threads' | 'refetch' | 'propose'>;
interface CrawlOptions extends Limits, RequestOptions, ServeOptions, ScopeOptions {
  readonly maxTime?: number;
  readonly serve?: boolean;
  readonly continuous?: boolean;
  readonly shard?: string;
  readonly log?: LogTarget;
}

export function addCrawl(program: Command, cli: Cli): void {
  const command = program
    .command('crawl')
    .summary('crawl whole sites, beginning with seeds')
    .description(
      'Injects the seeds, then repeats generate, fetch, parse and updatedb until nothing is due or a limit is reached. ' +
        'After a stop or a kill, the same command continues.',
    )
    .argument(
      '[seed...]',
      'URLs, sites such as example.com, files of seed lines, or - for standard input; with --shard they may be left out',
    )
    .option('--rounds <n>', 'maximum number of rounds', wholeNumber(1))
    .option('--top-n <n>', 'maximum number of pages in a round', wholeNumber(1))
    .option(
      '--max-pages <n>',
      'maximum number of pages selected in this run; redirects, and pages that a stopped crawl has selected, may add some',
      wholeNumber(1),
    )
    .option('--max-time <duration>', 'maximum time for fetching pages, such as 90s, 30m or 2h', durationInSeconds);
  addScopeOptions(command)
    .option('--refetch', "fetch all known pages of the seeds' sites again, once each")
    .option('--propose <n>', 'propose rules after every n rounds, and add them', wholeNumber(1))
    .option('--threads <n>', 'maximum number of requests in flight', wholeNumber(1));
  command.option('--continuous', 'crawl pages again when they are due, until stopped');
  command.option(
    '--serve',
    'rank and index pages, serve a search page and a dashboard, and crawl pages again when due, until stopped',
  );
  addShardOption(addLogOption(addRequestOptions(addServeOptions(command))))
    .addHelpText(
      'after',
      `
Rounds overlap, so that a slow host delays no other host. With --rounds or --depth they do not overlap. Due pages
from earlier crawls of the table are fetched too. A seed on the command line is retried at once, even if 401, 403
or robots.txt denied it before. If all seeds are rejected, nothing is crawled, and the exit status is 1.

A pattern is a regular expression that may match anywhere in the URL. Seeds and their redirect targets are exempt
from patterns. The scope is the sites of all seeds and of their redirect targets. Domains are defined by the public
suffix list: with --stay domain, alice.github.io is its own domain. With --stay path, the folder of a seed is its
path up to the last /. If a seed redirects to a page in another folder, that folder is added, unless it
contains the folder of the seed. A sitemap that is named in a robots.txt or in a sitemap index is read from any path
of the site, unless --exclude matches it. --include and --stay path apply to the pages that it lists. The table
stores --stay, --depth, --include and --exclude: generate, fetch and parse use them until the next crawl replaces
them.

With --propose the crawl adds rules that reject sections without relevant pages. Rules of kind relevant decide
which pages are relevant. webcrawl rules propose --help explains the checks, and webcrawl rules list shows all
rules.

With --continuous it runs until it is stopped, and crawls pages again when they are due. webcrawl changes shows the
changes, and webcrawl watch sends them. With a limit, such as --max-pages, it crawls once up to the limit; then it
fetches nothing more, but runs until stopped. With --shard, the limit ends it.

With --serve it runs until it is stopped: pages are indexed as they are crawled, and are crawled again when they
are due. The limits --rounds, --max-pages and --max-time end the crawl, not the server. webcrawl serve --help
shows the pages and the address.
${SHARD_HELP}

Give all workers the same seeds and options. A worker waits for slots that another worker holds, continues open
batches, and takes over the slots of workers that have died. It ends when nothing is due in the whole table, or with
--continuous when it is stopped. To use another number of workers, start them with another n. --max-pages and --top-n
are divided among the workers. --depth is exact only with one worker. --rounds and --serve cannot be used.

With --log each page is a line of JSON: time, url, status, code, http, ms, bytes, from (seed, link or
redirect) and batchId. With -q only these lines and errors are written to standard error.

Examples:
  webcrawl crawl https://example.com/
  webcrawl crawl seeds.txt -q --log jsonl:/var/log/webcrawl.jsonl
  webcrawl crawl seeds.txt --stay domain --max-pages 10000 --max-time 2h
  webcrawl crawl https://example.com/ --refetch
  webcrawl crawl seeds.txt --serve --port 8000
  webcrawl crawl seeds.txt --continuous
  webcrawl crawl seeds.txt --shard 0/6 --table hbase://gateway:9090/crawl
  webcrawl crawl seeds.txt --propose 5
  webcrawl crawl https://example.com/docs/ --stay path --exclude '/print/' \\
      --exclude '\\.pdf$'
  webcrawl crawl https://example.com/ --depth 2 --delay 2 --agent examplebot \\
      -H 'From: me@example.com'`,
    )
    .action(
      async (
        args: string[],
        {
          delay,
          agent,
          header,
          serve: isServed,
          continuous: isContinuous,
          port,
          listen,
          allowedHost,
          changes,
          log: place,
          shard: named,
          maxTime,
          ...options
        }: CrawlOptions,
      ) => {
        const serving = defined({ port, listen, allowedHost, changes });
        if (!isServed && Object.keys(serving).length > 0) {
          throw new CrawlError('USAGE', '--port, --listen, --allowed-host and --changes need --serve');
        }
        const shard = shardOf(cli, named);
        if (!shard && args.length === 0) {
          throw new CrawlError('USAGE', 'no seeds', {
            hint: 'give URLs or a file of seed lines; only a worker (--shard) needs none',
          });
        }
        if (shard && isServed) {
          throw new CrawlError('USAGE', '--shard and --serve cannot be combined', {
            hint: 'run `webcrawl index` and `webcrawl serve` beside the workers',
          });
        }
        const where = serveAddress(serving);
        const settings = requestSettings({ delay, agent, header });
        const seeds = readSeeds(cli, args, settings);
        const { lines, isArgument } = seeds;
        await using log = await openPageLog(cli, place);
        const taken = {
          seeds: lines,
          retryDenied: isArgument,
          onRejected: reportRejections(cli.io, seeds),
          ...defined({ maxSeconds: maxTime }),
          ...(log && { onFetched: log.onFetched }),
          ...(shard && { onWait: sayHolder(cli) }),
        };
        const start: Parameters<typeof runJob>[2] = async (crawl, job, library) => {
          askForContact(cli, crawl);
          if (!isServed && !isContinuous) return library.jobs.crawl(crawl, { ...taken, ...options, ...job });
          await using served = isServed ? await library.serve(crawl, { ...where, onError: sayError(cli) }) : undefined;
          if (served) sayWhere(cli, served);
          // `await` is needed here, because the server is closed when this function returns.
          return await library.crawlContinuously(crawl, {
            ...taken,
            ...options,
            ...job,
            onFailing: reportFailing(cli),
            onIdle: sayIdle(cli, isServed ? 'Serving' : 'Waiting'),
            search: isServed === true,
          });
        };
        const saysNext = !isServed && !isContinuous && !shard;
        const how = { settings, indexes: isServed, isSilent: log?.isOnStderr ?? false, saysNext, shard };
        await runJob(cli, 'crawl', start, { create: true, ...how });
      },
    );
}

function sayHolder({ io, options }: Cli): (holder: AwaitedHolder) => void {
  return ({ slot, name }) => {
    if (!options().quiet) say(io, `Waiting for slot ${slot}, which ${safeText(name, 100)} holds.`);
  };
}

function sayIdle({ io, options }: Cli, doing: string): (idle: IdleCrawl) => void {
  return ({ fetchedInAll, due, nextDueAt }) => {
    if (options().quiet) return;
    const pages = quantity(fetchedInAll, 'page');
    const left = due > 0 ? `Done for now: ${pages}; ${quantity(due, 'page')} still due.` : `All done: ${pages}.`;
    const next = due > 0 || nextDueAt === undefined ? '' : ` The next is due at ${new Date(nextDueAt).toISOString()}.`;
    say(io, `${left}${next} ${doing} until Ctrl-C.`);
  };
}

/** Returns a function that prints the first failure of each job. `status` and the dashboard show the failure until the job succeeds. */
function reportFailing({ io, options }: Cli): (failure: JobFailure) => void {
  return ({ job, message, hint, times }) => {
    if (times > 1 || options().quiet) return;
    const how = hint === undefined ? '' : `\n${hint}`;
    say(io, safeLines(`${job} failed; the crawl continues, and ${job} is retried. ${message}${how}`));
  };
}
