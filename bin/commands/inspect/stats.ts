import { Option, type Command } from 'commander';
import type { Crawl, PrefixNode, PrefixSelection, PrefixStatistics } from '../../../packages/webcrawl/index.js';
import { CrawlError, STATUSES } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { wholeNumber } from '../../options/arguments.js';
import { csvLines, noteFormulas } from '../../output/csv-lines.js';
import { duration, jsonLine, number, quantity, say, write } from '../../output/output.js';
import { prefixTree } from '../../output/prefix-tree.js';
import { progressDisplay } from '../../output/progress.js';
import { withOutput, type OutputOptions } from '../../output/with-output.js';

interface PrefixOptions extends PrefixSelection, OutputOptions {
  readonly stored?: boolean;
  readonly format?: 'jsonl' | 'csv';
}

/** `stats …`: what the table holds, added up. */
export function addStats(program: Command, cli: Cli): void {
  const stats = program
    .command('stats')
    .summary('count the pages by the prefixes of their URLs')
    .description('What the table holds, added up. For counts of the whole table see webcrawl readdb --stats.');
  addStatsPrefixes(stats, cli);
}

/** `stats prefixes`. */
function addStatsPrefixes(stats: Command, cli: Cli): void {
  stats
    .command('prefixes')
    .summary('count the pages by host, path and query parameter')
    .description(
      'Counts the pages below each prefix of a URL, its path cut at every /, and by the names of query parameters, and shows them as a tree. Exits with 1 when there are none.',
    )
    .option('--domain <domain>', 'only this domain and its sub-domains')
    .option('--min <n>', 'a prefix with fewer pages is part of the one above it (10)', wholeNumber(1))
    .option('--depth <n>', 'names in a path, at most, that are told apart; 0: hosts alone (16)', wholeNumber(0))
    .option('--stored', 'count nothing, show what was counted last')
    .addOption(new Option('--format <format>', 'print JSON Lines or CSV, and no tree').choices(['jsonl', 'csv']))
    .option('--output <file>', 'write JSON Lines or CSV to this file, which gets its name when it is whole')
    .option('--force', 'replace the file of --output where it is there already')
    .addHelpText('after', HELP)
    .action((options: PrefixOptions) => showPrefixes(cli, options));
}

const HELP = `
It reads the table once, in memory that does not grow with it, and may run while a crawl does. What it
has counted is stored with its time when it is done, in place of what was counted before; one that is
stopped changes nothing. Nothing keeps it up to date, so --stored shows how old it is. Counted with
--domain it is stored for that domain alone.

The tree: rows; a bar of them, full as far as they are fetched; then how many of them are fetched, fit (worth
having by webcrawl rules), the same as another page (dup, after webcrawl dedup), and gone or failing (err); the
size of their bodies, and the time their requests took. "/list?" is one path with a query, and "?sort="
below a prefix are the pages there with this parameter, in any place of the query. Schemes and ports
are apart. A prefix whose pages are all below one further prefix is on one line with it. Without --min the
largest hundred or so are shown, and the others are stored all the same.

JSON Lines and CSV have all of them, the prefix in the form in which webcrawl rules takes it.

Examples:
  webcrawl stats prefixes
  webcrawl stats prefixes --domain news.example --min 100
  webcrawl stats prefixes --stored --depth 1
  webcrawl stats prefixes --stored --json | jq -r 'select(.fit == 0 and .rows > 1000) | .origin + .prefix'
  webcrawl stats prefixes --format csv --output prefixes.csv`;

async function showPrefixes(cli: Cli, options: PrefixOptions): Promise<void> {
  const { io } = cli;
  const { json = false, quiet = false } = cli.options();
  const format = options.format ?? (json || options.output !== undefined ? 'jsonl' : undefined);
  if (format === 'csv' && json) throw new CrawlError('USAGE', 'expected one of --format csv and --json');
  if (options.force && options.output === undefined) throw new CrawlError('USAGE', '--force goes with --output');
  const { domain, min, depth } = options;
  const selection = {
    ...(domain !== undefined && { domain }),
    ...(min !== undefined && { min }),
    ...(depth !== undefined && { depth }),
  };
  await using crawl = await open(cli, { name: 'stats prefixes' });
  if (!options.stored && !(await make(cli, crawl, selection))) return;
  const { prefixStatistics } = await library();
  const found = await prefixStatistics.latest(crawl, selection);
  if (!found) {
    say(io, 'Nothing was counted yet: webcrawl stats prefixes does it.');
    cli.exitCode = EXIT.nothing;
    return;
  }
  if (!quiet && options.stored) say(io, await ageText(crawl, found));
  const shown = format
    ? await exportNodes(cli, crawl, { ...options, format }, selection)
    : await showTree(cli, crawl, found, selection);
  if (!shown) cli.exitCode ||= EXIT.nothing;
}

