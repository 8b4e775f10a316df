import { Option, type Command } from 'commander';
import type {
  OpenContext,
  PrefixNode,
  PrefixSelection,
  PrefixStatistics,
} from '../../../packages/webcrawl/internal.js';
import { CrawlError, STATUSES, defined, safeText } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { wholeNumber } from '../../options/arguments.js';
import { csvLines, noteFormulas } from '../../output/csv-lines.js';
import { duration, jsonLine, lineWidth, number, quantity, say, write } from '../../output/output.js';
import { prefixTree } from '../../output/prefix-tree.js';
import { withProgress } from '../../output/progress.js';
import { withOutput, type OutputOptions } from '../../output/with-output.js';

interface PrefixOptions extends PrefixSelection, OutputOptions {
  readonly stored?: boolean;
  readonly format?: 'jsonl' | 'csv';
}

export function addPrefixes(program: Command, cli: Cli): void {
  program
    .command('prefixes')
    .summary('count the pages by host, path and query parameter')
    .description(
      'Counts the pages below each prefix, such as https://example.com/news/ (a prefix ends at a / of the path, or at the ?). Also counts the pages that have the same query parameter. Shows the counts as a tree. Exits with 1 when there are no pages.',
    )
    .option('--domain <domain>', 'only this domain and its sub-domains')
    .option(
      '--min <n>',
      'minimum number of pages of a prefix; smaller ones count for the prefix above (default: 10)',
      wholeNumber(1),
    )
    .option('--depth <n>', 'maximum number of path segments in a prefix; 0: only hosts (default: 16)', wholeNumber(0))
    .option('--stored', 'show the counts of the last run, without counting again')
    .addOption(new Option('--format <format>', 'print JSON Lines or CSV instead of a tree').choices(['jsonl', 'csv']))
    .option('--output <file>', 'write JSON Lines or CSV to this file; it appears under this name when it is complete')
    .option('--force', 'replace the file of --output if it already exists')
    .addHelpText('after', HELP)
    .action((options: PrefixOptions) => showPrefixes(cli, options));
}

const HELP = `
It reads the table once, and may run while a crawl does. Its memory does not grow with the table. At the end, its
counts replace the stored counts; with --domain, only the counts of this domain are replaced. A stopped run
changes nothing. The stored counts do not change with the table, so --stored also shows when they were made.

Columns of the tree:
  rows      the number of pages; the bar shows the fetched share
  fetched   fetched pages
  relevant  pages that webcrawl rules marks as relevant
  dup       duplicates, after webcrawl dedup
  err       pages that are gone or fail
  size      the bytes of their bodies, then the time that their requests took
"/list?" is one path with a query. "?sort=" below a prefix are the pages with this parameter, anywhere in the query.
A host has a line for each scheme and port. If all pages of a prefix are below a single other prefix, both are on one
line. Without --min, the tree shows about a hundred of the largest prefixes. The counts of all prefixes are stored.

JSON Lines and CSV have all prefixes, in the form that webcrawl rules accepts.

Examples:
  webcrawl prefixes
  webcrawl prefixes --domain news.example --min 100
  webcrawl prefixes --stored --depth 1
  webcrawl prefixes --format csv --output prefixes.csv`;

async function showPrefixes(cli: Cli, options: PrefixOptions): Promise<void> {
  const { io } = cli;
  const { json = false, quiet = false } = cli.options();
  const format = options.format ?? (json || options.output !== undefined ? 'jsonl' : undefined);
  if (format === 'csv' && json) throw new CrawlError('USAGE', '--format csv and --json cannot be combined');
  if (options.force && options.output === undefined) throw new CrawlError('USAGE', '--force needs --output');
  const { domain, min, depth } = options;
  const selection = defined({ domain, min, depth });
  await using crawl = await open(cli, { name: 'prefixes' });
  if (!options.stored && !(await make(cli, crawl, selection))) return;
  const { prefixStatistics } = await library();
  const found = await prefixStatistics.latest(crawl, selection);
  if (!found) {
    say(io, 'Nothing was counted yet. webcrawl prefixes counts the pages.');
    cli.exitCode = EXIT.nothing;
    return;
  }
  if (!quiet && options.stored) say(io, await ageText(crawl, found));
  const shown = format
    ? await exportNodes(cli, crawl, { ...options, format }, selection)
    : await showTree(cli, crawl, found, selection);
  if (shown || cli.exitCode === EXIT.interrupted) return;
  say(io, nothingText(found, selection));
  cli.exitCode ||= EXIT.nothing;
}

function nothingText({ total, min }: PrefixStatistics, { domain, min: asked = min }: PrefixSelection): string {
  if (total.rows === 0) return 'There are no rows to count.';
  const of = domain === undefined ? '' : ` of ${safeText(domain, 100)}`;
  return `No prefix${of} has ${quantity(Math.max(min, asked), 'page')} or more, and smaller ones are not shown: --min 1 shows all.`;
}

/** Counts the prefixes again. Returns false if the user stopped it. */
async function make(cli: Cli, crawl: OpenContext, selection: PrefixSelection): Promise<boolean> {
  const { io } = cli;
  const { quiet = false } = cli.options();
  const { prefixStatistics } = await library();
  const { interrupted, counters } = await withProgress(cli, quiet, (job) =>
    prefixStatistics.make(crawl, { ...selection, ...job }),
  );
  if (interrupted) {
    if (!quiet) say(io, 'Stopped on request. The earlier counts are unchanged.');
    cli.exitCode = EXIT.interrupted;
    return false;
  }
  if (quiet) return true;
  if (counters.damaged) say(io, `Rows that cannot be read in part: ${number(counters.damaged)}`);
  if (counters.parameters_over_limit) {
    say(
      io,
      `Not counted, because a host has too many names of query parameters: ${number(counters.parameters_over_limit)}`,
    );
  }
  return true;
}

async function ageText(
  { tables, clock }: OpenContext,
  { madeAt, min, depth, rulesVersion }: PrefixStatistics,
): Promise<string> {
  const age = duration(Math.max(0, clock() - madeAt) / 1000);
  const changed = rulesVersion === (await tables.rules.version()) ? '' : '; the rules have changed since';
  return `Counted ${age} ago, with --min ${min} --depth ${depth}${changed}.`;
}

async function showTree(
  { io, options }: Cli,
  crawl: OpenContext,
  { total, origins, domain }: PrefixStatistics,
  selection: PrefixSelection,
): Promise<boolean> {
  const { quiet } = options();
  const { min } = selection;
  const { prefixStatistics } = await library();
  const nodes = (): AsyncIterable<PrefixNode> => prefixStatistics.read(crawl, selection);
  const tree = await prefixTree(nodes, { columns: lineWidth(io), ...(min !== undefined && { min }) });
  if (tree.shown === 0) {
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

async function exportNodes(
  cli: Cli,
  crawl: OpenContext,
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
  'relevant',
  'duplicates',
  'errors',
  'bytes',
  'fetchMs',
];
