import type { Command } from 'commander';
import { jobs } from '../../packages/webcrawl/index.js';
import { runJob, type Cli } from '../cli.js';
import { readSeeds, rejectionTeller } from '../seeds.js';

/** `inject <file|url|->…`: adds seeds to the table. */
export function addInject(program: Command, cli: Cli): void {
  program
    .command('inject')
    .summary('add seeds to the table')
    .description('Adds seeds to the table. A page that is known already keeps its row.')
    .argument('<seed...>', 'URLs, files of seed lines, or - for standard input')
    .addHelpText(
      'after',
      `
A seed line is a URL, then key=value pairs set off by tabs. Known keys are score and fetchInterval
(seconds); others are kept as metadata of the page. Empty lines and lines that begin with # are
passed over.

Examples:
  webcrawl inject https://example.com/ https://example.org/
  webcrawl inject seeds.txt
  printf 'https://example.com/\\tscore=5\\tlanguage=en\\n' | webcrawl inject -`,
    )
    .action(async (args: string[]) => {
      const seeds = readSeeds(args, cli.io.stdin);
      const taken = { seeds: seeds.lines, onRejected: rejectionTeller(cli.io, seeds) };
      await runJob(cli, 'inject', (crawl, job) => jobs.inject(crawl, { ...taken, ...job }), {
        create: true,
        alone: false,
      });
    });
}
