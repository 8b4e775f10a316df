import type { Command } from 'commander';
import { runJob, type Cli } from '../../cli.js';

/** `rules apply`. */
export function addRulesApply(program: Command, cli: Cli): void {
  program
    .command('apply')
    .summary('apply the rules to the pages that are known already')
    .description(
      'Marks the pages that are worth having by the rules of now, gives their score what scoring.fit says, and counts what each rule has decided. ' +
        'Pages under a URL that a rule on www writes otherwise get a row under that URL.',
    )
    .addHelpText(
      'after',
      `
New pages are marked as they enter the table, and refused pages are refused at once: only usefulness
and www need this, after a change. It reads the table once, writes only what differs, and may run
while a crawl does. It can be stopped at any moment and run again.

Examples:
  webcrawl rules apply
  webcrawl rules apply --set scoring.fit.score=50`,
    )
    .action(async () => {
      await runJob(cli, 'rules apply', (crawl, job, { rules }) => rules.apply(crawl, job), { alone: false });
    });
}
