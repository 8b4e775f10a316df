import type { Command } from 'commander';
import type { GenerateOptions as Selection } from '../../../packages/webcrawl/internal.js';
import { wholeNumber } from '../../options/arguments.js';
import { SHARD_HELP, addShardOption, shardOf } from '../../options/shard-option.js';
import { EXIT, runJob, type Cli } from '../../cli.js';
import { say } from '../../output/output.js';

interface GenerateOptions extends Pick<Selection, 'topN' | 'addDays' | 'maxCount'> {
  readonly filter: boolean;
  readonly shard?: string;
}

export function addGenerate(program: Command, cli: Cli): void {
  const command = program
    .command('generate')
    .summary('select due pages into a new batch')
    .description('Selects the best due pages into a new batch, and prints the id of the batch.')
    .option('--top-n <n>', 'maximum number of pages in the batch', wholeNumber(1))
    .option('--add-days <n>', 'include pages that become due within n days', wholeNumber(0))
    .option(
      '--max-count <n>',
      'maximum number of pages of one host (or domain or IP: partition.urlMode)',
      wholeNumber(0),
    )
    .option('--no-filter', 'skip the URL filters, for a fast selection');
  addShardOption(command)
    .addHelpText(
      'after',
      `
If no page is due, the exit status is 1. With --shard it is 0, since other shards may have due pages. The stored
depth and patterns of the last crawl apply here too.
${SHARD_HELP}

The batch of a shard has pages of this shard only, and --top-n is divided among the shards.

Examples:
  webcrawl generate --top-n 1000 --max-count 50
  webcrawl generate --add-days 31      # also pages that are due within a month
  batch=$(webcrawl generate) && webcrawl fetch $batch --parse && \\
      webcrawl updatedb $batch
  webcrawl generate --shard 0/6 --table hbase://gateway:9090/crawl`,
    )
    .action(async ({ filter, shard: named, ...options }: GenerateOptions) => {
      const given = { ...options, ...(filter ? {} : { filter }) };
      const shard = shardOf(cli, named);
      const report = await runJob(
        cli,
        'generate',
        (crawl, job, { jobs }) => jobs.generate(crawl, { ...given, ...job }),
        { data: ({ batchId }) => batchId, shard },
      );
      if (report.batchId !== undefined || report.interrupted) return;
      if (!cli.options().quiet) say(cli.io, 'Nothing is due.');
      if (!shard) cli.exitCode = EXIT.nothing;
    });
}
