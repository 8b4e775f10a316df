import { Argument, type Command } from 'commander';
import type { RoundStep } from '../../../packages/webcrawl/index.js';
import { ROUND_STEPS } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { jsonLine, say, write } from '../../output/output.js';

/** `batch-done`: says whether a step is done in all shards, for schedulers without a driver. */
export function addBatchDone(program: Command, cli: Cli): void {
  program
    .command('batch-done')
    .summary('say whether a step of a batch is done in all shards')
    .description(
      'Says whether a step of a batch is done in all shards: exits with 0 if it is, else with 1, and then the step is to be run again for all shards.',
    )
    .addArgument(new Argument('<step>', 'fetch is done when its pages are parsed, too').choices(ROUND_STEPS))
    .argument('<batch>', 'the id of the batch')
    .addHelpText(
      'after',
      `
For workers that a scheduler starts. webcrawl rounds does all of it.

Example:
  until webcrawl batch-done fetch $batch; do streaming.sh 16 /jobs/fetch fetch $batch --parse || exit; done`,
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
