import type { Command } from 'commander';
import { makeBatchId } from '../../../packages/webcrawl/names.js';
import type { Cli } from '../../cli.js';
import { jsonLine, write } from '../../output/output.js';

export function addBatchId(program: Command, cli: Cli): void {
  program
    .command('batch-id')
    .summary('print a new, unused batch id')
    .description('Prints a new, unused batch id. It opens no table.')
    .addHelpText(
      'after',
      `
Examples:
  batch=$(webcrawl batch-id)
  for i in 0 1 2 3; do webcrawl generate --batch $batch \\
      --shard $i/4 & done; wait`,
    )
    .action(async () => {
      const batchId = makeBatchId(Date.now(), Math.random());
      await write(cli.io.stdout, cli.options().json ? jsonLine({ batchId }) : `${batchId}\n`);
    });
}
