import { Command } from 'commander';
import { DEFAULT_TABLE, ERROR_CODES, VERSION } from '../packages/webcrawl/names.js';
import { keyAndValue, wholeNumber } from './options/arguments.js';
import type { Cli, GlobalOptions } from './cli.js';
import { addCheck } from './commands/inspect/check.js';
import { addCompact } from './commands/maintain/compact.js';
import { addConfig } from './commands/maintain/config.js';
import { addDedup } from './commands/export/dedup.js';
import { addBatchDone } from './commands/cycle/batch-done.js';
import { addBatchId } from './commands/cycle/batch-id.js';
import { addCrawl } from './commands/cycle/crawl.js';
import { addExplain } from './commands/inspect/explain.js';
import { addExport } from './commands/export/export.js';
import { addGraph } from './commands/export/graph.js';
import { addRank } from './commands/export/rank.js';
import { addRounds } from './commands/cycle/rounds.js';
import { addFetch } from './commands/cycle/fetch.js';
import { addGenerate } from './commands/cycle/generate.js';
import { addIndex } from './commands/search/index-pages.js';
import { addInject } from './commands/cycle/inject.js';
import { addParse } from './commands/cycle/parse.js';
import { addReaddb } from './commands/inspect/readdb.js';
import { addRepair } from './commands/maintain/repair.js';
import { addRemove } from './commands/maintain/remove.js';
import { addRules } from './commands/rules/rules.js';
import { addSearch } from './commands/search/search.js';
import { addServe } from './commands/search/serve.js';
import { addStats } from './commands/inspect/stats.js';
import { addStatus } from './commands/inspect/status.js';
import { addUpdatedb } from './commands/cycle/updatedb.js';
import { addTable } from './commands/maintain/table.js';
import type { Io } from './io.js';
import { table } from './output/output.js';

/** A program, and what its verbs work with. */
export interface Program {
  readonly command: Command;
  readonly cli: Cli;
}

/** The whole command line. Wrong usage, `--help` and `--version` throw a CommanderError when it is parsed. */
export function buildProgram(io: Io): Program {
  const command = new Command('webcrawl');
  const cli: Cli = { io, options: () => command.opts<GlobalOptions>(), exitCode: 0 };
  command
    .description('A web crawler that keeps everything it knows about every URL in one sorted table.')
    .version(VERSION, '--version', 'print the version')
    .helpOption('-h, --help', 'show help, also after the name of a command')
    .option(
      '--table <location>',
      `where the table is, a directory or hbase://… (default: WEBCRAWL_TABLE, else ${DEFAULT_TABLE})`,
    )
    .option('--wait <seconds>', 'wait so long for a table that another process has open', wholeNumber(0))
    .option('--config <file>', 'read settings from this JSON file')
    .option('--set <key=value>', 'set one setting; may be given many times', keyAndValue)
    .option('--json', 'print results as JSON, not for people')
    .option('-q, --quiet', 'no progress and no summary, only data and errors')
    .option('-v, --verbose', 'say more, and show where an error comes from')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => {},
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
    })
    .addHelpText('after', () => `\n${EXAMPLES}\n${exitCodes()}`);
  for (const [heading, verbs] of Object.entries(GROUPS)) {
    command.commandsGroup(heading);
    for (const add of verbs) add(command, cli);
  }
  command.commandsGroup('Help:').helpCommand('help [command]', 'show help of a command');
  return { command, cli };
}

/** By heading, in the order of the help; each group is a folder of `commands`. */
const GROUPS = {
  'Crawl:': [addCrawl, addInject, addGenerate, addFetch, addParse, addUpdatedb, addBatchId, addBatchDone, addRounds],
  'Inspect:': [addStatus, addReaddb, addStats, addExplain, addCheck],
  'Export:': [addExport, addGraph, addRank, addDedup],
  'Search:': [addIndex, addSearch, addServe],
  'Rules:': [addRules],
  'Maintain:': [addRemove, addCompact, addConfig, addRepair, addTable],
} as const;

const EXAMPLES = `Examples:
  webcrawl crawl https://example.com/                 crawl one site to its end
  webcrawl status                                     how the crawl gets on, from another terminal
  webcrawl readdb --stats                             what the table holds
  webcrawl readdb --dump --fields title               every page as JSON Lines
  webcrawl explain https://example.com/a              why it was fetched or not, and when next

The same by single steps, which can be stopped and run again at any time:
  webcrawl inject seeds.txt
  batch=$(webcrawl generate --top-n 1000)
  webcrawl fetch $batch --parse
  webcrawl updatedb $batch

Global options may come before or after the command. Data goes to standard output, messages to
standard error. Ctrl-C once: requests in flight have two seconds to end, and the same command goes
on later. Twice: stops at once, as safe.
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
    ['1', 'nothing is due, no seed was taken, no such page, or a check says no'],
    ...errors,
    ['130', 'stopped by a signal; with --shard 75'],
  ];
  return `Exit codes:\n${table(all, '  ').trimEnd()}`;
}
