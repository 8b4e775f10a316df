import { isUtf8 } from 'node:buffer';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Crawl, PageField, PageSelection, TableStats } from '../../../packages/webcrawl/index.js';
import {
  COMPUTED_FIELD_NAMES,
  CrawlError,
  DUMP_FIELDS,
  FURTHER_FIELDS,
  MAX_SORTED,
} from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { wholeNumber } from '../../options/arguments.js';
import { fieldsOf } from '../../options/fields.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { withOutput, type OutputOptions } from '../../output/with-output.js';
import { csvLines, noteFormulas } from '../../output/csv-lines.js';
import { jsonLine, number, prettyJson, quantity, safeLines, say, table, write } from '../../output/output.js';
import {
  SELECTION_HELP,
  addSelection,
  noteUnknownCodes,
  selectionOf,
  type SelectionOptions,
} from '../../options/selection.js';

interface ReaddbOptions extends SelectionOptions, OutputOptions {
  readonly stats?: boolean;
  readonly url?: string;
  readonly raw?: boolean;
  readonly dump?: boolean;
  readonly fields?: readonly PageField[];
  readonly limit?: number;
  readonly sort?: 'score';
  readonly format?: 'jsonl' | 'csv';
}

/** `readdb`: numbers, one page, or a dump of pages. */
export function addReaddb(program: Command, cli: Cli): void {
  const command = program
    .command('readdb')
    .summary('look into the table')
    .description('Looks into the table. Exactly one of --stats, --url and --dump is to be given.')
    .option('--stats', 'count the pages by status')
    .option('--url <url>', 'show one page; exits with 1 when the table has no such page')
    .option('--raw', 'with --url: the body alone, as it is stored; exits with 1 when there is none')
    .option('--dump', 'print the pages that the selection names, in the order of the table')
    .option('--sort <order>', 'dump: score, the best first; takes --limit', sortOrder)
    .option('--limit <n>', 'dump: pages at the most', wholeNumber(1))
    .addOption(new Option('--format <format>', 'dump: JSON Lines (the default) or CSV').choices(['jsonl', 'csv']))
    .option('--output <file>', 'dump, raw: write to this file, which gets its name when it is whole')
    .option('--force', 'replace the file of --output where it is there already')
    .option('--fields <names>', 'only these fields, by commas; key and url are always there', fieldsOf);
  addSelection(command)
    .addHelpText(
      'after',
      `
${SELECTION_HELP}

Fields: ${DUMP_FIELDS.slice(0, 8).join(', ')},
  ${DUMP_FIELDS.slice(8).join(', ')};
  and where named: ${FURTHER_FIELDS.slice(0, 6).join(', ')},
  ${FURTHER_FIELDS.slice(6).join(', ')};
  and worked out of the body when asked for: ${COMPUTED_FIELD_NAMES.join(', ')} (the main content of a page of HTML).
What each means, and all codes and counters, is in docs/REFERENCE.md.

Beside url there is readableUrl where it reads otherwise: international host names and paths as
people write them, for the eye alone.

CSV is by RFC 4180, with a line of names; nested fields (outlinks, inlinks, marks, metadata and the
like) are JSON in their cell, and the last column names what could not be read. Texts are written as
they are: pages may hold what a spreadsheet takes for a formula, so import the columns as text there.
Times are ms since the epoch in both formats. --sort reads the selection once and keeps the keys of
the best in memory, so that its --limit is at most ${number(MAX_SORTED)}.

Examples:
  webcrawl readdb --stats
  webcrawl readdb --url https://example.com/
  webcrawl readdb --url https://example.com/logo.svg --raw > logo.svg
  webcrawl readdb --dump --host example.com --status fetched --fields title,dueAt
  webcrawl readdb --dump --code not_found,timeout --fetched-since 2d --fields protocolStatus
  webcrawl readdb --dump --sort score --limit 100 --format csv --fields title,score --output best.csv
  webcrawl readdb --url https://example.com/ --fields markdown --json | jq -r .markdown
  webcrawl readdb --dump --fields outlinks | jq -r '.outlinks[]?.url'`,
    )
    .action(async (options: ReaddbOptions) => {
      check(options, cli.options().json);
      const selection = selectionOf(options);
      noteUnknownCodes(cli, options);
      await using crawl = await open(cli, { name: 'readdb' });
      const { url, fields = DUMP_FIELDS } = options;
      if (options.stats) await showStats(cli, crawl);
      else if (url === undefined) await dump(cli, crawl, options, selection);
      else if (options.raw) await showBody(cli, crawl, url, options);
      else await showPage(cli, crawl, url, fields);
    });
}

function sortOrder(text: string): 'score' {
  if (text === 'score') return text;
  throw new InvalidArgumentError('Expected score.');
}

