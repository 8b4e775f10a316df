import { shardText, type Shard } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { defined } from '../util/index.js';
import {
  NO_WATCH,
  jobContext,
  type CrawlContext,
  type JobContext,
  type OnFetchedOption,
  type OnPageOption,
} from './context.js';
import { startTimeLimit } from './fetching/time-limit.js';
import { areAllRefused } from './inject/refused-seeds.js';
import type { InjectOptions } from './inject.js';
import { createFindings } from './reporting/findings.js';
import type { JobOptions, Report } from './reporting/job.js';
import { findLoginForms } from './reporting/login-forms.js';
import type { Watch } from './reporting/running-jobs.js';
import { createTracker } from './reporting/tracker.js';
import { crawlRounds } from './rounds/crawl-rounds.js';
import { crawlShard } from './rounds/crawl-shard.js';
import { beginCrawl, endCrawl, makeRefetchDue, withRequests, type CrawlWork } from './rounds/crawl-work.js';
import { injectInScope, type InjectedInScope } from './rounds/inject-in-scope.js';
import type { AwaitedHolder } from './rounds/worker.js';
import type { RuleSteps } from './rules/rule-steps.js';
import type { CrawlScope } from './scope/crawl-scope.js';
import { withScope } from './scope/in-scope.js';
import { slotsOf } from './shards/job-slots.js';

/** Options of {@link crawl}: the seeds, and the limits of the crawl. */
export interface CrawlOptions
  extends JobOptions, OnPageOption, OnFetchedOption, Pick<InjectOptions, 'seeds' | 'onRejected' | 'retryDenied'> {
  /**
   * Maximum number of rounds. With this limit, rounds run one after another: generate, fetch with parse, updatedb. Absent: until no row is
   * due.
   */
  readonly rounds?: number;
  /** Maximum number of pages in a round. Absent: all due pages. If rounds overlap: about as many pages as are fetched in half a minute. */
  readonly topN?: number;
  /**
   * Maximum number of pages selected over all rounds. Pages that a stopped crawl has selected count, and are all fetched. Targets of
   * followed redirects are not counted.
   */
  readonly maxPages?: number;
  /**
   * Seconds until the time limit, counted from the start of the job; above 0. After the time limit, no other page is fetched. The links
   * of the pages that were fetched before are added. The other pages stay due. Absent: `fetcher.timelimitMins`.
   */
  readonly maxSeconds?: number;
  /** Maximum number of links from a seed. Absent: `generate.maxDistance`. */
  readonly depth?: number;
  /**
   * Where links may lead. `host`: to the hosts of the seeds, on any port, and to hosts to which seeds redirect. `domain`: the same for the
   * domains of the seeds. Domains follow the public suffix list with its private part, so `alice.github.io` is a domain. `path`: to the
   * folders of the seeds, for at most 10,000 seeds. The folder of a seed is its path up to the last `/`. If a seed redirects to a folder
   * that does not contain the folder of the seed, that folder is included. `any`: anywhere. With `host` and
   * `domain`, a link may also lead to the host (or domain) of its own page. With more than 10,000 seeds, a link may lead nowhere else.
   * Without seeds, the seeds of the last crawl are used. Default: host.
   */
  readonly stay?: CrawlScope['stay'];
  /**
   * Patterns of URLs, see `urlPatterns`. Only pages that match at least one pattern are followed and selected. Three kinds of pages are
   * exempt: seeds, redirect targets of seeds, and sitemaps that a robots.txt or a sitemap index names. URL filters apply too.
   */
  readonly include?: readonly string[];
  /** Patterns of pages that are neither followed nor selected. They take precedence over `include`. */
  readonly exclude?: readonly string[];
  /**
   * Fetches all pages on the sites of the seeds again, even if they are not due. These are the pages of the hosts, domains or folders of
   * the seeds, or of the whole table, according to `stay`. Each page is fetched once. After a stop or a kill, the same call continues with
   * the remaining pages.
   */
  readonly refetch?: boolean;
  /**
   * After every n rounds, rules are proposed from the rows of the table, and added before the next round is selected. This is the same as
   * `rules.propose` with `apply`. Absent: no rules are proposed.
   */
  readonly propose?: number;
  /** Called after updatedb has closed a batch, when the pages and links of the batch are in the table. */
  readonly onUpdated?: () => void;
  /** Maximum number of requests in flight. Absent: `fetcher.threadsFetch`. */
  readonly threads?: number;
  /**
   * The part of the table that this worker crawls, while other workers crawl the other parts. All workers get the same seeds and options.
   * `topN` and `maxPages` are divided among them; `depth` is exact only with one worker; `rounds` cannot be given. Absent: the whole table.
   */
  readonly shard?: Shard;
  /** With `shard`: the worker crawls pages again when they are due, until the signal aborts. Default: it ends when nothing is due. */
  readonly untilStopped?: boolean;
  /** With `shard`: called once if another worker still holds a part of the shard. The worker waits for it without a limit. */
  readonly onWait?: (holder: AwaitedHolder) => void;
}

