import { isUtf8 } from 'node:buffer';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type {
  ExportPagesOptions,
  OpenContext,
  PageField,
  PageSelection,
  Report,
  SortOrder,
  TableStats,
} from '../../../packages/webcrawl/internal.js';
import {
  COMPUTED_FIELD_NAMES,
  CrawlError,
  DUMP_FIELDS,
  ADDITIONAL_FIELDS,
  LINK_LISTS,
  MAX_SORTED,
  SORT_FIELDS,
  defined,
  parseOrder,
} from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { namesGiven, wholeNumber } from '../../options/arguments.js';
import { fieldsOf } from '../../options/fields.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { withOutput, type OutputOptions } from '../../output/with-output.js';
import { noteFormulas } from '../../output/csv-lines.js';
import { contentText } from '../../output/explanation-text.js';
import { jsonLine, number, oneLine, prettyJson, quantity, safeLines, say, write } from '../../output/output.js';
import { table } from '../../output/table.js';
import {
  SELECTION_HELP,
  addSelection,
  noteUnknownCodes,
  selectionOf,
  type SelectionOptions,
} from '../../options/selection.js';

interface ReaddbOptions
  extends SelectionOptions, OutputOptions, Pick<ExportPagesOptions, 'fields' | 'limit' | 'sort' | 'each' | 'type'> {
  readonly stats?: boolean;
  readonly url?: string;
  readonly raw?: boolean;
  readonly dump?: boolean;
  readonly format?: 'jsonl' | 'csv';
}

