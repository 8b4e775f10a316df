import type { Command } from 'commander';
import type { FileRepair, RepairReport } from '../../../packages/webcrawl/internal.js';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { runJob, tableLocation, type Cli } from '../../cli.js';
import { bytes, jsonLine, say, write } from '../../output/output.js';
import { table } from '../../output/table.js';

interface RepairOptions {
  readonly files?: boolean;
  readonly yes?: boolean;
}

export function addRepair(program: Command, cli: Cli): void {
  program
    .command('repair')
    .summary('rebuild the indexes from the rows')
    .description(
      'Reads every row, rebuilds the indexes from the rows, and counts missing and stale entries. If the body of a page is lost, it makes ' +
        'the page due (lost_body: a file with bodies is missing, too short or broken). If the table has a search index, it compares ' +
        'the index with the rows at the end, and corrects it.',
    )
    .option('--files', 'show how the files of a damaged table would be repaired (TABLE_DAMAGED)')
    .option('--yes', 'with --files: repair the files, after copying the database files into the table folder')
    .addHelpText('after', HELP)
    .action(async ({ files = false, yes = false }: RepairOptions) => {
      if (yes && !files) throw new CrawlError('USAGE', '--yes needs --files');
      if (!files) return throwProblem(await runJob(cli, 'repair', (crawl, job, { jobs }) => jobs.repair(crawl, job)));
      const { repairFiles } = await library();
      const repaired = await repairFiles({ table: tableLocation(cli), dryRun: !yes });
      const { json, quiet } = cli.options();
      if (!yes) return write(cli.io.stdout, json ? jsonLine(repaired) : forPeople(repaired));
      if (!json && !quiet) say(cli.io, forPeople(repaired).trimEnd());
      const report = await runJob(cli, 'repair', async (crawl, job, { jobs }) => {
        const report: RepairReport & { readonly files: FileRepair } = {
          ...(await jobs.repair(crawl, job)),
          files: repaired,
        };
        return report;
      });
      throwProblem(report);
    });
}

/** Prints the report. If only the search index could not be repaired, it throws that problem afterwards. */
function throwProblem({ indexProblem }: RepairReport): void {
  if (!indexProblem) return;
  const { code, message, hint } = indexProblem;
  throw new CrawlError(
    code,
    `the table is repaired, but not its search index: ${message}`,
    hint === undefined ? {} : { hint },
  );
}

const HELP = `
If you have a backup, restore a damaged table from it. Without a backup, --files saves all readable data: LevelDB
rebuilds the database from its files. Unreadable data is lost, and rows that were removed shortly before may be
back. The files with bodies are never changed. Without --yes no file is changed. With --yes the files with the
rows are copied first, which needs the same disk space again. No other command may use the table at that time.
Then the indexes are rebuilt, as without --files.

Examples:
  webcrawl repair --table level:./crawl
  webcrawl repair --files
  webcrawl repair --files --yes`;

const STEPS = {
  planned: {
    check: 'read to its end, and rebuilt from its files if that fails',
    rebuild: 'rebuilt from its files',
    create: 'created empty: the pages are fetched again',
    keep: 'left as it is: webcrawl repair finds bodies that cannot be read',
  },
  done: {
    check: 'read to its end: nothing to do',
    rebuild: 'rebuilt from its files',
    create: 'created empty: the pages are fetched again',
    keep: 'left as it is',
  },
} as const;

function forPeople({ directory, copy, bytes: size, parts, done }: FileRepair): string {
  const steps = STEPS[done ? 'done' : 'planned'];
  const rows = [
    ['table', directory],
    [done ? 'copy made' : 'copy first', `${bytes(size)} to ${copy}`],
    ...parts.map(({ name, found, step }) => [name, `${found}; ${steps[step]}`]),
  ];
  const end = done
    ? 'Remove the copy when the table works again.\n'
    : 'Nothing was changed. The same command with --yes repairs the files. If you have a backup of the table, restore it instead.\n';
  return table(rows) + end;
}