function check(options: ReaddbOptions, json = false): void {
  const { stats, url, raw, dump, fields, limit, sort, format, output, force } = options;
  const fail = (message: string): never => {
    throw new CrawlError('USAGE', message);
  };
  if ([stats, url !== undefined, dump].filter(Boolean).length !== 1) {
    fail('expected exactly one of --stats, --url and --dump');
  }
  const selected = Object.keys(selectionOf(options)).length > 0;
  if (!dump && (selected || limit !== undefined || sort || format)) {
    fail('the options that select pages, --sort, --limit and --format go with --dump');
  }
  if (stats && fields) fail('--fields goes with --url and --dump');
  if (raw && url === undefined) fail('--raw goes with --url');
  if (raw && fields) fail('--raw prints the body alone, so --fields does not go with it');
  if (output !== undefined && !dump && !raw) fail('--output goes with --dump and with --raw');
  if (force && output === undefined) fail('--force goes with --output');
  if (format === 'csv' && json) fail('expected one of --format csv and --json');
  if (sort && (limit === undefined || limit > MAX_SORTED)) {
    fail(`expected a --limit of at most ${MAX_SORTED} with --sort: the pages that are sorted are held in memory`);
  }
}

async function showStats(cli: Cli, crawl: Crawl): Promise<void> {
  const { stats } = await library();
  const numbers = await stats(crawl);
  await write(cli.io.stdout, cli.options().json ? jsonLine(numbers) : statsForPeople(numbers));
}

function statsForPeople({ total, statuses, retries, score, damaged, lostBodies = 0, batches }: TableStats): string {
  const rows = [
    ['pages', number(total)],
    ...Object.entries(statuses).map(([status, count]) => [`  ${status}`, number(count)]),
    ...Object.entries(retries).flatMap(([times, count]) =>
      times === '0' ? [] : [[`failed ${quantity(Number(times), 'time')} in a row`, number(count)]],
    ),
    ...(damaged > 0 ? [['damaged', number(damaged)]] : []),
    ...(lostBodies > 0 ? [['lost bodies', `${number(lostBodies)} (webcrawl repair makes these pages due)`]] : []),
    ...(score ? [['score', `${number(score.min, 6)} to ${number(score.max, 6)}, mean ${number(score.avg, 6)}`]] : []),
    ['open batches', number(batches.length)],
    ...batches.map(({ batchId, state, size }) => [`  ${batchId}`, `${state}, ${quantity(size, 'page')}`]),
  ];
  return `${safeLines(table(rows).trimEnd())}\n`;
}

async function showPage(cli: Cli, crawl: Crawl, url: string, fields: readonly PageField[]): Promise<void> {
  const { pageDump } = await library();
  const { reads, dump } = await pageDump(crawl.settings, fields);
  const row = await crawl.page(url, reads);
  if (row) {
    const page = dump(row);
    return write(cli.io.stdout, cli.options().json ? jsonLine(page) : prettyJson(page));
  }
  say(cli.io, `The table has no page ${url}`);
  cli.exitCode = EXIT.nothing;
}

async function showBody(cli: Cli, crawl: Crawl, url: string, options: OutputOptions): Promise<void> {
  const row = await crawl.page(url, ['content', 'protocolStatus']);
  const body = row?.content;
  if (body === undefined) {
    const why = row ? `has no body of ${url}; its status is ${row.status ?? 'unknown'}` : `has no page ${url}`;
    say(cli.io, `The table ${why}`);
    cli.exitCode = EXIT.nothing;
    return;
  }
  if (options.output === undefined && cli.io.stdout.isTTY && !isPlainText(body)) {
    throw new CrawlError('USAGE', 'expected a body of plain UTF-8 text to show on a terminal, found other bytes', {
      hint: 'write it to a file: --output <file>, or > <file>',
    });
  }
  await withOutput(cli, crawl, options, (put) => put(body));
  if (row?.protocolStatus?.truncated)
    say(cli.io, 'The body is not whole: it was longer than http.contentLimit, or ended early.');
}

/** UTF-8 without what a terminal takes for a command. */
function isPlainText(body: Uint8Array): boolean {
  return isUtf8(body) && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(Buffer.from(body).toString());
}

async function dump(cli: Cli, crawl: Crawl, options: ReaddbOptions, selection: PageSelection): Promise<void> {
  const { fields = DUMP_FIELDS, limit, sort, format, output } = options;
  const { io } = cli;
  const csv = format === 'csv' ? csvOf(fields, io.stdout.isTTY === true && output === undefined) : undefined;
  const { pageDump } = await library();
  const { reads, dump: dumpRow } = await pageDump(crawl.settings, fields);
  const query = { ...selection, ...(limit !== undefined && { limit }), ...(sort && { sort }), fields: reads };
  let pages = 0;
  await withOutput(cli, crawl, options, async (put) => {
    if (csv) await put(csv.head);
    for await (const row of crawl.pages(query)) {
      if (io.signal.aborted) {
        cli.exitCode = EXIT.interrupted;
        return;
      }
      const page = dumpRow(row);
      await put(csv ? csv.record(page) : jsonLine(page));
      pages += 1;
    }
  });
  if (cli.options().quiet || cli.exitCode === EXIT.interrupted) return;
  if (output !== undefined) say(io, `${quantity(pages, 'page')} written to ${output}`);
  if (csv) noteFormulas(io, csv.formulas);
}

/** Pages as records of CSV. */
const csvOf = (fields: readonly PageField[], isTerminal: boolean) =>
  csvLines([...new Set(['key', 'url', 'readableUrl', 'status', ...fields, 'damaged'])], isTerminal);
