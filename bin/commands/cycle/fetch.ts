import type { Command } from 'commander';
import { jobs } from '../../../packages/webcrawl/index.js';
import { batchOf, wholeNumber } from '../../options/arguments.js';
import { runJob, type Cli } from '../../cli.js';
import { askForContact } from '../../contact.js';
import { addRequestOptions, requestSettings, type RequestOptions } from '../../options/request-options.js';

interface FetchOptions extends RequestOptions {
  readonly all?: boolean;
  readonly resume?: boolean;
  readonly parse?: boolean;
  readonly threads?: number;
}

/** `fetch <batch|--all>`: fetches the pages of a batch. */
export function addFetch(program: Command, cli: Cli): void {
  const command = program
    .command('fetch')
    .summary('fetch the pages of a batch')
    .description('Fetches the pages of a batch, politely: robots.txt, a delay for each host, limits of size and time.')
    .argument('[batch]', 'the batch id that generate printed')
    .option('--all', 'every open batch')
    .option(
      '--resume',
      'leave out pages that this batch has fetched already, as it does by itself after it was stopped',
    )
    .option('--parse', 'parse each page as soon as it is fetched')
    .option('--threads <n>', 'requests in flight at the most', wholeNumber(1));
  addRequestOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  webcrawl fetch 1700000000-2718281828 --parse
  webcrawl fetch --all --resume --threads 100`,
    )
    .action(async (batchId: string | undefined, { all, delay, agent, header, ...options }: FetchOptions) => {
      const batch = batchOf(batchId, all);
      const start: Parameters<typeof runJob>[2] = (crawl, job) => {
        askForContact(cli, crawl);
        return jobs.fetch(crawl, { batch, ...options, ...job });
      };
      await runJob(cli, 'fetch', start, { settings: requestSettings({ delay, agent, header }) });
    });
}
