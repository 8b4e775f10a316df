import type { Command } from 'commander';
import { runJob, type Cli } from '../../cli.js';
import { say } from '../../output/output.js';

export function addMigrate(program: Command, cli: Cli): void {
  program
    .command('migrate')
    .summary('convert a table of an earlier version')
    .description(
      'Rewrites the indexes of a table with an earlier layout (schema version), in one pass. Other commands refuse such a ' +
        'table (TABLE_VERSION), and their message names this command. A table of the present layout stays as it is.',
    )
    .addHelpText(
      'after',
      `
Make a backup first: webcrawl backup copies a table of any version, and the earlier version of webcrawl
cannot open the table again. You may stop or kill it at any moment; the same command continues.
Until it has ended, no version of webcrawl opens the table for anything else.

It needs exclusive access to the table: during a crawl it fails with TABLE_LOCKED, or waits with --wait.
A table on HBase cannot be migrated: crawl into a new table.

From layout 7 to 8, the indexes are rebuilt from the rows, and open batches are closed. Their pages are due again.

Examples:
  webcrawl backup /backup/crawl
  webcrawl migrate
  webcrawl migrate --table level:./crawl --json`,
    )
    .action(async () => {
      const { from, to, interrupted } = await runJob(cli, 'migrate', (crawl, job, { migrate }) => migrate(crawl, job), {
        migrates: true,
      });
      const { json, quiet } = cli.options();
      if (json || quiet || interrupted) return;
      say(
        cli.io,
        from === to ? `The table already has layout ${to}.` : `The table has layout ${to} now; it had ${from}.`,
      );
    });
}
