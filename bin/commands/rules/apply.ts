import type { Command } from 'commander';
import { runJob, type Cli } from '../../cli.js';

export function addRulesApply(program: Command, cli: Cli): void {
  program
    .command('apply')
    .summary('apply the rules to the pages of the table')
    .description(
      'Marks the pages that are relevant by the present rules, and adds scoring.relevant.score to their score. ' +
        'If a www rule changes the URL of a page, the page gets a row under the new URL.',
    )
    .addHelpText(
      'after',
      `
Run this after a change of a rule of kind relevant or www. Other rules apply at once, and new pages are marked when
they enter the table. It reads the table once, writes only differences, and may run during a crawl. You may
stop it at any moment and run it again.

Examples:
  webcrawl rules apply
  webcrawl rules apply --set scoring.relevant.score=50`,
    )
    .action(async () => {
      await runJob(cli, 'rules apply', (crawl, job, { rules }) => rules.apply(crawl, job), { alone: false });
    });
}
