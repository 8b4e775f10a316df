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

/** `remove`: removes the rows that a selection names; only counts them without `--yes`. */
export function addRemove(program: Command, cli: Cli): void {
  const command = program
    .command('remove')
    .summary('remove pages from the table')
    .description(
      'Removes the pages that the selection names, with their links, texts and bodies (webcrawl compact frees their room). Without --yes it only counts ' +
        'them. Exits with 1 when no page is selected.',
    )
    .option('--yes', 'remove them; without it nothing is changed');
  addSelection(command)
    .addHelpText(
      'after',
      `
At least one option that selects is needed, and webcrawl readdb --dump takes the same ones to list
the pages.

${SELECTION_HELP}

A removed page comes back when a page that links to it is fetched again, or when it is injected: add
a rule to the URL filters first, and --rejected selects what they no longer take. What other pages
say of a removed page stays (their outlinks, and the inlinks and score that it gave them), and so
does what is known of its host (robots.txt, back-off). Pages that a batch under way holds stay until
updatedb has run on it. It can be stopped at any moment and run again.

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
      else if (found && !removed) say(cli.io, 'Nothing was removed. The same command with --yes removes these pages.');
    });
}
