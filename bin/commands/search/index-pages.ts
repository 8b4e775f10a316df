import type { Command } from 'commander';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { runJob, type Cli } from '../../cli.js';
import { say } from '../../output/output.js';

interface IndexOptions {
  readonly all?: boolean;
  readonly forget?: boolean;
}

export function addIndex(program: Command, cli: Cli): void {
  program
    .command('index')
    .summary('add updated pages to the search index')
    .description(
      'Adds the pages of the batches since the last run to the search index. It removes pages that are gone, redirect, have noindex, ' +
        'are duplicates, or are rejected by an index filter.',
    )
    .argument('[batch]', 'only this batch (default: every batch that is not in the index yet)')
    .option('--forget', 'stop storing batches for an index that you no longer use; the index itself stays')
    .option('--all', 'compare the whole table with the index, and correct the differences')
    .addHelpText(
      'after',
      `
The index is a folder (index.path, by default index in the folder of the table). To rebuild it, remove it and run
this again. Each table needs its own index.

A run reads the pages that were fetched since the last run. It reads the whole table in these cases:
  - the first run, and the first run after --forget
  - a change of index.writer, index.path or index.url, even back to an earlier value
  - a change of the words or the format of the index, such as with a new version of webcrawl, Node.js or
    @node-rs/jieba; meanwhile searches use the old index
  - with --all

Use --all after rank and dedup, after a change of an index filter, and from time to time for the texts of new
links. Until then, pages are found in their earlier state.

After the first run, the table keeps updated batches until they are indexed. If you no longer use the index, run
--forget to release them.

The package @node-rs/jieba splits Chinese into words, if it is installed. If not, Node.js does. Node.js always
splits Japanese and Thai. If Node.js has no SQLite with FTS5, such as version 20, install the package libsql.

index.writer opensearch writes to an index of OpenSearch instead (index.url, and npm install
@opensearch-project/opensearch). For other search engines there is webcrawl export pages: see docs/SEARCH.md.

You may stop or kill it at any moment, and run it again. On a table that processes share, it runs beside workers;
only one process at a time writes to the index.

Examples:
  webcrawl index
  webcrawl index --all
  webcrawl index 1700000000-2718281828
  webcrawl index --forget
  webcrawl index --all --json --set index.path=/srv/search
  WEBCRAWL_INDEX_URL=https://me:secret@host:9200/pages webcrawl index \\
      --set index.writer=opensearch`,
    )
    .action(async (batch: string | undefined, { all = false, forget = false }: IndexOptions) => {
      if (forget && (all || batch !== undefined))
        throw new CrawlError('USAGE', '--forget cannot be combined with a batch id or --all');
      if (forget) return void (await runJob(cli, 'index', (crawl, job, { jobs }) => jobs.forgetIndex(crawl, job)));
      if (all && batch !== undefined) throw new CrawlError('USAGE', 'a batch id and --all cannot be combined');
      const { counters, interrupted } = await runJob(cli, 'index', (crawl, job, { jobs }) =>
        jobs.index(crawl, { all, ...(batch !== undefined && { batch }), ...job }),
      );
      if (interrupted || cli.options().quiet || cli.options().json) return;
      if (counters.batch_unfinished)
        say(cli.io, 'That batch is still open, so it is not in the index: webcrawl updatedb closes it.');
      else if (Object.keys(counters).length === 0)
        say(cli.io, 'The index is up to date: no batch was updated since the last run.');
    });
}