export function addReaddb(program: Command, cli: Cli): void {
  const command = program
    .command('readdb')
    .summary('print the pages of the table, or count them')
    .description('Reads the table. Give exactly one of --stats, --url and --dump.')
    .option('--stats', 'count the pages by status')
    .option('--url <url>', 'show one page; exits with 1 when the table has no such page')
    .option('--raw', 'with --url: print only the stored body; exits with 1 when there is none')
    .option('--dump', 'print the selected pages, in the order of the table')
    .option(
      '--sort <order>',
      'with --dump: sort by a field such as score, fetchMs or distance; needs --limit',
      sortOrder,
    )
    .addOption(
      new Option('--each <links>', 'with --dump: print a line for each link instead of each page').choices(LINK_LISTS),
    )
    .option(
      '--type <names>',
      'with --dump: only pages of these schema.org types, separated by commas, such as Product',
      namesGiven,
    )
    .option('--limit <n>', 'with --dump: maximum number of pages', wholeNumber(1))
    .addOption(new Option('--format <format>', 'with --dump: output format (default: jsonl)').choices(['jsonl', 'csv']))
    .option(
      '--output <file>',
      'with --dump or --raw: write to this file; it appears under this name when it is complete',
    )
    .option('--force', 'replace the file of --output if it already exists')
    .option('--fields <names>', 'only these fields, separated by commas; key and url are always included', fieldsOf);
  addSelection(command)
    .addHelpText(
      'after',
      `
${SELECTION_HELP}

Fields: ${DUMP_FIELDS.slice(0, 8).join(', ')},
  ${DUMP_FIELDS.slice(8).join(', ')};
  only if named in --fields: ${ADDITIONAL_FIELDS.slice(0, 6).join(', ')},
  ${ADDITIONAL_FIELDS.slice(6).join(', ')};
  only if named, and computed from the body of an HTML page (docs/EXPORT.md explains each field):
  ${COMPUTED_FIELD_NAMES.join(', ')}.
docs/REFERENCE.md explains all fields, codes and counters.

readableUrl is the URL with international host names and paths as people write them. It is printed if it differs
from url, and is only for display.

CSV is RFC 4180 with a header line. Nested fields, such as outlinks and metadata, are JSON in their cell. The
last column names unreadable fields. Texts are not changed, so a spreadsheet may run some as formulas: import
the columns as text. Times are ms since the epoch in both formats.

--sort takes ${SORT_FIELDS.slice(0, 9).join(', ')},
${SORT_FIELDS.slice(9).join(', ')}.
The greatest numbers and the latest times come first, texts from A to Z, pages without the field last. :asc or
:desc after the name changes the order. A sort reads the selection once, and keeps the first keys in memory. So
--limit is at most ${number(MAX_SORTED)}.

--type Product selects pages that have this type in their JSON-LD or microdata: see webcrawl export pages --help.

--each inlinks prints a line for each link to a page: url and status of the page, code and http of its
last fetch, source (the URL of the page that links to it), anchor, and the given --fields.
--each outlinks has target in place of source. --limit counts pages.

Examples:
  webcrawl readdb --stats
  webcrawl readdb --url https://example.com/
  webcrawl readdb --url https://example.com/logo.svg --raw > logo.svg
  webcrawl readdb --dump --host example.com --status fetched \\
      --fields title,dueAt
  webcrawl readdb --dump --code not_found,timeout --fetched-since 2d \\
      --fields protocolStatus
  webcrawl readdb --dump --code 404,500 --each inlinks --format csv \\
      --output broken.csv
  webcrawl readdb --dump --sort fetchMs --limit 20 --fields fetchMs,bodyBytes
  webcrawl readdb --url https://example.com/ --fields markdown --json \\
      | jq -r .markdown
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

function sortOrder(text: string): SortOrder {
  if (parseOrder(text)) return text as SortOrder;
  throw new InvalidArgumentError(`not one of ${SORT_FIELDS.join(', ')}, with or without :asc or :desc`);
}

function check(options: ReaddbOptions, json = false): void {
  const { stats, url, raw, dump, fields, limit, sort, each, type, format, output, force } = options;
  const fail = (message: string): never => {
    throw new CrawlError('USAGE', message);
  };
  const forms = [stats, url !== undefined, dump].filter(Boolean).length;
  if (forms !== 1) {
    fail(forms === 0 ? 'one of --stats, --url and --dump is missing' : '--stats, --url and --dump cannot be combined');
  }
  const selected = Object.keys(selectionOf(options)).length > 0;
  if (!dump && (selected || limit !== undefined || sort || each || type || format)) {
    fail('the options that select pages, --type, --sort, --each, --limit and --format need --dump');
  }
  if (stats && fields) fail('--fields needs --url or --dump');
  if (raw && url === undefined) fail('--raw needs --url');
  if (raw && fields) fail('--raw prints only the body, so --fields cannot be used with it');
  if (output !== undefined && !dump && !raw) fail('--output needs --dump or --raw');
  if (force && output === undefined) fail('--force needs --output');
  if (format === 'csv' && json) fail('--format csv and --json cannot be combined');
  if (sort && (limit === undefined || limit > MAX_SORTED)) {
    fail(`--sort needs a --limit of at most ${MAX_SORTED}, because pages are sorted in memory`);
  }
}

async function showStats(cli: Cli, crawl: OpenContext): Promise<void> {
  const { stats } = await library();
  const numbers = await stats(crawl, { signal: cli.io.signal });
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
  return table(rows);
}

const OVER_LIMIT = 'A computed field was left out, because its page needs too much work.';

async function showPage(cli: Cli, crawl: OpenContext, url: string, fields: readonly PageField[]): Promise<void> {
  const { pageDump, readByStoredSite } = await library();
  const { reads, dump } = await pageDump(crawl.settings, fields);
  const row = await crawl.page(url, reads);
  if (row) {
    const isRead = fields.includes('markdown') || fields.includes('mainText');
    const content = isRead ? await readByStoredSite(crawl, row) : undefined;
    if (content) say(cli.io, `Main content: ${oneLine(contentText(content))}`);
    const page = dump(row, (name) => {
      if (name === 'field_over_limit') say(cli.io, OVER_LIMIT);
    });
    return write(cli.io.stdout, cli.options().json ? jsonLine(page) : prettyJson(page));
  }
  say(cli.io, `The table has no page ${url}`);
  cli.exitCode = EXIT.nothing;
}

async function showBody(cli: Cli, crawl: OpenContext, url: string, options: OutputOptions): Promise<void> {
  const row = await crawl.page(url, ['content', 'protocolStatus']);
  const body = row?.content;
  if (body === undefined) {
    const why = row ? `has no body of ${url}; its status is ${row.status ?? 'unknown'}` : `has no page ${url}`;
    say(cli.io, `The table ${why}`);
    cli.exitCode = EXIT.nothing;
    return;
  }
  if (options.output === undefined && cli.io.stdout.isTTY && !isPlainText(body)) {
    throw new CrawlError('USAGE', 'the body is not plain UTF-8, and cannot be shown on a terminal', {
      hint: 'write it to a file: --output <file>, or > <file>',
    });
  }
  await withOutput(cli, crawl, options, (put) => put(body));
  if (row?.protocolStatus?.truncated)
    say(cli.io, 'The body is incomplete: it was longer than http.contentLimit, or ended early.');
}

/** Whether a body is UTF-8 text without control characters for a terminal. */
function isPlainText(body: Uint8Array): boolean {
  return isUtf8(body) && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/.test(Buffer.from(body).toString());
}

/** Runs `export pages` on all selected rows. The output is standard output, or a file without a manifest. */
async function dump(cli: Cli, crawl: OpenContext, options: ReaddbOptions, selection: PageSelection): Promise<void> {
  const { limit, sort, each, type, format = 'jsonl', output, fields } = options;
  const { io } = cli;
  const { exportPages } = await library();
  // Escapes in JSON do not change the text that a reader gets. Escapes in CSV would change it.
  const isMadeSafe = format === 'jsonl' || (io.stdout.isTTY === true && output === undefined);
  let counters: Report['counters'] = {};
  await withOutput(cli, crawl, options, async (put) => {
    const report = await exportPages(crawl, {
      ...selection,
      ...defined({ limit, sort, each, type, fields }),
      format,
      all: true,
      output: '-',
      stdout: (data) => put(isMadeSafe ? safeLines(Buffer.from(data).toString(), Infinity) : data),
      signal: io.signal,
    });
    counters = report.counters;
    if (report.interrupted) cli.exitCode = EXIT.interrupted;
  });
  if (cli.options().quiet || cli.exitCode === EXIT.interrupted) return;
  const { rows = 0, formulas = 0 } = counters;
  if (output !== undefined) say(io, `${quantity(rows, 'page')} written to ${output}`);
  if (counters.field_over_limit) say(io, OVER_LIMIT);
  noteFormulas(io, formulas);
}
