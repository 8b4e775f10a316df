import { CrawlError } from '../errors/index.js';
import { applyUrlChain } from '../plugin-api/index.js';
import { chunked, hostKeyOf, slotsOfShard, type Shard } from '../../webtable/index.js';
import type { CounterName } from './reporting/counters.js';
import type { JobContext } from './context.js';
import type { JobOptions, Report } from './reporting/job.js';
import { SITEMAP_INTERVAL } from './rows/new-row.js';
import { createSeedJudge } from './hosts/seed-hosts.js';
import { parseSeedLine } from './inject/seed-line.js';
import { injectSeedRows, type InjectedSeed, type TakenSeed } from './inject/seed-rows.js';
import { rulesNow } from './rules/rules-now.js';
import { createTracker } from './reporting/tracker.js';
import { inSlots } from './shards/job-slots.js';
import { hostOf } from '../url/index.js';
import { deadline } from '../util/index.js';

/** Options of {@link inject}. */
export interface InjectOptions extends JobOptions {
  /**
   * Seed lines: a URL, then `key=value` pairs, separated by tabs. The keys `score` and `fetchInterval` (seconds) set these fields. Other
   * keys become metadata. Empty lines and lines that begin with `#` are ignored.
   */
  readonly seeds: Iterable<string> | AsyncIterable<string>;
  /** Injects only seeds whose hosts are in the slots of this shard. Give the same seeds to all shards. Absent: all seeds are injected. */
  readonly shard?: Shard;
  /**
   * URLs of sitemaps, sitemap indexes and feeds. Each becomes a seed that is fetched once a day and read as a sitemap. The pages that it
   * lists are added by updatedb after the fetch.
   */
  readonly sitemaps?: Iterable<string>;
  /**
   * Whether a known seed becomes due at once if its last fetch was denied, by 401, by 403 or by robots.txt. The robots.txt is then
   * requested again too. A function decides for each line by its number, from 1 on. Default: false.
   */
  readonly retryDenied?: boolean | ((line: number) => boolean);
  /**
   * Called for every rejected line, with the number of the line, from 1 on, and the reason. `text` and `reason` are untrusted. For a URL of
   * `sitemaps` the number is 0.
   */
  readonly onRejected?: (line: number, text: string, reason: string) => void;
}

const CHUNK = 1000;

/**
 * Adds seeds to the table. A page that already has a row keeps its fields, but becomes a seed with distance 0. The settings
 * `db.injectorOverwrite` and `db.injectorUpdate` change more fields of such a row. If the same seeds are injected again, nothing changes.
 *
 * Seeds in slots that other workers hold are put into the inboxes of these slots. These workers add them before their next round.
 *
 * Counters: `COUNTERS.inject`.
 * @throws CrawlError USAGE for more shards than slots
 */
export async function inject(crawl: JobContext, options: InjectOptions): Promise<Report> {
  return injectSeeds(crawl, options);
}

/**
 * Like {@link inject}.
 * @param onSeed called with the normalised URL of each accepted seed
 */
export async function injectSeeds(
  crawl: JobContext,
  options: InjectOptions,
  onSeed?: (url: string) => void,
): Promise<Report> {
  const tracker = createTracker(crawl, 'inject', options);
  const { timeSlice } = crawl.tables;
  const judge = createSeedJudge(crawl, options.signal);
  const { retryDenied = false, shard } = options;
  const { slots } = crawl.tables;
  const own = shard && new Set(slotsOfShard(slots, shard));
  let line = 0;
  let rules = await rulesNow(crawl);

  async function* accepted(): AsyncGenerator<TakenSeed> {
    for (const url of options.sitemaps ?? []) {
      const seed = accept({ url, fetchInterval: SITEMAP_INTERVAL, metadata: {}, sitemap: true }, url, 0);
      if (seed) yield seed;
    }
    for await (const text of untilAborted(options.seeds, options.signal)) {
      line += 1;
      rules = await rulesNow(crawl);
      const seed = readLine(text);
      // Accepted lines call the store, and so yield to the event loop. Rejected lines do not call the store, so the loop yields here.
      while (timeSlice.isOver) await timeSlice.next();
      if (seed) yield seed;
    }
  }

  function readLine(text: string): TakenSeed | undefined {
    if (typeof text !== 'string') {
      throw new CrawlError('USAGE', `expected seeds that are texts, found a ${typeof text} in line ${line}`);
    }
    const parsed = parseSeedLine(text);
    if (!parsed) return undefined;
    if ('error' in parsed) return reject(line, text, 'malformed', parsed.error);
    return accept(parsed, text, line);
  }

  function accept(seed: InjectedSeed, text: string, line: number): TakenSeed | undefined {
    const verdict = applyUrlChain(rules.plugins, seed.url, 'inject', seed);
    if (!verdict.accepted) return reject(line, text, `rejected_${verdict.rejectedBy}`, verdict.rule);
    onSeed?.(verdict.url);
    if (own && !own.has(slots.of(hostKeyOf(hostOf(verdict.url))))) {
      tracker.count('other_shards');
      return undefined;
    }
    const isRetried = typeof retryDenied === 'function' ? retryDenied(line) : retryDenied;
    return { ...seed, url: verdict.url, retryDenied: isRetried };
  }

  function reject(line: number, text: string, reason: CounterName, why: string): undefined {
    tracker.count(reason);
    options.onRejected?.(line, text, why);
  }

  const run = crawl.tables.inboxes.newRun(crawl.clock());
  let before = 0;
  for await (const seeds of chunked(accepted(), CHUNK)) {
    // Names are looked up before the lock on the rows is taken.
    const reaches = await judge(seeds.map(({ url }) => url));
    const slotsOfSeeds = new Set(seeds.map(({ url }) => slots.of(hostKeyOf(hostOf(url)))));
    const how = { slots: [...slotsOfSeeds], leaseWaitMs: 0, leaveTaken: true };
    const rulesOfSeeds = await rulesNow(crawl);
    await inSlots(crawl, { job: 'inject' }, how, (jobSlots) =>
      injectSeedRows({ ...crawl, jobSlots }, rulesOfSeeds, seeds, reaches, tracker.count, { run, before }),
    );
    before += seeds.length;
    tracker.done(seeds.length);
  }
  return tracker.report();
}

/** Yields the items of a source. It ends as soon as the signal aborts, even while it waits for the next item. */
async function* untilAborted<T>(
  source: Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  if (!signal) {
    yield* source;
    return;
  }
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  try {
    while (!signal.aborted) {
      const next = await deadline(Promise.resolve(iterator.next()), Infinity, () => undefined, signal);
      if (!next || next.done || signal.aborted) return;
      yield next.value;
    }
  } finally {
    // This promise is not awaited, because it may never settle while the source waits for input. Its result is not needed.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
