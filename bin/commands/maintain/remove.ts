import type { Command } from 'commander';
import { EXIT, runJob, type Cli } from '../../cli.js';
import { say } from '../../output/output.js';
import {
  SELECTION_HELP,
  addSelection,
  noteUnknownCodes,
  selectionOf,
  type SelectionOptions,
} from '../../options/selection.js';

export function addRemove(program: Command, cli: Cli): void {
  const command = program
    .command('remove')
    .summary('remove pages from the table')
    .description(
      'Removes the selected pages, with their links, texts and bodies (webcrawl compact frees their disk space). Without --yes it only counts ' +
        'them. Exits with 1 when no page is selected.',
    )
    .option('--yes', 'remove the pages; without it nothing is changed');
  addSelection(command)
    .addHelpText(
      'after',
      `
Give at least one option that selects pages. webcrawl readdb --dump with the same options lists the pages.

${SELECTION_HELP}

A removed page comes back when a page that links to it is fetched again, or when it is injected. To prevent this,
first add a rule to the URL filters; --rejected selects the pages that the filters reject. Other rows keep their
links to and from the removed page, and the score that this page gave them. The data of the page's host (robots.txt, back-off)
stays too. Pages of an open batch stay until updatedb has run on it. You may stop it at any moment and run it
again.

Examples:
  webcrawl remove --host old.example.com
  webcrawl remove --host old.example.com --yes
  webcrawl remove --status gone --fetched-before 365d --yes
  webcrawl remove --rejected --set urlfilter.regexFile=rules.txt`,
    )
    .action(async ({ yes = false, ...options }: SelectionOptions & { yes?: boolean }) => {
      const selection = selectionOf(options);
      noteUnknownCodes(cli, options);
      const { counters, interrupted } = await runJob(cli, 'remove', (crawl, job, { jobs }) =>
        jobs.remove(crawl, { ...selection, dryRun: !yes, ...job }),
      );
      if (interrupted) return;
      const { removed, would_remove: found } = counters;
      if (Object.keys(counters).length === 0) cli.exitCode = EXIT.nothing;
      if (cli.options().quiet) return;
      if (cli.exitCode === EXIT.nothing) say(cli.io, 'No page is selected.');
      else if (found && !removed) say(cli.io, 'No page was removed. The same command with --yes removes these pages.');
    });
}
