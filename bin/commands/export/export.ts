import { InvalidArgumentError, type Command } from 'commander';
import { CrawlError } from '../../../packages/webcrawl/names.js';
import { EXIT, runJob, type Cli } from '../../cli.js';
import { wholeNumber } from '../../options/arguments.js';
import { pastMoment } from '../../options/moment.js';
import {
  SELECTION_HELP,
  addSelection,
  noteUnknownCodes,
  selectionOf,
  type SelectionOptions,
} from '../../options/selection.js';
import { addShardOption, overShards, type ShardRun } from '../../options/shard-option.js';
import { number, safeLines, say, write } from '../../output/output.js';
import { FORCE_HELP, OUTPUT_HELP, type ExportFormat } from './format.js';
import { chunksFormat } from './chunks.js';
import { krakeFormat } from './krake.js';
import { pagesFormat } from './pages.js';
import { waczFormat, warcFormat } from './archive.js';

/** What can be exported. A new format is a file beside this one, and a line here. */
const FORMATS: readonly ExportFormat[] = [pagesFormat, chunksFormat, warcFormat, waczFormat, krakeFormat];

interface Common extends SelectionOptions {
  readonly output: string;
  readonly force?: boolean;
  readonly since?: string | number;
  readonly limit?: number;
  readonly shard?: string;
}

/** `export pages` and others: writes what the table holds into files that other programs read. */
export function addExport(program: Command, cli: Cli): void {
  const command = program
    .command('export')
    .summary('write pages for other programs: JSON Lines, CSV, Parquet, WARC, WACZ and others')
    .description('Writes what the table holds into files that other programs read.')
    .addHelpText('after', `\n${COMMON_HELP}\n\nExamples:\n${FORMATS.map(({ help }) => firstExample(help)).join('\n')}`);
  for (const format of FORMATS) addFormat(command, cli, format);
}

function addFormat(parent: Command, cli: Cli, format: ExportFormat): void {
  const command = parent
    .command(format.name)
    .summary(format.summary)
    .description(format.description)
    .requiredOption('-o, --output <path>', OUTPUT_HELP);
  format
    .addOptions(command)
    .option('--force', FORCE_HELP)
    .option('--limit <n>', 'pages at the most', wholeNumber(1))
    .option('--since <batch|time>', 'what was fetched or updated in this batch, or then, or later', batchOrMoment);
  addShardOption(addSelection(command), 'pages')
    .addHelpText('after', `\n${SELECTION_HELP}\n\n${COMMON_HELP}\n\n${format.help}`)
    .action((options: Common) => runFormat(cli, format, options));
}

const COMMON_HELP = `All is written beside the target and gets its name when it is whole, with a manifest: rows, bytes and
SHA-256 of each file, selection, time. It can be stopped or killed at any moment: the same command
goes on, and keeps what was whole. (A duration such as --since 2d counts from now, so it names another
moment then, and the export begins anew.) The formats, and the lines that read them in other
programs, are in docs/EXPORT.md.

s3://bucket/name is a place in S3, or in a store of its kind (AWS_ENDPOINT_URL_S3 says where that is). It
takes the packages @aws-sdk/client-s3 and @aws-sdk/lib-storage, and room in TMPDIR for the whole export,
which is uploaded when it is made, the manifest last. Keys and region are those of the AWS tools.

With --shard i/n many workers export a table together, each the pages between two keys, into a file or
folder of its own with its own manifest: -o pages.jsonl.gz makes pages-00002-of-00006.jsonl.gz, and
-o pages/ makes pages/part-00002-of-00006.jsonl. In the order of their names they are the whole export.
One that is run again replaces only its own part. auto and - are as of webcrawl fetch --help. --limit
does not go with it, and WACZ and Krake are made as a whole.`;

async function runFormat(cli: Cli, format: ExportFormat, options: Common): Promise<void> {
  await overShards(cli, options.shard, (part) => runPart(cli, format, options, part));
}

async function runPart(cli: Cli, { name, run, isText }: ExportFormat, options: Common, part: ShardRun): Promise<void> {
  const { output, force, since, limit } = options;
  const { io } = cli;
  const { json, quiet } = cli.options();
  const toStdout = output === '-';
  if (toStdout && json) throw new CrawlError('USAGE', 'expected one of -o - and --json, found both');
  if (toStdout && io.stdout.isTTY && !isText(options)) {
    throw new CrawlError('USAGE', 'expected text to show on a terminal, found a format of other bytes', {
      hint: 'name a file: -o <path>, or > <path>',
    });
  }
  const selection = selectionOf(options);
  noteUnknownCodes(cli, options);
  const stdout = (data: Uint8Array): Promise<void> =>
    write(io.stdout, io.stdout.isTTY ? safeLines(Buffer.from(data).toString(), Infinity) : data);
  const { counters, interrupted } = await runJob(
    cli,
    `export ${name}`,
    (crawl, job) => {
      const common = {
        ...selection,
        ...job,
        output,
        ...(toStdout && { stdout }),
        ...(force && { force }),
        ...(since !== undefined && { since }),
        ...(limit !== undefined && { limit }),
      };
      return run(crawl, common, options);
    },
    { alone: false, ...part },
  );
  if (interrupted) return;
  const { rows = 0, kept_rows: kept = 0, formulas = 0, selected = 0, lost_body: lost = 0 } = counters;
  // What is asked for are the bodies, and there is none.
  const made = counters.chunks ?? counters.pages ?? rows - lost;
  if (lost > 0 && made <= 0 && !part.shard) cli.exitCode = EXIT.nothing;
  if (quiet) return;
  if (rows === 0) {
    say(io, `No page is selected${selected > 0 ? ' that has a body' : ''}: the export has no rows.`);
  }
  if (lost > 0) say(io, `Pages whose bodies are no longer in the table: ${number(lost)}`);
  if (kept > 0) say(io, `Of these, ${number(kept)} rows were kept of an earlier run that was ended.`);
  if (formulas > 0) {
    say(
      io,
      `Cells that a spreadsheet may take for a formula (they begin with =, +, -, @ or a tab): ${number(formulas)}`,
    );
  }
}

/** The id of a batch as it stands, or a moment. */
function batchOrMoment(text: string): string | number {
  if (/^\d{1,11}-\d{1,10}$/.test(text)) return text;
  try {
    return pastMoment(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(
      `${error.message} Or the id of a batch, which generate prints, such as 1767607200-123456.`,
    );
  }
}

function firstExample(help: string): string {
  return /^ {2}webcrawl .*$/m.exec(help)?.[0] ?? '';
}
