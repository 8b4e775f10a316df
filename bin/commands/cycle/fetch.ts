import type { Command } from 'commander';
import { batchOf, wholeNumber } from '../../options/arguments.js';
import { runJob, type Cli } from '../../cli.js';
import { addLogOption, openPageLog, type LogTarget } from '../../output/page-log.js';
import { askForContact } from '../../contact.js';
import { addRequestOptions, requestSettings, type RequestOptions } from '../../options/request-options.js';

interface FetchOptions extends RequestOptions {
  readonly all?: boolean;
  readonly parse?: boolean;
  readonly threads?: number;
  readonly log?: LogTarget;
}

export function addFetch(program: Command, cli: Cli): void {
  const command = program
    .command('fetch')
    .summary('fetch the pages of a batch')
    .description(
      'Fetches the pages of a batch. It obeys robots.txt, the delay of each host, and limits of size and time.',
    )
    .argument('[batch]', 'batch id that generate printed')
    .option('--all', 'fetch every open batch')
    .option('--parse', 'parse each page as soon as it is fetched')
    .option('--threads <n>', 'maximum number of requests in flight', wholeNumber(1));
  addLogOption(addRequestOptions(command))
    .addHelpText(
      'after',
      `
The scope of the last crawl applies. If a seed redirects to another host, links may lead there while this command
runs. But only crawl adds that host to the stored scope: a separate parse, or a later fetch, rejects links to it from
other hosts. Use --parse, or run webcrawl crawl with these seeds.

Examples:
  webcrawl fetch 1700000000-2718281828 --parse
  webcrawl fetch --all --threads 100`,
    )
    .action(
      async (batchId: string | undefined, { all, delay, agent, header, log: place, ...options }: FetchOptions) => {
        const batch = batchOf(batchId, all);
        await using log = await openPageLog(cli, place);
        const start: Parameters<typeof runJob>[2] = (crawl, job, { jobs }) => {
          askForContact(cli, crawl);
          return jobs.fetch(crawl, { batch, ...options, ...(log && { onFetched: log.onFetched }), ...job });
        };
        const settings = requestSettings({ delay, agent, header });
        await runJob(cli, 'fetch', start, { settings, isSilent: log?.isOnStderr ?? false });
      },
    );
}
