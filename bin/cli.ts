import type { Checks, Crawl, JobOptions, Report, Shard } from '../packages/webcrawl/index.js';
import { DEFAULT_TABLE } from '../packages/webcrawl/names.js';
import { library, type Library } from './library.js';
import type { Io } from './io.js';
import { duration, jsonLine, number, quantity, safeLines, say, table, write } from './output/output.js';
import { progressDisplay, progressLine, type ProgressDisplay } from './output/progress.js';
import { reporterCounters, reporterStatus, type ShardRun } from './options/shard-option.js';

/**
 * Exit status when all went well, when there was nothing to do or show or a check said no, when a scheduler is to try again, and when it
 * was asked to stop.
 */
export const EXIT = { done: 0, nothing: 1, tryAgain: 75, interrupted: 130 } as const;

/** The options that every verb takes, before or after its name. */
export interface GlobalOptions {
  readonly table?: string;
  /** Seconds. */
  readonly wait?: number;
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
export async function openWithoutTable(cli: Cli): Promise<Checks> {
  const { config, set } = cli.options();
  const { openChecks } = await library();
  return openChecks({ env: cli.io.env, ...(config !== undefined && { config }), ...(set && { settings: set }) });
}

/** How a verb opens the table. */
export interface OpenOptions {
  /** What other processes see as the user of the table. */
  readonly name: string;
  /** Make a table that is not there. */
  readonly create?: boolean;
  /** No other process may have the table open. */
  readonly alone?: boolean;
  /** Give the table to a process that needs it alone. */
  readonly yields?: boolean;
  /** Settings of the verb's own options, by dotted key; they win over `--set`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Opens the table with the settings in force; one that is not there is made only where that is asked for. */
export async function open(cli: Cli, { create = false, settings = {}, ...how }: OpenOptions): Promise<Crawl> {
  const { io } = cli;
  const { config, set, verbose, quiet, wait } = cli.options();
  const table = tableLocation(cli);
  if (verbose) say(io, `table ${table}${config === undefined ? '' : `, settings of ${config}`}`);
  const { openCrawl } = await library();
  const crawl = await openCrawl({
    ...how,
    table,
    create,
    env: io.env,
    signal: io.signal,
    ...(wait === undefined ? {} : { wait }),
    ...(config === undefined ? {} : { config }),
    ...(set || Object.keys(settings).length > 0 ? { settings: { ...set, ...settings } } : {}),
    onWait(holder) {
      const who = holder ? `process ${holder.pid} (${holder.name}) has open` : 'another process has open';
      if (!quiet) say(io, `Waiting for the table, which ${who}.`);
    },
  });
  const { holder, notServed } = crawl;
  if (verbose && holder) say(io, `the table is open in process ${holder.pid} (${holder.name}), and is read through it`);
  if (verbose && notServed !== undefined) say(io, `other processes cannot use the table meanwhile: ${notServed}`);
  return crawl;
}

/** How a verb runs its job. */
export interface JobRun extends Omit<OpenOptions, 'name'>, ShardRun {
  /** What is written to standard output instead of nothing; with `--json` the report itself does. */
  readonly data?: (report: Report) => string | undefined;
}

/** Runs a job, shows how it gets on, closes the table, and then reports. */
export async function runJob<R extends Report = Report>(
  cli: Cli,
  name: string,
  start: (crawl: Crawl, options: JobOptions & { readonly shard?: Shard }, library: Library) => Promise<R>,
  { data, create = false, alone = true, settings = {}, shard, isStreaming }: JobRun = {},
): Promise<R> {
  const { io } = cli;
  const { json, quiet } = cli.options();
  const part: ShardRun = { ...(shard && { shard }), ...(isStreaming && { isStreaming }) };
  const display = isStreaming ? reporterDisplay(io, part) : quiet ? undefined : progressDisplay(io.stderr);
  let report: R;
  let proxy: string;
  {
    await using crawl = await open(cli, { name, create, alone, settings });
    proxy = crawl.settings.http.proxy;
    try {
      report = await start(
        crawl,
        {
          signal: io.signal,
          ...(shard && { shard }),
          ...(display && { onProgress: (p) => display.show(p) }),
        },
        await library(),
      );
    } finally {
      display?.end();
    }
  }
  const text = json ? jsonLine(report) : data?.(report);
  if (text !== undefined) await write(io.stdout, json ? text : `${safeLines(text)}\n`);
  if (isStreaming) io.stderr.write(reporterCounters(report.job, report.counters));
  else if (!json && !quiet) io.stderr.write(summary(report));
  if (!quiet) for (const note of notes(report, proxy)) say(io, note);
  // Other shards may have taken some.
  if (takesSeeds(report) && !tookSeeds(report) && !shard) cli.exitCode = EXIT.nothing;
  if (report.interrupted) {
    const next = BEGIN_ANEW.has(report.job) && !shard ? 'begins anew' : 'goes on from here';
    if (!quiet) say(io, `Stopped as asked. The same command ${next}.`);
    cli.exitCode = shard ? EXIT.tryAgain : EXIT.interrupted;
  }
  return report;
}

/** Milliseconds between two lines of progress for a scheduler. */
const REPORT_EVERY = 5000;

function reporterDisplay({ stderr }: Io, part: ShardRun): ProgressDisplay {
  let last = -Infinity;
  return {
    show(progress) {
      if (performance.now() - last < REPORT_EVERY) return;
      last = performance.now();
      stderr.write(reporterStatus(part, progressLine(progress)));
    },
    end() {},
  };
}

/** Jobs that keep nothing of a run that was stopped. */
const BEGIN_ANEW: ReadonlySet<string> = new Set(['graph', 'rank', 'dedup']);

/** What people should know of a report besides its numbers. */
function notes({ job, batchId = '', counters, interrupted }: Report, proxy: string): string[] {
  const found: string[] = [];
  if (counters.batch_closed) found.push(`Batch ${batchId} is closed: there is nothing left to do in it.`);
  if (job === 'updatedb' && counters.not_parsed) {
    found.push(
      `Fetched and not parsed: ${quantity(counters.not_parsed, 'page')}. The links there are not known until the next fetch. ` +
        'Run parse before updatedb, or fetch with --parse.',
    );
  }
  if (counters.seeds_denied) {
    found.push(
      `Refused with 401 or 403: ${quantity(counters.seeds_denied, 'seed')}. Where a site wants a password, set http.credentials and ` +
        'name the seed again on the command line.',
    );
  }
  if (counters.time_limit && !interrupted) {
    found.push('The time is over. What is left stays due; the same command goes on from here.');
  }
  if (counters.proxy) {
    found.push(
      // Without the password that may be in it.
      `The proxy${proxy === '' ? '' : ` at ${new URL(proxy).host}`} could not be used for ${quantity(counters.proxy, 'page')}. ` +
        'What was not fetched stays due: see http.proxy, and run the same again.',
    );
  }
  if (counters.held && job === 'remove') {
    found.push(
      `A batch under way holds ${quantity(counters.held, 'page')} of these: run updatedb on it, and then this again.`,
    );
  }
  if (counters.host_backoff || counters.generate_host_backoff) {
    found.push(
      'Hosts that failed or asked for it are left alone for now, and their pages stay due; webcrawl explain <url> says until when.',
    );
  } else if (job === 'crawl' && !counters.rounds && !counters.fetched && !interrupted && tookSeeds({ counters })) {
    found.push('Nothing is due; webcrawl explain <url> says when a page is.');
  }
  if (takesSeeds({ job }) && !tookSeeds({ counters })) found.push('No seed was taken.');
  return found;
}

function takesSeeds({ job }: Pick<Report, 'job'>): boolean {
  return job === 'inject' || job === 'crawl';
}

function tookSeeds({ counters }: Pick<Report, 'counters'>): boolean {
  return ['injected', 'known', 'updated', 'held'].some((reason) => counters[reason]);
}

/** What a job did, for people. */
export function summary({ job, batchId, seconds, counters }: Report): string {
  const head = safeLines(`${job}${batchId === undefined ? '' : ` ${batchId}`}: ${duration(seconds)}`);
  const rows = Object.entries(counters).map(([reason, count]) => [safeLines(reason), number(count)]);
  return `${head}\n${table(rows, '  ')}`;
}