/** Counts anew. false: it was to stop. */
async function make(cli: Cli, crawl: Crawl, selection: PrefixSelection): Promise<boolean> {
  const { io } = cli;
  const { quiet } = cli.options();
  const display = quiet ? undefined : progressDisplay(io.stderr);
  const { prefixStatistics } = await library();
  try {
    const progress = display && { onProgress: display.show.bind(display) };
    const { interrupted, counters } = await prefixStatistics.make(crawl, {
      ...selection,
      signal: io.signal,
      ...progress,
    });
    display?.end();
    if (interrupted) {
      if (!quiet) say(io, 'Stopped as asked. What was counted before is there as it was.');
      cli.exitCode = EXIT.interrupted;
      return false;
    }
    if (quiet) return true;
    if (counters.damaged) say(io, `Rows of which something cannot be read: ${number(counters.damaged)}`);
    if (counters.parameters_over_limit) {
      say(
        io,
        `Not counted, as a host has too many names of query parameters: ${number(counters.parameters_over_limit)}`,
      );
    }
    if (counters.overtaken) say(io, 'Another run that began later is done already: this is what it has counted.');
    return true;
  } finally {
    display?.end();
  }
}

async function ageText(
  { tables, clock }: Crawl,
  { madeAt, min, depth, rulesVersion }: PrefixStatistics,
): Promise<string> {
  const age = duration(Math.max(0, clock() - madeAt) / 1000);
  const changed = rulesVersion === (await tables.rules.version()) ? '' : '; the rules have changed since';
  return `Counted ${age} ago, with --min ${min} --depth ${depth}${changed}.`;
}

async function showTree(
  { io, options }: Cli,
  crawl: Crawl,
  { total, origins, domain }: PrefixStatistics,
  selection: PrefixSelection,
): Promise<boolean> {
  const { quiet } = options();
  const { min } = selection;
  const { prefixStatistics } = await library();
  const nodes = (): AsyncIterable<PrefixNode> => prefixStatistics.read(crawl, selection);
  const tree = await prefixTree(nodes, { columns: io.stdout.columns ?? 100, ...(min !== undefined && { min }) });
  if (tree.shown === 0) {
    say(io, tree.hidden === 0 ? 'There are no rows of these.' : 'No prefix has so many rows.');
    return false;
  }
  for await (const line of tree.text) await write(io.stdout, line);
  if (quiet) return true;
  if (selection.domain === domain) say(io, `${quantity(total.rows, 'row')} of ${quantity(origins, 'host')} in all.`);
  if (tree.hidden > 0) {
    const more = min === undefined ? '; --min 1 shows all that were counted' : '';
    say(io, `Smaller prefixes, which are not shown: ${number(tree.hidden)}${more}.`);
  }
  return true;
}

/** @returns whether there were any */
async function exportNodes(
  cli: Cli,
  crawl: Crawl,
  { format, ...output }: PrefixOptions,
  selection: PrefixSelection,
): Promise<boolean> {
  const { io } = cli;
  const csv = format === 'csv' ? csvLines(COLUMNS, io.stdout.isTTY === true && output.output === undefined) : undefined;
  let prefixes = 0;
  const { prefixStatistics } = await library();
  await withOutput(cli, crawl, output, async (put) => {
    if (csv) await put(csv.head);
    for await (const node of prefixStatistics.read(crawl, selection)) {
      if (io.signal.aborted) {
        cli.exitCode = EXIT.interrupted;
        return;
      }
      await put(csv ? csv.record({ ...node, ...node.statuses }) : jsonLine(node));
      prefixes += 1;
    }
  });
  if (cli.options().quiet || cli.exitCode === EXIT.interrupted) return prefixes > 0;
  if (output.output !== undefined) say(io, `Prefixes written to ${output.output}: ${number(prefixes)}`);
  if (csv) noteFormulas(io, csv.formulas);
  return prefixes > 0;
}

const COLUMNS = [
  'origin',
  'host',
  'domain',
  'prefix',
  'parameter',
  'rows',
  ...STATUSES,
  'fit',
  'duplicates',
  'errors',
  'bytes',
  'fetchMs',
];
