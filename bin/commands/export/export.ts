import { InvalidArgumentError, type Command } from 'commander';
import { CrawlError, defined } from '../../../packages/webcrawl/names.js';
import { EXIT, runJob, type Cli } from '../../cli.js';
import { wholeNumber } from '../../options/arguments.js';
import { momentOrMark } from '../../options/moment.js';
import {
  SELECTION_HELP,
  addSelection,
  noteUnknownCodes,
  selectionOf,
  type SelectionOptions,
} from '../../options/selection.js';
import { noteFormulas } from '../../output/csv-lines.js';
import { number, safeLines, say, write } from '../../output/output.js';
import { FORCE_HELP, OUTPUT_HELP, type CommonExportOptions, type ExportFormat } from './format.js';
import { chunksFormat } from './chunks.js';
import { krakeFormat } from './krake.js';
import { pagesFormat } from './pages.js';
import { waczFormat, warcFormat } from './archive.js';

const FORMATS: readonly ExportFormat[] = [pagesFormat, chunksFormat, warcFormat, waczFormat, krakeFormat];

interface Common
  extends SelectionOptions, Pick<CommonExportOptions, 'output' | 'force' | 'since' | 'bytes' | 'limit'> {}

export function addExport(program: Command, cli: Cli): void {
  const command = program
    .command('export')
    .summary('write pages as CSV, Parquet, Markdown or WARC')
    .description('Writes the data of the table into files that other programs read.')
    .addHelpText('after', `\n${TARGET_HELP}\n\nExamples:\n${FORMATS.map(({ help }) => firstExample(help)).join('\n')}`);
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
    .option('--limit <n>', 'maximum number of pages', wholeNumber(1))
    .option(
      '--since <batch|time|mark>',
      'only pages that are new, changed or gone since this batch, time or mark',
      batchOrMoment,
    )
    .option('--bytes', 'with --since: also pages whose bytes alone have changed');
  addSelection(command)
    .addHelpText('after', `\n${SELECTION_HELP}\n\n${TARGET_HELP}\n\n${format.help}`)
    .action((options: Common) => runFormat(cli, format, options));
}

const TARGET_HELP = `The target appears only when it is complete, with a manifest: the selection, the time, and rows, bytes and SHA-256
of each file. You may stop or kill the export at any moment: the same command then starts again, and removes the
unfinished files. docs/EXPORT.md has the formats, and shows how to read them in other programs.

s3://bucket/name is a target in S3, or in a compatible store (AWS_ENDPOINT_URL_S3 is its address). It needs the
packages @aws-sdk/client-s3 and @aws-sdk/lib-storage, and disk space in TMPDIR for the whole export. The export
is uploaded when it is complete, the manifest last. Keys and region are set as for the AWS tools.`;

async function runFormat(cli: Cli, { name, run, isText }: ExportFormat, options: Common): Promise<void> {
  const { output, force, since, bytes, limit } = options;
  if (bytes && since === undefined) throw new CrawlError('USAGE', '--bytes needs --since');
  const { io } = cli;
  const { json, quiet } = cli.options();
  const toStdout = output === '-';
  if (toStdout && json) throw new CrawlError('USAGE', '-o - and --json cannot be combined');
  if (toStdout && io.stdout.isTTY && !isText(options)) {
    throw new CrawlError('USAGE', 'a binary format cannot be written to a terminal', {
      hint: 'name a file: -o <path>, or > <path>',
    });
  }
  const selection = selectionOf(options);
  noteUnknownCodes(cli, options);
  let isLogged = true;
  const stdout = (data: Uint8Array): Promise<void> =>
    write(io.stdout, io.stdout.isTTY ? safeLines(Buffer.from(data).toString(), Infinity) : data);
  const { counters, interrupted } = await runJob(
    cli,
    `export ${name}`,
    (crawl, job) => {
      isLogged = crawl.settings.db.changesKeptDays > 0;
      const common = {
        ...selection,
        ...job,
        output,
        ...(toStdout && { stdout }),
        ...defined({ force, since, bytes, limit }),
      };
      return run(crawl, common, options);
    },
    { alone: false },
  );
  if (interrupted) return;
  const { rows = 0, formulas = 0, selected = 0, lost_body: lost = 0 } = counters;
  const { cut_cells: cut = 0 } = counters;
  const { bytes_only: bytesOnly = 0, not_there: notThere = 0, noindex = 0, duplicate = 0 } = counters;
  // Only pages with bodies are selected here, but no selected page has a body.
  const made = counters.chunks ?? counters.pages ?? rows - lost;
  if (lost > 0 && made <= 0) cli.exitCode = EXIT.nothing;
  if (quiet) return;
  if (counters.restarted) say(io, 'An export to this target was interrupted: this one began again.');
  if (since !== undefined && !isLogged) {
    say(io, 'Changes are not logged (db.changesKeptDays is 0): a page counts as changed if its bytes have changed.');
  }
  if (bytesOnly > 0) say(io, `Left out, because only bytes have changed (--bytes includes them): ${number(bytesOnly)}`);
  if (rows === 0) {
    say(io, `No page is selected${selected > 0 ? ' that has a body' : ''}: the export has no rows.`);
    const leftOut = notThere + noindex + duplicate;
    if (leftOut > 0) say(io, `Left out (--all includes them): ${number(leftOut)}`);
  }
  if (lost > 0) say(io, `Pages whose bodies are no longer in the table: ${number(lost)}`);
  if (cut > 0) say(io, `Cells that were cut at the limit of 32,767 characters: ${number(cut)}`);
  noteFormulas(io, formulas);
}

/** Parses a batch id or the name of a mark, which are returned as text, or a moment. */
function batchOrMoment(text: string): string | number {
  if (/^\d{1,11}-\d{1,10}$/.test(text)) return text;
  try {
    return momentOrMark(text);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(`${error.message}, and not the id of a batch, such as 1767607200-123456`);
  }
}

function firstExample(help: string): string {
  return /^ {2}webcrawl .*$/m.exec(help)?.[0] ?? '';
}
