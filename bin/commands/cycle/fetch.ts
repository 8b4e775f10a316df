import type { Command } from 'commander';
import { batchOf, wholeNumber } from '../../options/arguments.js';
import { runJob, type Cli } from '../../cli.js';
import { askForContact } from '../../contact.js';
import { SHARD_HELP, addShardOption, overShards } from '../../options/shard-option.js';
import { addRequestOptions, requestSettings, type RequestOptions } from '../../options/request-options.js';

interface FetchOptions extends RequestOptions {
  readonly all?: boolean;
  readonly resume?: boolean;
  readonly parse?: boolean;
  readonly threads?: number;
  readonly shard?: string;
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
  addShardOption(addRequestOptions(command))
    .addHelpText(
      'after',
      `
Examples:
  webcrawl fetch 1700000000-2718281828 --parse
  webcrawl fetch --all --resume --threads 100
  webcrawl fetch 1700000000-2718281828 --parse --shard 0/6 --table hbase://gateway:9090/crawl
${SHARD_HELP}`,
    )
    .action(
      async (batchId: string | undefined, { all, delay, agent, header, shard: named, ...options }: FetchOptions) => {
        const batch = batchOf(batchId, all);
        const start: Parameters<typeof runJob>[2] = (crawl, job, { jobs }) => {
          askForContact(cli, crawl);
          return jobs.fetch(crawl, { batch, ...options, ...job });
        };
        const settings = requestSettings({ delay, agent, header });
        await overShards(cli, named, async (part) => void (await runJob(cli, 'fetch', start, { settings, ...part })));
      },
    );
}
