import { Argument, type Command } from 'commander';
import type { RoundStep } from '../../../packages/webcrawl/internal.js';
import { ROUND_STEPS } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { jsonLine, say, write } from '../../output/output.js';

export function addBatchDone(program: Command, cli: Cli): void {
  program
    .command('batch-done')
    .summary('tell whether a step is done in all shards')
    .description(
      'Tells whether a step of a batch is done in all shards. Exits with 0 if it is done. Exits with 1 if it is not; then run the step again for all shards.',
    )
    .addArgument(
      new Argument('<step>', 'step to check; fetch is done only when its pages are parsed').choices(ROUND_STEPS),
    )
    .argument('<batch>', 'id of the batch')
    .addHelpText(
      'after',
      `
Use it if a scheduler starts the workers. webcrawl rounds checks its steps without it.

Examples:
  until webcrawl batch-done fetch $batch; do
    webcrawl fetch $batch --parse || exit
  done`,
    )
    .action(async (step: RoundStep, batch: string) => {
      await using crawl = await open(cli, { name: 'batch-done' });
      const { isStepDone } = await library();
      const isDone = await isStepDone(crawl, step, batch);
      if (!isDone) cli.exitCode = EXIT.nothing;
      const { json, quiet } = cli.options();
      if (json) await write(cli.io.stdout, jsonLine({ batchId: batch, step, isDone }));
      else if (!quiet) say(cli.io, `${step} of batch ${batch} is ${isDone ? 'done' : 'not done'}.`);
    });
}
