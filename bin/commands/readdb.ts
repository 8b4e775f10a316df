import { Option, type Command } from 'commander';
import {
  STATUSES,
  CrawlError,
  DUMP_FIELDS,
  dumpPage,
  stats,
  type Crawl,
  type Field,
  type Status,
  type TableStats,
} from '../../packages/webcrawl/index.js';
import { listOf } from '../arguments.js';
import { EXIT, open, type Cli } from '../cli.js';
import { jsonLine, number, prettyJson, safeLines, say, table, write } from '../output.js';

interface ReaddbOptions {
  readonly stats?: boolean;
  readonly url?: string;
  readonly dump?: boolean;
  readonly host?: string;
  readonly domain?: string;
  readonly prefix?: string;
  readonly status?: Status;
  readonly fields?: readonly Field[];
}

/** The fields that are shown only when named. */
const FURTHER_FIELDS = [
  'modifiedTime',
  'cash',
  'parseStatus',
  'language',
  'pageMetadata',
  'custom',
  'headers',
  'content',
] as const satisfies readonly Field[];

/** `readdb`: numbers, one page, or a dump of pages. */
export function addReaddb(program: Command, cli: Cli): void {
  program
    .command('readdb')
    .summary('look into the table')
    .description('Looks into the table. Exactly one of --stats, --url and --dump is to be given.')
    .option('--stats', 'count the pages by status')
    .option('--url <url>', 'show one page; exits with 1 when the table has no such page')
    .option('--dump', 'print pages as JSON Lines, in the order of the table')
    .option('--host <host>', 'dump: pages of this host')
    .option('--domain <domain>', 'dump: pages of this domain and its sub-domains')
    .option('--prefix <url>', 'dump: pages whose URL begins so')
    .addOption(new Option('--status <status>', 'dump: pages of this status').choices(STATUSES))
    .option(
      '--fields <names>',
      'only these fields, by commas; key and url are always there',
      listOf<Field>([...DUMP_FIELDS, ...FURTHER_FIELDS]),
    )
    .addHelpText(
      'after',
      `
Fields: ${DUMP_FIELDS.slice(0, 8).join(', ')},
  ${DUMP_FIELDS.slice(8).join(', ')};
  and where named: ${FURTHER_FIELDS.join(', ')}.

Examples:
  webcrawl readdb --stats
  webcrawl readdb --url https://example.com/
  webcrawl readdb --dump --host example.com --status fetched --fields title,fetchTime
  webcrawl readdb --dump --fields outlinks | jq -r '.outlinks[]?.url'`,
    )
    .action(async (options: ReaddbOptions) => {
      check(options);
      await using crawl = await open(cli);
      if (options.stats) await showStats(cli, crawl);
      else if (options.url !== undefined) await showPage(cli, crawl, options.url, options.fields ?? DUMP_FIELDS);
      else await dump(cli, crawl, options);
    });
}

function check({ stats, url, dump, host, domain, prefix, status, fields }: ReaddbOptions): void {
  if ([stats, url !== undefined, dump].filter(Boolean).length !== 1) {
    throw new CrawlError('USAGE', 'expected exactly one of --stats, --url and --dump');
  }
  const ranges = [host, domain, prefix].filter((range) => range !== undefined);
  if (ranges.length > 1) throw new CrawlError('USAGE', 'expected at most one of --host, --domain and --prefix');
  if (!dump && (ranges.length > 0 || status !== undefined)) {
    throw new CrawlError('USAGE', '--host, --domain, --prefix and --status go with --dump');
  }
  if (stats && fields) throw new CrawlError('USAGE', '--fields goes with --url and --dump');
}

async function showStats(cli: Cli, crawl: Crawl): Promise<void> {
  const numbers = await stats(crawl);
  await write(cli.io.stdout, cli.options().json ? jsonLine(numbers) : statsForPeople(numbers));
}

function statsForPeople({ total, statuses, retries, score, damaged, batches }: TableStats): string {
  const rows = [
    ['pages', number(total)],
    ...Object.entries(statuses).map(([status, count]) => [`  ${status}`, number(count)]),
    ...Object.entries(retries).flatMap(([times, count]) =>
      times === '0' ? [] : [[`failed ${times} times in a row`, number(count)]],
    ),
    ...(damaged > 0 ? [['damaged', number(damaged)]] : []),
    ...(score ? [['score', `${number(score.min, 6)} to ${number(score.max, 6)}, mean ${number(score.avg, 6)}`]] : []),
    ['open batches', number(batches.length)],
    ...batches.map(({ batchId, state, size }) => [`  ${batchId}`, `${state}, ${number(size)} pages`]),
  ];
  return `${safeLines(table(rows).trimEnd())}\n`;
}

async function showPage(cli: Cli, crawl: Crawl, url: string, fields: readonly Field[]): Promise<void> {
  const row = await crawl.page(url, fields);
  if (row) {
    const page = dumpPage(row, fields);
    return write(cli.io.stdout, cli.options().json ? jsonLine(page) : prettyJson(page));
  }
  say(cli.io, `The table has no page ${url}`);
  cli.exitCode = EXIT.nothing;
}

async function dump(cli: Cli, crawl: Crawl, options: ReaddbOptions): Promise<void> {
  const { host, domain, prefix, status, fields = DUMP_FIELDS } = options;
  const { io } = cli;
  const selection = {
    ...(host !== undefined && { host }),
    ...(domain !== undefined && { domain }),
    ...(prefix !== undefined && { prefix }),
    ...(status !== undefined && { status }),
  };
  for await (const row of crawl.pages({ ...selection, fields })) {
    if (io.signal.aborted) {
      cli.exitCode = EXIT.interrupted;
      return;
    }
    await write(io.stdout, jsonLine(dumpPage(row, fields)));
  }
}
