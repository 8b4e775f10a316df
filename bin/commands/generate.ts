import type { Command } from 'commander';
import { jobs } from '../../packages/webcrawl/index.js';
import { wholeNumber } from '../arguments.js';
import { EXIT, runJob, type Cli } from '../cli.js';
import { say } from '../output.js';

/** `generate`: selects the pages that are due into a batch, and prints its id. */
export function addGenerate(program: Command, cli: Cli): void {
  program
    .command('generate')
    .summary('select pages that are due into a new batch')
    .description('Selects the best of the pages that are due into a new batch, and prints the batch id alone.')
    .option('--top-n <n>', 'pages in the batch at the most', wholeNumber(1))
    .addHelpText(
      'after',
      `
With nothing due it says so and exits with 1.

Examples:
  webcrawl generate --top-n 1000
  batch=$(webcrawl generate) && webcrawl fetch $batch --parse && webcrawl updatedb $batch`,
    )
    .action(async (options: { topN?: number }) => {
      const report = await runJob(cli, 'generate', (crawl, job) => jobs.generate(crawl, { ...options, ...job }), {
        data: ({ batchId }) => batchId,
      });
      if (report.batchId !== undefined || report.interrupted) return;
      if (!cli.options().quiet) say(cli.io, 'Nothing is due.');
      cli.exitCode = EXIT.nothing;
    });
}
