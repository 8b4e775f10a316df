import { resolve } from 'node:path';
import type { Command } from 'commander';
import { DEFAULT_TABLE, ERROR_CODES, VERSION } from '../packages/webcrawl/names.js';
import { keyAndValue, wholeNumber } from './options/arguments.js';
import type { Cli, GlobalOptions } from './cli.js';
import { addAudit } from './commands/inspect/audit.js';
import { addBackup } from './commands/maintain/backup.js';
import { addChanges } from './commands/inspect/changes.js';
import { addCheck } from './commands/inspect/check.js';
import { addCompact } from './commands/maintain/compact.js';
import { addConfig } from './commands/maintain/config.js';
import { addDedup } from './commands/export/dedup.js';
import { addCrawl } from './commands/cycle/crawl.js';
import { addExplain } from './commands/inspect/explain.js';
import { addExport } from './commands/export/export.js';
import { addGraph } from './commands/export/graph.js';
import { addMarkdown } from './commands/export/markdown.js';
import { addRank } from './commands/export/rank.js';
import { addFetch } from './commands/cycle/fetch.js';
import { addGenerate } from './commands/cycle/generate.js';
import { addHosts } from './commands/inspect/hosts.js';
import { addIndex } from './commands/search/index-pages.js';
import { addInject } from './commands/cycle/inject.js';
import { addParse } from './commands/cycle/parse.js';
import { addMark } from './commands/inspect/mark.js';
import { addPlan } from './commands/inspect/plan.js';
import { addReaddb } from './commands/inspect/readdb.js';
import { addMigrate } from './commands/maintain/migrate.js';
import { addRepair } from './commands/maintain/repair.js';
import { addRemove } from './commands/maintain/remove.js';
import { addRules } from './commands/rules/rules.js';
import { addSearch } from './commands/search/search.js';
import { addServe } from './commands/search/serve.js';
import { addPrefixes } from './commands/inspect/prefixes.js';
import { addStatus } from './commands/inspect/status.js';
import { addWatch } from './commands/inspect/watch.js';
import { addUpdatedb } from './commands/cycle/updatedb.js';
import { addTable } from './commands/maintain/table.js';
import { addCompletion } from './commands/completion.js';
import { HelpfulCommand } from './help.js';
import type { Io } from './io.js';
import { jsonLine, write } from './output/output.js';
import { table } from './output/table.js';

interface Program {
  readonly command: Command;
  readonly cli: Cli;
}

/**
 * Builds the whole command line. Wrong usage, `--help` and `--version` throw a CommanderError while the arguments are parsed.
 * @param isShort whether help is short
 */
export function buildProgram(io: Io, isShort = false): Program {
  const command = new HelpfulCommand('webcrawl');
  const cli: Cli = { io, options: () => command.opts<GlobalOptions>(), exitCode: 0 };
  command
    .description('A web crawler that stores all data on every URL in one sorted table.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help; -h shows it in short')
    .option(
      '--table <location>',
      `location of the table: a directory or an hbase:// URL (default: WEBCRAWL_TABLE, else ${DEFAULT_TABLE})`,
    )
    .option('--wait <seconds>', 'time to wait for a table that another process has open', wholeNumber(0))
    .option('--config <file>', 'read settings from this JSON file')
    .option('--set <key=value>', 'set one setting; may be given many times', keyAndValue)
    .option('--json', 'print results as JSON')
    .option('-q, --quiet', 'print only data and errors, no progress and no summary')
    .option('-v, --verbose', 'print more messages, and the origin of an error')
    .exitOverride()
    .configureHelp(command.helpWith(isShort))
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => Math.min(io.stdout.columns ?? 80, MAX_HELP_COLUMNS),
    })
    .addHelpText('after', `${NOTES}\nDocumentation: ${resolve(io.program, '../../../docs')}\n\n${EXAMPLES}`);
  for (const [heading, verbs] of Object.entries(GROUPS)) {
    command.commandsGroup(heading);
    for (const add of verbs) add(command, cli);
  }
  command.commandsGroup('Help:').helpCommand('help [command]', 'show the help of a command');
  addCompletion(command, cli);
  command
    .command('exit-codes')
    .description('list the exit codes')
    .action(() => write(io.stdout, cli.options().json ? jsonLine(ERROR_CODES) : exitCodes()));
  command
    .command('version')
    .description('print the version')
    .action(() => write(io.stdout, `${VERSION}\n`));
  return { command, cli };
}

/** Longer lines are hard to read. */
const MAX_HELP_COLUMNS = 100;

const GROUPS = {
  'Crawl:': [addCrawl, addStatus],
  'Look into the table:': [
    ...[addReaddb, addExplain, addHosts, addPlan, addChanges, addMark, addWatch],
    ...[addAudit, addPrefixes, addCheck],
  ],
  'Get data out:': [addMarkdown, addExport, addGraph],
  'Search:': [addIndex, addSearch, addServe],
  'Focus, rank and clean up:': [addRules, addRank, addDedup, addRemove],
  'The steps of a crawl, one by one:': [addInject, addGenerate, addFetch, addParse, addUpdatedb],
  'Look after the table:': [addBackup, addCompact, addRepair, addMigrate, addConfig, addTable],
} as const;

const EXAMPLES = `Examples:
  webcrawl crawl https://example.com/               crawl one whole site
  webcrawl crawl https://example.com/ --serve       and serve a search page
  webcrawl status                                   show the progress
  webcrawl readdb --stats                           count the pages in the table
  webcrawl export pages -o pages.parquet            also .csv, .xlsx, .jsonl
  webcrawl export pages -o copy --format markdown   a file for each page
  webcrawl explain https://example.com/a            why it was fetched or not
  webcrawl changes --since 7d                       what has changed
`;

const NOTES = `The steps of a crawl one by one. You may stop each step and run it again:
  webcrawl inject seeds.txt
  batch=$(webcrawl generate --top-n 1000)
  webcrawl fetch $batch --parse
  webcrawl updatedb $batch

Global options may come before or after the command. Data goes to standard output, messages to
standard error. After Ctrl-C, requests in flight have two seconds to end. A second Ctrl-C stops at
once, without loss of data. The same command continues later.
`;

function exitCodes(): string {
  const rows = new Map<number, string[]>();
  for (const [code, { exitCode, meaning }] of Object.entries(ERROR_CODES)) {
    rows.set(exitCode, [...(rows.get(exitCode) ?? []), `${code}: ${meaning}`]);
  }
  const errors = [...rows]
    .sort(([a], [b]) => a - b)
    .flatMap(([exitCode, texts]) => texts.map((text, i) => [i === 0 ? String(exitCode) : '', text]));
  const all = [
    ['0', 'done'],
    ['1', 'nothing is due, no seed was taken, no such page, or a check failed'],
    ...errors,
    ['130', 'stopped by a signal (with --shard: 75; serve: 0)'],
  ];
  return table(all);
}
