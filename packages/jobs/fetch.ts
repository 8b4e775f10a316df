import { CrawlError } from '../errors/index.js';
import { createFetchQueues, createRobots } from '../fetch/index.js';
import { batchQueues, createGroupWriter, hostRowKeys, putBatch, type BatchHeader } from '../../webtable/index.js';
import { mustBeOpen, overBatches, type BatchOptions } from './batch-rows.js';
import type { CrawlContext } from './context.js';
import { FETCH_FIELDS, type FetchItem, type FetchRun } from './fetch-item.js';
import { fetchPage } from './fetch-page.js';
import { gracePeriod } from './grace-period.js';
import { createHostBackoff } from './host-backoff.js';
import { beginFetch, endFetch } from './last-fetch.js';
import type { Report } from './job.js';
import { parseRows } from './parse.js';
import { robotsProtocol } from './protocol-for.js';
import { createQueueDelays } from './queue-delays.js';
import { createQueueNames } from './queue-name.js';
import { withBackoff } from './robots-backoff.js';
import { createRobotsStore } from './robots-store.js';
import { createRobotsTurns } from './robots-turns.js';
import { createSeedHosts } from './seed-hosts.js';
import { createTracker } from './tracker.js';

/** What {@link fetch} takes. */
export interface FetchOptions extends BatchOptions {
  /**
   * Pass over pages that this batch has fetched. Without it they are fetched again, unless the fetch before was stopped or
   * killed: then this one goes on where that stopped.
   */
  readonly resume?: boolean;
  /** Parse each page at once; its parse is stored in the same row change as its fetch. */
  readonly parse?: boolean;
  /** Requests in flight at the most. Absent: `fetcher.threadsFetch`. */
  readonly threads?: number;
}

/** Row keys that one queue reads ahead. */
const READ_AHEAD = 50;

/**
 * Fetches the pages of a batch: robots.txt obeyed, one queue per host, domain or IP with its delay, and each outcome
 * stored with the fetch mark in one row change. The target of a redirect joins the batch, up to
 * `fetcher.maxRedirects` in a row. Fetches on one table run one after another, so that politeness holds.
 *
 * A host that can not be reached, answers 429 or 503, or whose robots.txt is unavailable is left alone: for as long as it
 * asks, or else longer with every failure in a row, also in later runs. A short wait is waited out, and a page that drew
 * a 429 or 503 is asked for up to three times; where the wait is longer than `fetcher.maxBackoffWait`, the other pages of
 * the host get no mark and stay due.
 *
 * When the signal aborts or the time is over, nothing more is asked, and requests in flight have two seconds
 * to end by themselves.
 *
 * Counters: fetched (pages with a new mark), and the same by outcome: success, notmodified, moved, not_found,
 * robots_denied, private_address, timeout, plugin_error_<name>, …; already_fetched, damaged, time_limit;
 * given_up (pages whose request had to be ended because the run was to stop, and stay as they were);
 * host_backoff (pages left for a later batch because of their host), backed_off (times that a host began to be left
 * alone), tried_again (requests for a page that its host answered with a short wait); redirects_followed, redirect_known,
 * redirect_external, redirect_invalid, redirect_to_itself, redirect_rejected_<plugin>; sitemaps_added
 * (rows made for the sitemaps that a robots.txt names) and sitemaps_<why>; and those of parse when it parses.
 * @throws CrawlError UNKNOWN_BATCH, BATCH_CLOSING, USAGE
 */
export async function fetch(crawl: CrawlContext, options: FetchOptions): Promise<Report> {
  const { threads = 1 } = options;
  if (!Number.isInteger(threads) || threads < 1) {
    throw new CrawlError('USAGE', `expected a whole number of threads of at least 1, found ${threads}`);
  }
  return overBatches(crawl, 'fetch', options, (batch) =>
    crawl.table.exclusive('fetch', () => fetchBatch(crawl, batch, options)),
  );
}

