import type { Command } from 'commander';
import { jobs } from '../../../packages/webcrawl/index.js';
import { wholeNumber } from '../../options/arguments.js';
import { EXIT, runJob, type Cli } from '../../cli.js';
import { say } from '../../output/output.js';

interface GenerateOptions {
  readonly topN?: number;
  readonly addDays?: number;
  readonly maxCount?: number;
  readonly filter: boolean;
  readonly norm: boolean;
}

/** `generate`: selects the pages that are due into a batch, and prints its id. */
export function addGenerate(program: Command, cli: Cli): void {
  program
    .command('generate')
    .summary('select pages that are due into a new batch')
    .description('Selects the best of the pages that are due into a new batch, and prints the batch id alone.')
    .option('--top-n <n>', 'pages in the batch at the most', wholeNumber(1))
    .option('--add-days <n>', 'select also what becomes due within so many days', wholeNumber(0))
    .option('--max-count <n>', 'pages of one host (or as partition.urlMode says) at the most', wholeNumber(0))
    .option('--no-filter', 'do not ask the URL filters again, for a fast selection')
    .option('--no-norm', 'taken as Nutch has it: rows are normalised when they are made, and never here')
    .addHelpText(
      'after',
      `
With nothing due it says so and exits with 1. The depth and the patterns of the last crawl hold here too.

Examples:
  webcrawl generate --top-n 1000 --max-count 50
  webcrawl generate --add-days 31             # all that is known, as if a month had passed
  batch=$(webcrawl generate) && webcrawl fetch $batch --parse && webcrawl updatedb $batch`,
    )
    .action(async ({ filter, norm: _, ...options }: GenerateOptions) => {
      const given = { ...options, ...(filter ? {} : { filter }) };
      const report = await runJob(cli, 'generate', (crawl, job) => jobs.generate(crawl, { ...given, ...job }), {
        data: ({ batchId }) => batchId,
      });
      if (report.batchId !== undefined || report.interrupted) return;
      if (!cli.options().quiet) say(cli.io, 'Nothing is due.');
      cli.exitCode = EXIT.nothing;
    });
}
