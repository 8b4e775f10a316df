import { Option, type Command } from 'commander';
import type { HostFigures, HostsOptions } from '../../../packages/webcrawl/internal.js';
import { CrawlError, HOST_SORTS, STATUSES, defined } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { wholeNumber } from '../../options/arguments.js';
import { csvLines, noteFormulas } from '../../output/csv-lines.js';
import { hostsText } from '../../output/hosts-text.js';
import { jsonLine, lineWidth, number, say, write } from '../../output/output.js';
import { withOutput, type OutputOptions } from '../../output/with-output.js';

interface HostsArguments extends OutputOptions, Pick<HostsOptions, 'by' | 'host' | 'sort' | 'top'> {
  readonly format?: 'jsonl' | 'csv';
}

const USUAL_TOP = 20;

export function addHosts(program: Command, cli: Cli): void {
  program
    .command('hosts')
    .summary('show what the table knows of each host')
    .description(
      'Shows for each host its pages by status, failures by reason, robots.txt, the delay in force, the time of the last request, the time ' +
        'and size of responses, and the due pages. Exits with 1 when there is no host.',
    )
    .addOption(
      new Option(
        '--by <what>',
        'show a line for each host, or for each domain with all its hosts (default: host)',
      ).choices(['host', 'domain']),
    )
    .option('--host <host>', 'only this host; with --by domain, this domain')
    .addOption(
      new Option(
        '--sort <by>',
        'sort by this, highest first; host: order of the table (default: pages; JSON Lines, CSV: host)',
      ).choices(HOST_SORTS),
    )
    .option('--top <n>', `maximum number of hosts (default: ${USUAL_TOP}; JSON Lines, CSV: all)`, wholeNumber(1))
    .addOption(new Option('--format <format>', 'print JSON Lines or CSV instead of a table').choices(['jsonl', 'csv']))
    .option('--output <file>', 'write JSON Lines or CSV to this file; it appears under this name when it is complete')
    .option('--force', 'replace the file of --output if it already exists')
    .addHelpText('after', HELP)
    .action((options: HostsArguments) => showHosts(cli, options));
}

const HELP = `
It reads the table once, sends no requests, and may run during a crawl. Its memory does not grow with the
table. JSON Lines and CSV have all hosts, in the order of the table. With --sort other than
host, they have at most 10,000 hosts. --top without --sort sorts by pages.

On a narrow terminal the columns size, slowest, mean and requested are left out, in this order.

Failed: pages whose last fetch or parse failed. Mean and slowest: the last response times. Size: the bytes
of the last bodies. JSON Lines have more: errors by code, robots.txt, and the end and reason of a back-off.

Examples:
  webcrawl hosts
  webcrawl hosts --sort slowest --top 10
  webcrawl hosts --by domain --sort due
  webcrawl hosts --json \\
      | jq -r 'select(.inBackoff > 0) | .host + " " + .backoff.code'
  webcrawl hosts --format csv --output hosts.csv`;

async function showHosts(cli: Cli, options: HostsArguments): Promise<void> {
  const { io } = cli;
  const { json = false, quiet = false } = cli.options();
  const { by, host, sort, top, output, force } = options;
  const format = options.format ?? (json || output !== undefined ? 'jsonl' : undefined);
  if (format === 'csv' && json) throw new CrawlError('USAGE', '--format csv and --json cannot be combined');
  if (force && output === undefined) throw new CrawlError('USAGE', '--force needs --output');
  let more = 0;
  const shown = format ? top : (top ?? USUAL_TOP);
  await using crawl = await open(cli, { name: 'hosts' });
  const { hosts } = await library();
  const found = hosts(crawl, {
    ...defined({ by, host, sort, top: shown }),
    onMore: (n) => void (more = n),
    signal: io.signal,
  });
  let count = 0;
  try {
    if (format) count = await exportHosts(cli, crawl, format, defined({ output, force }), found);
    else {
      const rows: HostFigures[] = [];
      for await (const each of found) rows.push(each);
      count = rows.length;
      if (count > 0) await write(io.stdout, hostsText(rows, crawl.clock(), lineWidth(io)));
    }
  } catch (error) {
    if (!io.signal.aborted || error !== io.signal.reason) throw error;
    cli.exitCode = EXIT.interrupted;
    return;
  }
  if (count === 0) {
    say(io, 'The table has no such host.');
    cli.exitCode = EXIT.nothing;
  } else if (!quiet && output !== undefined) say(io, `Hosts written to ${output}: ${number(count)}`);
  if (more > 0 && !quiet) say(io, `Hosts that are not shown: ${number(more)}; --top <n> shows more.`);
}

async function exportHosts(
  cli: Cli,
  crawl: Parameters<typeof withOutput>[1],
  format: 'jsonl' | 'csv',
  output: OutputOptions,
  found: AsyncIterable<HostFigures>,
): Promise<number> {
  const { io } = cli;
  const csv = format === 'csv' ? csvLines(COLUMNS, io.stdout.isTTY === true && output.output === undefined) : undefined;
  let count = 0;
  await withOutput(cli, crawl, output, async (put) => {
    if (csv) await put(csv.head);
    for await (const each of found) {
      await put(csv ? csv.record(recordOf(each)) : jsonLine(each));
      count += 1;
    }
  });
  if (csv) noteFormulas(io, csv.formulas);
  return count;
}

const COLUMNS = [
  ...['host', 'hosts', 'pages', ...STATUSES, 'failed', 'errors', 'due', 'inBatches', 'refused', 'nextDueAt', 'bytes'],
  ...['responses', 'meanMs', 'slowestMs', 'lastRequestAt', 'delay', 'delayBy', 'robots', 'crawlDelay', 'inBackoff'],
  ...['backoffUntil', 'damaged'],
];

/** Returns one line of CSV. The errors are in one cell, as `not_found=2 timeout=1`. */
function recordOf(found: HostFigures): Record<string, unknown> {
  const { statuses, errors, delay, robots, backoff, ...plain } = found;
  const kinds = Object.entries(errors);
  return {
    ...plain,
    ...Object.fromEntries(STATUSES.map((status) => [status, statuses[status] ?? 0])),
    failed: kinds.reduce((sum, [, n]) => sum + n, 0),
    errors: kinds.map(([code, n]) => `${code}=${n}`).join(' '),
    delay: delay.seconds,
    delayBy: delay.by,
    robots: robots?.verdict,
    crawlDelay: robots?.crawlDelay,
    backoffUntil: found.inBackoff > 0 ? backoff?.until : undefined,
  };
}
