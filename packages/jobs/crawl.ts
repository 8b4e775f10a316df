import { CrawlError } from '../errors/index.js';
import { compactIfDue } from './compact.js';
import { withOnPage, type CrawlContext, type OnPageOption } from './context.js';
import { crawlRounds } from './rounds/crawl-rounds.js';
import { startTimeLimit } from './fetching/time-limit.js';
import { injectInScope } from './rounds/inject-in-scope.js';
import type { InjectOptions } from './inject.js';
import type { JobOptions, Report } from './reporting/job.js';
import type { CrawlScope } from './scope/crawl-scope.js';
import { withScope } from './scope/in-scope.js';
import { rangesOfSites } from './scope/seed-list.js';
import { readRefetch, writeScope } from './scope/stored-scope.js';
import { makeDue } from './selection/make-due.js';
import { createTracker } from './reporting/tracker.js';
import { inSlots } from './shards/own-slots.js';

/** What {@link crawl} takes: seeds, and limits on how far it goes. */
export interface CrawlOptions
  extends JobOptions, OnPageOption, Pick<InjectOptions, 'seeds' | 'onRejected' | 'retryDenied'> {
  /** Rounds at the most, one after another: generate, fetch with parse, updatedb. Absent: until nothing is due. */
  readonly rounds?: number;
  /** Pages per round at the most. Absent: all that are due, or where rounds overlap what is asked for within half a minute. */
  readonly topN?: number;
  /** Pages selected over all rounds at the most; targets of redirects that are followed come on top. */
  readonly maxPages?: number;
  /**
   * Seconds after which it fetches nothing more, counted from the start of the job; above 0. What was fetched until then is
   * entered with its links, and what is left stays due. Absent: `fetcher.timelimitMins`.
   */
  readonly maxTime?: number;
  /** Links from a seed at the most. Absent: `generate.maxDistance`. */
  readonly depth?: number;
  /**
   * How far links may lead: within the host of each page, within its domain, within the folders of the seeds (the path of a
   * seed up to its last `/`; 10,000 of them at the most; without seeds, those of the last crawl), or anywhere. Where a seed itself redirects to is followed in any
   * case. Default: host.
   */
  readonly stay?: CrawlScope['stay'];
  /**
   * Patterns of URLs, see `urlPatterns`: only pages that hold one are followed and selected. Seeds, where they redirect to,
   * and sitemaps that a robots.txt or an index names are taken in any case; URL filters hold besides.
   */
  readonly include?: readonly string[];
  /** The same of pages that are neither followed nor selected; it wins over `include`. */
  readonly exclude?: readonly string[];
  /**
   * Fetches the pages of the seeds' sites again, whenever they would be due: those of their hosts, domains or folders, as
   * `stay` says, or of the whole table. Each once: after a stop or a kill the same call goes on with what is left.
   */
  readonly refetch?: boolean;
  /**
   * After so many rounds each it proposes rules from what the table holds and adds them, as `rules.propose` with `apply` does, before the
   * next round is selected. Absent: never.
   */
  readonly propose?: number;
  /** Called when updatedb has closed a batch: its pages are known with their links. */
  readonly onUpdated?: () => void;
  /** Requests in flight at the most. Absent: `fetcher.threadsFetch`. */
  readonly threads?: number;
}

/**
 * Injects seeds and crawls until nothing in the table is due, a limit is reached (rounds, pages, time), or a round could fetch nothing. Rounds
 * overlap, unless `rounds` or `depth` limits them: while one is fetched, the links of the one before are added and the next is
 * selected. Pages that are fetched leave their batch for one that updatedb takes every ten thousand pages, or sooner, so that no
 * host holds up the links of others. Batches that a killed crawl left open are finished first: the same call goes on where it
 * stopped, and asks for no page again that was stored. No other fetch runs on the table meanwhile. The scope (`stay`, `depth`,
 * `include`, `exclude`) is noted in the table: generate, fetch and parse keep to it, and explain answers by it, until the next
 * crawl notes its own.
 * Counters: `COUNTERS.crawl`; those of inject and of fetch with parse; `UPDATEDB_IN_CRAWL` of updatedb.
 * @throws CrawlError USAGE; PROXY_FAILED when no request gets through the proxy any more; LEASE_HELD, LEASE_LOST
 */
export async function crawl(given: CrawlContext, options: CrawlOptions): Promise<Report> {
  const limit = startTimeLimit(options.maxTime, given.settings.fetcher.timelimitMins);
  try {
    return await crawlWithin(withOnPage(given, options), options, limit.signal);
  } finally {
    limit.clear();
  }
}

async function crawlWithin(given: CrawlContext, options: CrawlOptions, timeUp: AbortSignal): Promise<Report> {
  // Its parts report to the crawl, which is watched as one.
  const { watch, ...unwatched } = given;
  const tracker = createTracker(unwatched, 'crawl', { ...(options.signal && { signal: options.signal }) });
  const { seeds, stay = 'host', depth, include = [], exclude = [], signal, onProgress, onRejected } = options;
  const { refetch = false, retryDenied, propose } = options;
  if (propose !== undefined && !(Number.isSafeInteger(propose) && propose >= 1)) {
    throw new CrawlError('USAGE', `expected a whole number of rounds from 1 on for propose, found ${String(propose)}`);
  }
  const { injected, scope, urls } = await injectInScope(
    given,
    {
      seeds,
      stay,
      include,
      exclude,
      ...(depth !== undefined && { depth }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, round: 0 }) }),
      ...(onRejected && { onRejected }),
      ...(retryDenied !== undefined && { retryDenied }),
    },
    refetch && stay !== 'any',
  );
  tracker.add(injected.counters);
  if (!tracker.aborted) {
    const { tables } = given;
    // The leases come within the turn to fetch: they say when hosts were asked last.
    const crawled = tables.exclusive('fetch', () =>
      inSlots(
        withScope(unwatched, scope),
        { job: 'crawl', asks: true },
        { ...(signal && { signal }) },
        async (context, ends) => {
          const since = refetch ? ((await readRefetch(tables)) ?? context.clock()) : undefined;
          await writeScope(tables, scope, since);
          if (since !== undefined) await makeDue(context, await rangesOfSites(context, urls, stay), since, tracker);
          await crawlRounds(context, { ...options, ...(ends && { signal: ends }) }, tracker, timeUp, watch);
          // What a limit has left is due, and the next refetch is a new one.
          if (since !== undefined && !tracker.aborted) await writeScope(tables, scope);
        },
      ),
    );
    await crawled.catch((error: unknown) => {
      // It was stopped while others had the table: what was injected is reported.
      if (!signal?.aborted || error !== signal.reason) throw error;
    });
    tracker.add(await compactIfDue(unwatched, options));
  }
  return tracker.report();
}