/**
 * Injects seeds and crawls until no row of the table is due, a limit is reached (rounds, pages, time), or a round could fetch nothing.
 *
 * Rounds overlap, unless `rounds` or `depth` limits them. While one round is being fetched, updatedb adds the links of the previous round,
 * and generate selects the next round. Fetched pages move from their batch to an outgoing batch. Updatedb runs on it after 20,000 pages or
 * sooner. Therefore a slow host does not delay the links of other hosts.
 *
 * Batches that a killed crawl left open are finished first. So the same call continues where the killed crawl stopped, and does not request
 * stored pages again. During a crawl, no other fetch runs on the table. The scope (`stay`, `depth`, `include`, `exclude`) is stored in the
 * table: generate, fetch, parse and explain use this scope until the next crawl stores another. If seeds are given and all are rejected,
 * nothing is crawled and no scope is stored.
 *
 * With `shard` many workers crawl a table that they share, see `runWorker`. A worker also takes over the work of workers that have died, and
 * ends when nothing is due in the whole table.
 *
 * Counters: `COUNTERS.crawl`; those of inject and of fetch with parse; `UPDATEDB_IN_CRAWL` of updatedb.
 * @throws CrawlError USAGE; PROXY_FAILED if the proxy no longer passes on requests; LEASE_HELD, LEASE_LOST
 */
export async function crawl(crawl: JobContext, options: CrawlOptions, ruleSteps: RuleSteps): Promise<Report> {
  const { signal } = options;
  mustBePossible(crawl, options);
  const limit = startTimeLimit(options.maxSeconds, crawl.settings.fetcher.timelimitMins);
  try {
    const { clock, watch, tables } = crawl;
    const tracker = createTracker({ clock, watch: NO_WATCH }, 'crawl', defined({ signal }));
    const { injected, scope, urls: seeds } = await injectAsRoundZero(crawl, options);
    tracker.add(injected.counters);
    const findings = createFindings();
    for (const url of seeds) findings.addSeed(url);
    // If all given seeds are rejected, the crawl ends, even if other pages are due.
    if (!tracker.aborted && !areAllRefused(injected)) {
      const scoped = withScope(crawl, scope, options);
      const work = { crawl: scoped, options, seeds, ruleSteps, tracker, findings, timeUp: limit.signal, watch };
      await crawlInScope(work).catch((error: unknown) => {
        // The signal ended the wait for slots that other processes hold. The report still has the counters of inject.
        if (!signal?.aborted || error !== signal.reason) throw error;
      });
    }
    const found = findings.report(tracker.count);
    return { ...tracker.report(), ...found, ...(await findLoginForms(tables, findings)) };
  } finally {
    limit.clear();
  }
}

/** Injects the seeds. The injection is shown as round 0 of the crawl. */
function injectAsRoundZero(crawl: JobContext, options: CrawlOptions): Promise<InjectedInScope> {
  const { seeds, stay, depth, include, exclude, signal, onProgress, onRejected, retryDenied, shard, refetch } = options;
  const watch: Watch = (read, fetching) => crawl.watch(read && (() => ({ ...read(), round: 0 })), fetching);
  const given = defined({ stay, depth, include, exclude, signal, onRejected, retryDenied, shard });
  return injectInScope(
    jobContext(crawl, watch),
    { seeds, ...given, ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, round: 0 }) }) },
    refetch === true && stay !== 'any',
  );
}

function crawlInScope(work: CrawlWork): Promise<void> {
  const { crawl, options } = work;
  if (options.shard && crawl.tables.workers) return crawlShard(work, options.shard);
  return withRequests(work, {}, async (run, signal) => {
    const since = await beginCrawl(work);
    await makeRefetchDue(work, since);
    await crawlRounds(run, { ...options, signal }, work);
    await endCrawl(work, since);
  });
}

/** @throws CrawlError USAGE for a wrong `propose`, several shards of a table that only one process can open, and shards with a limit of rounds */
function mustBePossible(crawl: CrawlContext, { shard, rounds, propose }: CrawlOptions): void {
  if (propose !== undefined && !(Number.isSafeInteger(propose) && propose >= 1)) {
    throw new CrawlError('USAGE', `expected a whole number of rounds from 1 on for propose, found ${String(propose)}`);
  }
  if (!shard) return;
  if (rounds !== undefined) {
    throw new CrawlError('USAGE', 'a shard and a limit of rounds cannot be combined', {
      hint: 'workers do not wait for each other, so they have no common rounds; limit a crawl by pages or by time',
    });
  }
  if (shard.count > 1 && !crawl.tables.workers) {
    throw new CrawlError('USAGE', `shard ${shardText(shard)} needs a table that several processes can share`, {
      hint: 'use a table on HBase (hbase://…), or leave out the shard: one process then crawls the whole table',
    });
  }
  slotsOf(crawl, { shard });
}
