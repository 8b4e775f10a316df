import { rowKeyOf, shardText, type Shard } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { withHooks, type CrawlContext, type OnFetchedOption, type OnPageOption } from './context.js';
import { endBaseline } from './changes/end-baseline.js';
import { NOTHING_CRAWLED, crawlRounds } from './rounds/crawl-rounds.js';
import { PAGES_PER_THREAD } from './rounds/round-selector.js';
import { startTimeLimit } from './fetching/time-limit.js';
import { shareOf } from './generate.js';
import { injectInScope } from './rounds/inject-in-scope.js';
import { areAllRefused } from './inject/refused-seeds.js';
import type { InjectOptions } from './inject.js';
import { createFindings, type Findings, type FindingsOfRun } from './reporting/findings.js';
import type { JobOptions, Report } from './reporting/job.js';
import type { CrawlScope } from './scope/crawl-scope.js';
import { withScope } from './scope/in-scope.js';
import { rangesOfSites, redirectsOf } from './scope/seed-list.js';
import { readRefetch, writeScope } from './scope/stored-scope.js';
import { makeDue } from './selection/make-due.js';
import type { Watch } from './reporting/running-jobs.js';
import { rulesNow } from './rules/rules-now.js';
import { createTracker } from './reporting/tracker.js';
import { whileFetching } from './requests/requests-in-use.js';
import { inSlots, slotsOf } from './shards/job-slots.js';
import { runWorker, type AwaitedHolder, type CrawledSlots } from './rounds/worker.js';

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
   * Seconds until the time limit, counted from the start of the job; above 0. After the time limit, no further page is fetched. The links
   * of the pages that were fetched before are added. The other pages stay due. Absent: `fetcher.timelimitMins`.
   */
  readonly maxTime?: number;
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
export async function crawl(given: CrawlContext, options: CrawlOptions): Promise<Report> {
  const limit = startTimeLimit(options.maxTime, given.settings.fetcher.timelimitMins);
  try {
    return await crawlWithin(withHooks(given, options), options, limit.signal);
  } finally {
    limit.clear();
  }
}

