import type { Command } from 'commander';
import type { FileRepair, RepairReport } from '../../../packages/webcrawl/index.js';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { runJob, tableLocation, type Cli } from '../../cli.js';
import { SHARD_HELP, addShardOption, overShards } from '../../options/shard-option.js';
import { bytes, jsonLine, safeLines, say, table, write } from '../../output/output.js';

interface RepairOptions {
  readonly files?: boolean;
  readonly yes?: boolean;
  readonly shard?: string;
}

/** `repair`: rebuilds the indexes from the rows, and before that, where asked for, the files of a damaged table. */
export function addRepair(program: Command, cli: Cli): void {
  const command = program
    .command('repair')
    .summary('rebuild the indexes from the rows')
    .description(
      'Reads every row and rebuilds the indexes from them, and counts what was missing or stale. Pages whose body is ' +
        'lost (lost_body: a file with bodies is missing, cut or broken) are made due. Where the table has a search index, that is ' +
        'compared with the rows and put right at the end.',
    )
    .option('--files', 'say what would be done to the files of a table that cannot be read (TABLE_DAMAGED)')
    .option('--yes', 'with --files: do it, after the files with the rows were copied in the folder of the table');
  addShardOption(command, 'table')
    .addHelpText('after', `${HELP}\n${SHARD_HELP}`)
    .action(async ({ files = false, yes = false, shard: named }: RepairOptions) => {
      if (yes && !files) throw new CrawlError('USAGE', '--yes goes with --files');
      if (files && named !== undefined)
        throw new CrawlError('USAGE', 'expected one of --files and --shard, found both');
      if (!files) {
        return overShards(cli, named, async (part) => {
          throwProblem(await runJob(cli, 'repair', (crawl, job, { jobs }) => jobs.repair(crawl, job), part));
        });
      }
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

/** All but the search index is repaired: what was done is printed, and then what is to be done. */
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
A table that is damaged is best restored from a copy. Where there is none, --files saves what can be
read: the database with the rows is rebuilt by LevelDB from its files if it cannot be read to its end.
What cannot be read is left out, and what was deleted shortly before may be back. The files with the
bodies are never changed. Without --yes nothing is. With --yes the files with the rows are copied
first, which takes as much room again; no other command may use the table meanwhile. The indexes are
rebuilt then as without --files.

With --shard many workers repair a table together; no other job may work on it meanwhile. The search index
is not looked at then: webcrawl index --all does that.

Examples:
  webcrawl repair --table level:./crawl
  webcrawl repair --table hbase://gateway/crawl --shard 2/6
  webcrawl repair --files
  webcrawl repair --files --yes`;

const STEPS = {
  planned: {
    check: 'read to its end, and rebuilt from its files if that fails',
    rebuild: 'rebuilt from its files',
    create: 'made anew, empty: the pages are fetched again',
    keep: 'left as it is: webcrawl repair finds bodies that cannot be read',
  },
  done: {
    check: 'read to its end: nothing to do',
    rebuild: 'rebuilt from its files',
    create: 'made anew, empty: the pages are fetched again',
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
    ? 'Remove the copy when all is well again.\n'
    : 'Nothing was changed. The same with --yes does it. A copy of the whole table, if you have one, is the better cure.\n';
  return `${safeLines(table(rows).trimEnd())}\n${end}`;
}