async function fetchBatch(crawl: CrawlContext, batch: BatchHeader, options: FetchOptions): Promise<Report> {
  mustBeOpen(batch);
  const { settings, table, clock } = crawl;
  const { batchId } = batch;
  const resume = options.resume === true || batch.fetching === true;
  const tracker = createTracker(crawl, 'fetch', options, { batchId, total: batch.size });
  const delays = createQueueDelays(settings.fetcher);
  const queues = createFetchQueues<FetchItem>({
    threads: options.threads ?? settings.fetcher.threadsFetch,
    threadsPerQueue: settings.fetcher.threadsPerQueue,
    delay: delays.of,
  });
  const names = createQueueNames(crawl);
  const seedHosts = createSeedHosts(crawl);
  const backoff = createHostBackoff(crawl, { onFailure: () => tracker.count('backed_off') });
  // A host keeps the queue that it was filed under, also when its address has changed since.
  const queueOfHost = new Map<string, string>();
  await putBatch(table.store, { ...batch, fetching: true });
  // From here on by a clock that is never set back.
  const since = performance.now() - (clock() - (await beginFetch(table.store, clock())));
  const queueNames = { nameOf: (host: string) => queueOfHost.get(host) ?? names.nameOf(host) };
  const stop = stopAfter(settings.fetcher.timelimitMins, options.signal);
  const grace = gracePeriod(stop.signal);
  const run: FetchRun = {
    batchId,
    parse: options.parse ?? false,
    tracker,
    write: createGroupWriter(table),
    robots: createRobots({
      protocol: withBackoff(robotsProtocol(crawl, seedHosts, tracker.count), backoff, grace.signal),
      agents: [settings.http.agentName, ...settings.http.robotsAgents],
      clock,
      store: createRobotsStore(table.store),
      inTurn: createRobotsTurns(crawl, { queues, queueNames, delays, backoff }),
    }),
    seedHosts,
    backoff,
    delays,
    queues,
    queueNames,
    giveUp: grace.signal,
    joined: new Set(),
    passedOver: false,
    since,
  };
  try {
    for await (const { queue, hosts } of batchQueues(table.store, batchId)) {
      const own = hosts.filter((host) => !queueOfHost.has(host));
      for (const host of own) queueOfHost.set(host, queue);
      queues.addQueue(queue, readQueue(crawl, run, own, resume));
      const delay = delays.of(queue);
      if (delay > 0) queues.pause(queue, (since - performance.now()) / 1000 + delay);
    }
    await queues.run((item, queue) => fetchPage(crawl, run, item, queue), stop.signal);
  } finally {
    grace.clear();
    stop.clear();
  }
  await endFetch(table.store, clock());
  if (stop.isOver) tracker.count('time_limit');
  if (!stop.signal.aborted) {
    const { fetching: _, ...ended } = batch;
    await putBatch(table.store, ended);
    // Pages that were passed over may have been left without a parse.
    if (run.parse && run.passedOver) await parseRows(crawl, batchId, false, tracker);
  }
  return tracker.report();
}

/** The rows of a queue that are to be fetched, read as the queue drains. */
async function* readQueue(
  crawl: CrawlContext,
  run: FetchRun,
  hosts: readonly string[],
  resume: boolean,
): AsyncGenerator<FetchItem> {
  for (const host of hosts) {
    let after: string | undefined;
    for (;;) {
      const keys = await hostRowKeys(crawl.table.store, run.batchId, host, after, READ_AHEAD);
      if (keys.length === 0) break;
      after = keys.at(-1);
      for (const row of await crawl.table.getMany(keys, FETCH_FIELDS)) {
        // A redirect's target that joined while the queue was being read was handed to the queue already.
        if (!row || row.marks?.generate !== run.batchId || run.joined.has(row.key)) continue;
        if (row.damaged) run.tracker.count('damaged');
        else if (resume && row.marks.fetch === run.batchId) {
          run.passedOver = true;
          run.tracker.count('already_fetched');
        } else yield row;
      }
    }
  }
}

/**
 * Aborts when the caller does, or when so many minutes are over; -1 is no limit. `clear` lets go of the timer. (A signal
 * of `AbortSignal.timeout` may be collected before its time where only `AbortSignal.any` knows of it.)
 */
function stopAfter(minutes: number, signal: AbortSignal | undefined) {
  const limit = new AbortController();
  const timer = minutes < 0 ? undefined : setTimeout(() => limit.abort(), minutes * 60_000);
  return {
    signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
    get isOver() {
      return limit.signal.aborted;
    },
    clear: () => clearTimeout(timer),
  };
}
