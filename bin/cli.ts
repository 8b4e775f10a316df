import {
  openChecks,
  openCrawl,
  type Checks,
  type Crawl,
  type JobOptions,
  type Report,
} from '../packages/webcrawl/index.js';
import type { Io } from './io.js';
import { duration, jsonLine, number, safeLines, say, table, write } from './output.js';
import { progressDisplay } from './progress.js';

/** Where the table is when nothing else is said. */
export const DEFAULT_TABLE = 'level:./webcrawl-data';

/** Exit status when all went well, when there was nothing to do or show or a check said no, and when it was asked to stop. */
export const EXIT = { done: 0, nothing: 1, interrupted: 130 } as const;

/** The options that every verb takes, before or after its name. */
export interface GlobalOptions {
  readonly table?: string;
  readonly config?: string;
  /** By dotted key. */
  readonly set?: Readonly<Record<string, string>>;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** What a verb works with. */
export interface Cli {
  readonly io: Io;
  /** The global options, once the arguments are read. */
  readonly options: () => GlobalOptions;
  /** The exit status so far. */
  exitCode: number;
}

/** The place of the table: `--table`, else `WEBCRAWL_TABLE`, else the default. */
export function tableLocation({ io, options }: Cli): string {
  return options().table ?? (io.env.WEBCRAWL_TABLE || DEFAULT_TABLE);
}

/** The settings and plugins in force, without a table. */
export function openWithoutTable(cli: Cli): Promise<Checks> {
  const { config, set } = cli.options();
  return openChecks({ env: cli.io.env, ...(config !== undefined && { config }), ...(set && { settings: set }) });
}

/** Opens the table with the settings in force. */
export async function open(cli: Cli): Promise<Crawl> {
  const { config, set, verbose } = cli.options();
  const table = tableLocation(cli);
  if (verbose) say(cli.io, `table ${table}${config === undefined ? '' : `, settings of ${config}`}`);
  return openCrawl({
    table,
    env: cli.io.env,
    ...(config === undefined ? {} : { config }),
    ...(set ? { settings: set } : {}),
  });
}

/**
 * Runs a job, shows how it gets on, closes the table, and then reports. `data` turns the report into what stands on
 * standard output; with `--json` the report itself does.
 */
export async function runJob(
  cli: Cli,
  start: (crawl: Crawl, options: JobOptions) => Promise<Report>,
  data?: (report: Report) => string | undefined,
): Promise<Report> {
  const { io } = cli;
  const { json, quiet } = cli.options();
  const display = quiet ? undefined : progressDisplay(io.stderr);
  let report: Report;
  {
    await using crawl = await open(cli);
    try {
      report = await start(crawl, { signal: io.signal, ...(display && { onProgress: (p) => display.show(p) }) });
    } finally {
      display?.end();
    }
  }
  const text = json ? jsonLine(report) : data?.(report);
  if (text !== undefined) await write(io.stdout, json ? text : `${safeLines(text)}\n`);
  if (!json && !quiet) io.stderr.write(summary(report));
  if (report.interrupted) {
    if (!quiet) say(io, 'Stopped as asked. The same command goes on from here.');
    cli.exitCode = EXIT.interrupted;
  }
  return report;
}

/** What a job did, for people. */
export function summary({ job, batchId, seconds, counters }: Report): string {
  const head = safeLines(`${job}${batchId === undefined ? '' : ` ${batchId}`}: ${duration(seconds)}`);
  const rows = Object.entries(counters).map(([reason, count]) => [safeLines(reason), number(count)]);
  return `${head}\n${table(rows, '  ')}`;
}