async function crawlWithin(given: CrawlContext, options: CrawlOptions, timeUp: AbortSignal): Promise<Report> {
  // The jobs inside the crawl do not show their own progress. The crawl shows the progress of all of them.
  const { watch, ...unwatched } = given;
  const tracker = createTracker(unwatched, 'crawl', { ...(options.signal && { signal: options.signal }) });
  const { seeds, stay = 'host', depth, include = [], exclude = [], signal, onProgress, onRejected } = options;
  const { refetch = false, retryDenied, propose, shard } = options;
  mustFitTable(given, options);
  if (propose !== undefined && !(Number.isSafeInteger(propose) && propose >= 1)) {
    throw new CrawlError('USAGE', `expected a whole number of rounds from 1 on for propose, found ${String(propose)}`);
  }
  /** The injection is shown as round 0 of the crawl. */
  const injecting: Watch = (read, fetching) => watch?.(read && (() => ({ ...read(), round: 0 })), fetching);
  const { injected, scope, urls } = await injectInScope(
    { ...given, ...(watch && { watch: injecting }) },
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
      ...(shard && { shard }),
    },
    refetch && stay !== 'any',
  );
  tracker.add(injected.counters);
  const findings = createFindings();
  for (const url of urls) findings.addSeed(url);
  // If all given seeds are rejected, the crawl ends, even if other pages are due.
  if (!tracker.aborted && !areAllRefused(injected)) {
    const { tables } = given;
    const scoped = withScope(unwatched, scope);
    let soFar = NOTHING_CRAWLED;

    /** Stores the scope, and begins or continues a refetch of the pages in these slots. */
    async function begin(slots?: ReadonlySet<string>): Promise<number | undefined> {
      const since = refetch ? Math.min((await readRefetch(tables)) ?? Infinity, given.clock()) : undefined;
      await writeScope(tables, scope, since);
      if (since !== undefined)
        await makeDue(scoped, await rulesNow(scoped), await rangesOfSites(scoped, urls, stay), since, tracker, slots);
      return since;
    }

    /**
     * Ends a crawl for which nothing is due any more. The stored scope now includes the sites to which seeds redirected. If a limit ended
     * the refetch, the remaining pages are due. The next call with `refetch` begins a new refetch.
     */
    async function end(since: number | undefined): Promise<void> {
      if (!tracker.aborted) await endBaseline(scoped);
      await writeScope(tables, scoped.scope?.scope ?? scope, tracker.aborted ? since : undefined);
    }

    /** Runs a task that sends requests, in slots that no other worker holds. */
    const withRequests = <T>(
      slots: { readonly slots?: readonly string[]; readonly leaveTaken?: boolean },
      task: (context: CrawlContext, ends: JobOptions) => Promise<T>,
    ): Promise<T> =>
      // A lease records when hosts last received requests. The job reads this time when it takes the lease. So it takes the lock for
      // fetching first: from then on, no other job of this process sends requests.
      whileFetching(given, () =>
        inSlots(scoped, { job: 'crawl', asks: true }, { ...slots, ...(signal && { signal }) }, (context, ends) =>
          task(context, ends ? { signal: ends } : {}),
        ),
      );

    async function crawlAlone(): Promise<void> {
      await withRequests({}, async (context, ends) => {
        const since = await begin();
        await crawlRounds(context, { ...options, ...ends }, tracker, timeUp, findings, watch);
        await end(since);
      });
    }

    async function crawlShard(shard: Shard): Promise<void> {
      const { maxPages = Infinity, topN = Infinity, untilStopped = false, onWait } = options;
      const { threads = given.settings.fetcher.threadsFetch } = options;
      const most = maxPages === Infinity ? maxPages : shareOf(maxPages, shard);
      const perRound = topN === Infinity ? topN : Math.max(1, shareOf(topN, shard));
      async function crawlSlots(slots: readonly string[], isOneRound: boolean): Promise<CrawledSlots> {
        return withRequests({ slots, leaveTaken: true }, async (context, ends) => {
          const { slots: taken } = context.jobSlots!;
          if (taken.size === 0) return { slots: taken, pages: 0, isOver: false };
          // Other workers may have fetched seeds that redirect to further sites.
          for (const { url, target } of await redirectsOf(context, urls)) scoped.scope?.addTarget(url, target);
          const { pages } = soFar;
          const size = isOneRound ? Math.min(perRound, PAGES_PER_THREAD * threads) : perRound;
          const how = {
            ...options,
            ...ends,
            ...(isOneRound && { rounds: 1 }),
            ...(size < Infinity && { topN: size }),
            ...(most < Infinity && { maxPages: most - pages }),
          };
          soFar = await crawlRounds(context, how, tracker, timeUp, findings, watch, soFar);
          const isOver = tracker.aborted || timeUp.aborted || soFar.pages >= most;
          // A crawl without a limit of rounds ends when nothing can be selected.
          return { slots: taken, pages: isOneRound ? soFar.pages - pages : 0, isOver };
        });
      }

      const all = slotsOf(given, { shard }) ?? tables.slots.all;
      const ends = signal ? AbortSignal.any([signal, timeUp]) : timeUp;
      const since = await begin(new Set(all));
      await runWorker(scoped, { shard: all, untilStopped, ends, onWait, crawlSlots });
      await end(since);
    }

    const crawled = options.shard && tables.isShared ? crawlShard(options.shard) : crawlAlone();
    await crawled.catch((error: unknown) => {
      // The signal ended the wait for slots that other processes hold. The report still has the counters of inject.
      if (!signal?.aborted || error !== signal.reason) throw error;
    });
  }
  const found = findings.report(tracker.count);
  const loginForms = await findLoginForms(given, findings);
  return { ...tracker.report(), ...found, ...(loginForms.length > 0 && { loginForms }) };
}

/** Maximum number of redirect targets whose body is read for a form with a password, and of forms in a report. */
const [MAX_READ_TARGETS, MAX_LOGIN_FORMS] = [10, 3];
const PASSWORD_FIELD = /<input\b[^<>]*\btype\s*=\s*["']?password\b/i;

/** Returns the redirect targets of a run that have a form with a password, those of the most pages first. */
async function findLoginForms(
  { tables }: CrawlContext,
  findings: FindingsOfRun,
): Promise<NonNullable<Findings['loginForms']>> {
  const found = [];
  for (const target of findings.redirectTargets().slice(0, MAX_READ_TARGETS)) {
    if (found.length === MAX_LOGIN_FORMS) break;
    const row = await tables.pages.get(rowKeyOf(target.url), ['content']);
    if (row?.content && PASSWORD_FIELD.test(Buffer.from(row.content).toString('latin1'))) found.push(target);
  }
  return found;
}

/** @throws CrawlError USAGE for several shards of a table that only one process can open, and for shards with a limit of rounds */
function mustFitTable(crawl: CrawlContext, { shard, rounds }: CrawlOptions): void {
  if (!shard) return;
  if (rounds !== undefined) {
    throw new CrawlError('USAGE', 'a shard and a limit of rounds cannot be combined', {
      hint: 'workers do not wait for each other, so they have no common rounds; limit a crawl by pages or by time',
    });
  }
  if (shard.count > 1 && !crawl.tables.isShared) {
    throw new CrawlError('USAGE', `shard ${shardText(shard)} needs a table that several processes can share`, {
      hint: 'use a table on HBase (hbase://…), or leave out the shard: one process then crawls the whole table',
    });
  }
  slotsOf(crawl, { shard });
}
