import { basename, dirname, extname, join } from 'node:path';
import { Option, type Command } from 'commander';
import type { AuditReport, AuditRule, OpenContext } from '../../packages/webcrawl/internal.js';
import {
  AUDIT_FORMATS,
  AUDIT_FORMAT_NAMES,
  CrawlError,
  auditFormatOf,
  defined,
  type AuditFormat,
} from '../../packages/webcrawl/names.js';
import { EXIT, type Cli } from '../cli.js';
import { library } from '../library.js';
import { eachGiven } from '../options/arguments.js';
import { safeLines, say } from './output.js';
import { table } from './table.js';
import { withOutput, type OutputOptions } from './with-output.js';

export interface AuditReportOptions extends OutputOptions {
  readonly format?: AuditFormat;
  readonly sources?: boolean;
  readonly map?: readonly string[];
  readonly failOn?: readonly string[];
  readonly allowPartial?: boolean;
}

export function addAuditReportOptions(command: Command): Command {
  return command
    .option('-o, --output <file>', 'write the report to this file; its extension decides the format')
    .option('--force', 'replace the file if it already exists')
    .addOption(new Option('--format <format>', 'format of the report').choices(AUDIT_FORMAT_NAMES))
    .option(
      '--sources',
      'write all links of each finding; csv, xlsx: a row for each link; json, ndjson: complete lists',
    )
    .option(
      '--map <url=folder>',
      'for sarif: report pages below this URL as files of this folder; may be given many times',
      eachGiven,
    )
    .option(
      '--fail-on <names>',
      'exit with 1 on findings of these rules, groups or severities, or on new findings',
      eachGiven,
    )
    .option('--allow-partial', 'let an audit pass even if it did not check all pages');
}

export const AUDIT_REPORT_HELP = `Formats:
${table(
  AUDIT_FORMAT_NAMES.map((name) => [name, AUDIT_FORMATS[name].endings.join(' '), AUDIT_FORMATS[name].use]),
  { indent: '  ' },
).trimEnd()}

--fail-on takes names, separated by commas: a rule or a group of rules; error, warn (errors too) or notice (all); new,
new:target (the target broke after the mark of --since) or new:link (the link was added after it), each for errors and
warnings. Links that are not verified never make an audit fail. Exit status 0: the audit passes. 1: a name of
--fail-on has findings, or not all pages were checked and --allow-partial is not given. One line on standard error
says why.`;

/** Writes the report of an audit. It prints on standard error why the audit passes or fails, and sets the exit status. */
export type WriteAuditReport = (crawl: Pick<OpenContext, 'tables'>, report: AuditReport) => Promise<void>;

/**
 * Checks the options and makes the writer. A wrong option and a missing package are found here, before the audit begins.
 * @param hasSince whether the audit compares with a mark or a time
 * @throws CrawlError USAGE, MISSING_PACKAGE
 */
export async function auditReportWriter(
  cli: Cli,
  options: AuditReportOptions,
  rules: readonly AuditRule[],
  hasSince: boolean,
): Promise<WriteAuditReport> {
  const { io } = cli;
  const { quiet } = cli.options();
  const format = formatOf(cli, options);
  const { output, failOn, allowPartial, sources, map } = options;
  const { auditOutput } = await library();
  const out = await auditOutput({ format, rules, hasSince, ...defined({ failOn, allowPartial, sources, map }) });
  return async (crawl, report) => {
    const file = output === '-' ? undefined : output;
    const isTerminal = file === undefined && io.stdout.isTTY === true;
    const target = { ...defined({ output: file }), force: options.force === true };
    const besideFile = file !== undefined && out.needsBeside(report.summary) ? besideName(file) : undefined;
    const { outcome, notes, head } = await withOutput(cli, crawl, target, (put) => {
      const putText = stoppable(cli, (piece) =>
        put(isTerminal && typeof piece === 'string' ? safeLines(piece, Infinity) : piece),
      );
      if (besideFile === undefined) return out.write(report, putText);
      // The second file gets its name first, so that a report never names a file that does not exist.
      const besideTarget = { output: join(dirname(file!), besideFile), force: target.force };
      return withOutput(cli, crawl, besideTarget, (putBeside) =>
        out.write(report, putText, { name: besideFile, put: stoppable(cli, putBeside) }),
      );
    });
    if (!quiet) for (const note of file === undefined && format === 'text' ? [] : [...head, ...notes]) say(io, note);
    if (outcome.reason !== undefined && (outcome.exitCode !== 0 || !quiet)) say(io, outcome.reason);
    if (cli.exitCode === EXIT.done && outcome.exitCode !== 0) cli.exitCode = EXIT.nothing;
  };
}

type Put = (piece: string | Uint8Array) => Promise<void>;

/** Makes a function that writes until the user stops the command. Then it throws the reason, and the file of the report gets no name. */
function stoppable({ io }: Cli, put: Put): Put {
  return (piece) => {
    io.signal.throwIfAborted();
    return put(piece);
  };
}

/** Returns the name of the second file of a report, which has the sources: `report-sources.csv` for `report.html`. */
function besideName(file: string): string {
  return `${basename(file, extname(file))}-sources.csv`;
}

function formatOf(cli: Cli, { format, output, sources, map }: AuditReportOptions): AuditFormat {
  const { json } = cli.options();
  if (json && format !== undefined && format !== 'json') {
    throw new CrawlError('USAGE', `--format ${format} and --json cannot be combined`);
  }
  const named = output === undefined || output === '-' ? undefined : auditFormatOf(output);
  if (output !== undefined && output !== '-' && named === undefined && format === undefined && !json) {
    throw new CrawlError('USAGE', `the extension of ${output} names no format`, {
      hint: `extensions are ${AUDIT_FORMAT_NAMES.flatMap((name) => AUDIT_FORMATS[name].endings).join(', ')}; or give --format`,
    });
  }
  const chosen = format ?? (json ? 'json' : (named ?? 'text'));
  if (sources && !['csv', 'xlsx', 'json', 'ndjson'].includes(chosen)) {
    throw new CrawlError('USAGE', `--sources and --format ${chosen} cannot be combined`, {
      hint: '--sources needs --format csv, xlsx, json or ndjson',
    });
  }
  if (map && chosen !== 'sarif')
    throw new CrawlError('USAGE', `--map and --format ${chosen} cannot be combined`, {
      hint: '--map needs --format sarif',
    });
  return chosen;
}
