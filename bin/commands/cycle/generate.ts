import type { Command } from 'commander';
import { wholeNumber } from '../../options/arguments.js';
import { SHARD_HELP, addShardOption, overShards } from '../../options/shard-option.js';
import { EXIT, runJob, type Cli } from '../../cli.js';
import { say } from '../../output/output.js';

interface GenerateOptions {
  readonly topN?: number;
  readonly addDays?: number;
  readonly maxCount?: number;
  readonly filter: boolean;
  readonly norm: boolean;
  readonly batch?: string;
  readonly shard?: string;
}

/** `generate`: selects the pages that are due into a batch, and prints its id. */
export function addGenerate(program: Command, cli: Cli): void {
  const command = program
    .command('generate')
    .summary('select pages that are due into a new batch')
    .description('Selects the best of the pages that are due into a new batch, and prints the batch id alone.')
    .option('--top-n <n>', 'pages in the batch at the most', wholeNumber(1))
    .option('--add-days <n>', 'select also what becomes due within so many days', wholeNumber(0))
    .option('--max-count <n>', 'pages of one host (or as partition.urlMode says) at the most', wholeNumber(0))
    .option('--no-filter', 'do not ask the URL filters again, for a fast selection')
    .option('--no-norm', 'taken as Nutch has it: rows are normalised when they are made, and never here')
    .option('--batch <id>', 'the id of the batch, which all shards of a round share; webcrawl batch-id makes one');
  addShardOption(command)
    .addHelpText(
      'after',
      `
With nothing due it says so and exits with 1 (with --shard, 0: other shards may have something). The depth and the patterns of the last crawl hold here too.

Examples:
  webcrawl generate --top-n 1000 --max-count 50
  webcrawl generate --add-days 31             # all that is known, as if a month had passed
  batch=$(webcrawl generate) && webcrawl fetch $batch --parse && webcrawl updatedb $batch
  webcrawl generate --batch $(webcrawl batch-id) --shard 0/1 --table hbase://gateway:9090/crawl

In shards --top-n is dealt out over them.
${SHARD_HELP}`,
    )
    .action(async ({ filter, norm: _, shard: named, ...options }: GenerateOptions) => {
      const given = { ...options, ...(filter ? {} : { filter }) };
      await overShards(cli, named, async (part) => {
        const report = await runJob(
          cli,
          'generate',
          (crawl, job, { jobs }) => jobs.generate(crawl, { ...given, ...job }),
          {
            data: ({ batchId }) => batchId,
            ...part,
          },
        );
        if (report.batchId !== undefined || report.interrupted) return;
        if (!cli.options().quiet) say(cli.io, 'Nothing is due.');
        if (!part.shard) cli.exitCode = EXIT.nothing;
      });
    });
}
