import type { Command } from 'commander';
import type { Report } from '../../../packages/webcrawl/index.js';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { runJob, type Cli } from '../../cli.js';
import { SHARD_HELP, addShardOption, overShards } from '../../options/shard-option.js';
import { say } from '../../output/output.js';

interface IndexOptions {
  readonly all?: boolean;
  readonly forget?: boolean;
  readonly shard?: string;
}

/** `index [batch|--all]`: brings pages into the search index. */
export function addIndex(program: Command, cli: Cli): void {
  const command = program
    .command('index')
    .summary('bring what was updated into the search index')
    .description(
      'Brings the pages of batches that updatedb has closed since the last run into the search index, and takes out those that are ' +
        'gone, redirect, say noindex, are duplicates, or are refused by an index filter.',
    )
    .argument('[batch]', 'only this batch; default: every one that is not in the index yet')
    .option('--forget', 'keep no batches for the index any more, as when it is not used again; the index itself stays')
    .option('--all', 'compare the whole table with the index, and put right what differs');
  addShardOption(command)
    .addHelpText(
      'after',
      `
The index is a folder of its own (index.path, by default index in the folder of the table), which can be
made anew at any time: remove it, and run this again. The first run reads the whole table, later ones what
was fetched since. So does the first one after its words or its format have changed, as with a new version of
webcrawl, of Node.js or of @node-rs/jieba; meanwhile searches find what is in it already. Each table needs an index
of its own. From the first run on the table keeps what was updated until it is in the index: where that is not
wanted any more, --forget releases it, and a later run compares the whole table again. So does the first run after
index.writer, index.path or index.url were others, back to the former ones too, also where a batch is named. After
rank and dedup, run it with --all: they change pages that no batch names, and so do new links to a page, whose
texts are a part of it, and an index filter that has changed: pages that it refuses now are found until then.

Chinese is split into words by @node-rs/jieba where that is installed (npm install @node-rs/jieba), else, as
Japanese and Thai always are, by Node.js itself. Where Node.js has no SQLite with FTS5, as version 20, the package
libsql is needed: npm install libsql

index.writer opensearch writes to an index of OpenSearch instead (index.url, and npm install
@opensearch-project/opensearch), and jsonl makes files for other programs: see docs/SEARCH.md.

It can be stopped or killed at any moment, and the next run ends as if nothing had happened.

Examples:
  webcrawl index
  webcrawl index --all
  webcrawl index 1700000000-2718281828
  webcrawl index --forget
  webcrawl index --all --json --set index.path=/srv/search
  WEBCRAWL_INDEX_URL=https://me:secret@host:9200/pages webcrawl index --set index.writer=opensearch
${SHARD_HELP}`,
    )
    .action(async (batch: string | undefined, { all = false, forget = false, shard: named }: IndexOptions) => {
      if (forget && (all || batch !== undefined)) throw new CrawlError('USAGE', '--forget goes with nothing else');
      if (forget) return void (await runJob(cli, 'index', (crawl, job, { jobs }) => jobs.forgetIndex(crawl, job)));
      if (all && batch !== undefined) throw new CrawlError('USAGE', 'expected a batch id or --all, found both');
      let report: Report | undefined;
      await overShards(cli, named, async (part) => {
        const start: Parameters<typeof runJob>[2] = (crawl, job, { jobs }) =>
          jobs.index(crawl, { all, ...(batch !== undefined && { batch }), ...job });
        report = await runJob(cli, 'index', start, part);
      });
      const { counters = {}, interrupted = false } = report ?? {};
      if (named !== undefined || interrupted || cli.options().quiet || cli.options().json) return;
      if (counters.batch_unfinished)
        say(cli.io, 'That batch is still open, so it is not in the index: webcrawl updatedb closes it.');
      else if (Object.keys(counters).length === 0)
        say(cli.io, 'The index is as the table: nothing was updated since the last run.');
    });
}
