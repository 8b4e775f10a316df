import type {
  OpenCheckContext,
  OpenContext,
  TableOwner,
  JobOptions,
  Report,
  Shard,
} from '../packages/webcrawl/internal.js';
import { DEFAULT_TABLE, areAllRefused, defined } from '../packages/webcrawl/names.js';
import { library, type Library } from './library.js';
import type { Io } from './io.js';
import { duration, jsonLine, number, quantity, safeLines, say, write } from './output/output.js';
import { table } from './output/table.js';
import { afterCrawl, crawlSummary } from './output/crawl-end.js';
import { sectionNote } from './output/section-note.js';
import { withProgress } from './output/progress.js';

/**
 * Exit status. `done`: no errors. `nothing`: there was nothing to do or show, or a check failed. `tryAgain`: a scheduler should run the
 * command again. `interrupted`: the user stopped the command.
 */
export const EXIT = { done: 0, nothing: 1, tryAgain: 75, interrupted: 130 } as const;

export interface GlobalOptions {
  readonly table?: string;
  /** In seconds. */
  readonly wait?: number;
  readonly config?: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

export interface Cli {
  readonly io: Io;
  /** Returns the global options. Call it after the arguments were parsed. */
  readonly options: () => GlobalOptions;
  exitCode: number;
}

export function tableLocation({ io, options }: Cli): string {
  return options().table ?? (io.env.WEBCRAWL_TABLE || DEFAULT_TABLE);
}

/**
 * The settings and plugins in force, without a table.
 * @param settings settings that take precedence over `--set`, by dotted key
 */
export async function openWithoutTable(
  cli: Cli,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<OpenCheckContext> {
  const { config, set } = cli.options();
  const { openCheckContext } = await library();
  return openCheckContext({ env: cli.io.env, ...defined({ config }), settings: { ...set, ...settings } });
}

interface OpenOptions {
  /** Name of this user of the table, as other processes see it. */
  readonly name: string;
  readonly create?: boolean;
  /** The table must not be open in another process. */
  readonly alone?: boolean;
  /** Yield the table to a process that needs exclusive access. */
  readonly yields?: boolean;
  readonly migrates?: boolean;
  /** The packages of the search index are needed. */
  readonly indexes?: boolean | undefined;
  /** Settings that follow from the options of the verb, by dotted key. They take precedence over `--set`. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

export async function open(
  cli: Cli,
  { create = false, settings = {}, migrates = false, indexes = false, ...how }: OpenOptions,
): Promise<OpenContext> {
  const { io } = cli;
  const { config, set, verbose, wait } = cli.options();
  const table = tableLocation(cli);
  if (verbose) say(io, `table ${table}${config === undefined ? '' : `, settings of ${config}`}`);
  const { openContext } = await library();
  const crawl = await openContext(
    {
      ...how,
      table,
      create,
      env: io.env,
      signal: io.signal,
      ...defined({ waitSeconds: wait, config }),
      settings: { ...set, ...settings },
      onWait: sayWaiting(cli),
    },
    { migrates, indexes },
  );
  const { owner, notServed } = crawl;
  if (verbose && owner)
    say(io, `the table is open in process ${owner.pid} (${owner.name}); this command reads through that process`);
  if (verbose && notServed !== undefined)
    say(io, `other processes cannot use the table while this command runs: ${notServed}`);
  return crawl;
}

export function sayWaiting({ io, options }: Cli): (owner: TableOwner | undefined) => void {
  return (owner) => {
    const who = owner ? `process ${owner.pid} (${owner.name}) has open` : 'another process has open';
    if (!options().quiet) say(io, `Waiting for the table, which ${who}.`);
  };
}

interface JobRun extends Omit<OpenOptions, 'name'> {
  /** Absent: the job works on the whole table. */
  readonly shard?: Shard | undefined;
  /** Show no progress, because standard error is used for a log. */
  readonly isSilent?: boolean;
  /** Returns the text for standard output. Absent: there is no such text. With `--json` the report is printed instead. */
  readonly data?: (report: Report) => string | undefined;
  readonly saysNext?: boolean;
}

/**
 * If most pages of a run are in one section, the section is reported while the job still runs, but not before the run has this number of
 * pages.
 */
const MIN_PAGES_OF_LARGE_SECTION = 1000;

/** Runs a job, shows its progress, closes the table, and then reports. */
export async function runJob<R extends Report = Report>(
  cli: Cli,
  name: string,
  start: (crawl: OpenContext, options: JobOptions & { readonly shard?: Shard }, library: Library) => Promise<R>,
  { data, alone = true, shard, isSilent = false, saysNext = false, ...opening }: JobRun = {},
): Promise<R> {
  const { io } = cli;
  const { json, quiet, verbose } = cli.options();
  let report: R;
  let saidSection = false;
  let proxy: string;
  {
    await using crawl = await open(cli, { ...opening, name, alone });
    proxy = crawl.settings.http.proxy;
    const loaded = await library();
    report = await withProgress(
      cli,
      quiet === true || isSilent,
      (job) => start(crawl, { ...job, ...(shard && { shard }) }, loaded),
      ({ fetching }) => {
        const large = fetching?.largeSection;
        // The section is reported now, while the run can still be stopped. If the section is endless, the run may never reach its report.
        if (!large || large.of < MIN_PAGES_OF_LARGE_SECTION || saidSection) return;
        saidSection = true;
        say(io, sectionNote(large));
      },
    );
  }
  const text = json ? jsonLine(report) : data?.(report);
  if (text !== undefined) await write(io.stdout, json ? text : `${safeLines(text)}\n`);
  if (!json && !quiet) {
    const isCrawl = report.job === 'crawl';
    io.stderr.write(`${isCrawl ? crawlSummary(report) : ''}${isCrawl && !verbose ? '' : summary(report)}`);
  }
  if (!quiet) for (const note of notes(report, proxy, shard)) say(io, note);
  // A shard that accepted no seed is no failure, because other shards may have accepted seeds.
  if (takesSeeds(report) && !tookSeeds(report) && !shard) cli.exitCode = EXIT.nothing;
  if (report.interrupted) {
    const next = keepsNothing(report.job, shard !== undefined) ? 'starts again' : 'continues from here';
    if (!quiet) say(io, `Stopped on request. The same command ${next}.`);
    cli.exitCode = shard ? EXIT.tryAgain : EXIT.interrupted;
  } else if (saysNext && !json && !quiet) io.stderr.write(afterCrawl(report, cli.options()));
  return report;
}

function keepsNothing(job: string, isShard: boolean): boolean {
  return job === 'graph' || job.startsWith('export ') || (!isShard && (job === 'rank' || job === 'dedup'));
}

function notes(
  { job, batchId = '', counters, failedOrigins = [], largeSection, interrupted }: Report,
  proxy: string,
  shard: Shard | undefined,
): string[] {
  const found: string[] = [];
  if (counters.batch_closed) found.push(`Batch ${batchId} is closed: there is nothing left to do in it.`);
  if (job === 'updatedb' && counters.not_parsed) {
    found.push(
      `Fetched and not parsed: ${quantity(counters.not_parsed, 'page')}. Their links stay unknown until the next fetch. ` +
        'Run parse before updatedb, or fetch with --parse.',
    );
  }
  if (counters.seeds_denied) {
    found.push(
      `Refused with 401 or 403: ${quantity(counters.seeds_denied, 'seed')}. If a site requires a password, set http.credentials and ` +
        'name the seed again on the command line.',
    );
  }
  if (counters.time_limit && !interrupted) {
    found.push('The time is over. The remaining pages stay due; the same command continues from here.');
  }
  if (counters.proxy_failed) {
    found.push(
      // Only the host is shown, because the URL may contain a password.
      `The proxy${proxy === '' ? '' : ` at ${new URL(proxy).host}`} could not be used for ${quantity(counters.proxy_failed, 'page')}. ` +
        'These pages stay due: check http.proxy, then run the same command again.',
    );
  }
  if (failedOrigins.length > 0) {
    const named = failedOrigins.map(({ origin, code, pages }) => `${origin} (${code}, ${quantity(pages, 'page')})`);
    const others = (counters.origins_failed ?? 0) - named.length;
    found.push(`No response: ${named.join(', ')}${others > 0 ? `, and ${quantity(others, 'other origin')}` : ''}.`);
  }
  if (largeSection) found.push(sectionNote(largeSection));
  if (counters.held && job === 'remove') {
    found.push(
      `An open batch holds ${quantity(counters.held, 'page')} of these: run updatedb on it, then run this command again.`,
    );
  }
  if (counters.host_backoff || counters.generate_host_backoff) {
    found.push(
      'Some hosts are in back-off after failures or on their request. Their pages stay due; webcrawl explain <url> tells until when.',
    );
  } else if (job === 'crawl' && !counters.rounds && !counters.fetched && !interrupted && tookSeeds({ counters })) {
    found.push('No page is due; webcrawl explain <url> tells when a page will be.');
  }
  // A shard may have no seed of its own.
  if (takesSeeds({ job }) && !tookSeeds({ counters }) && !shard && !interrupted) {
    const isRefused = job === 'crawl' && areAllRefused({ counters });
    found.push(isRefused ? 'No seed was accepted, so nothing was crawled.' : 'No seed was accepted.');
  }
  return found;
}

function takesSeeds({ job }: Pick<Report, 'job'>): boolean {
  return job === 'inject' || job === 'crawl';
}

function tookSeeds({ counters }: Pick<Report, 'counters'>): boolean {
  return ['injected', 'known', 'updated', 'held'].some((reason) => counters[reason]);
}

function summary({ job, batchId, seconds, counters }: Report): string {
  const head = safeLines(`${job}${batchId === undefined ? '' : ` ${batchId}`}: ${duration(seconds)}`);
  const rows = Object.entries(counters).map(([reason, count]) => [reason, number(count)]);
  return `${head}\n${table(rows, { indent: '  ' })}`;
}
