import { rowKeyOf } from '../../webtable/index.js';
import { CrawlError } from '../errors/index.js';
import { withHooks, type CrawlContext, type OnFetchedOption, type OnPageOption } from './context.js';
import { endBaseline } from './changes/end-baseline.js';
import { crawlRounds } from './rounds/crawl-rounds.js';
import { startTimeLimit } from './fetching/time-limit.js';
import { injectInScope } from './rounds/inject-in-scope.js';
import { areAllRefused } from './inject/refused-seeds.js';
import type { InjectOptions } from './inject.js';
import { createFindings, type Findings, type FindingsOfRun } from './reporting/findings.js';
import type { JobOptions, Report } from './reporting/job.js';
import type { CrawlScope } from './scope/crawl-scope.js';
import { withScope } from './scope/in-scope.js';
import { rangesOfSites } from './scope/seed-list.js';
import { readRefetch, writeScope } from './scope/stored-scope.js';
import { makeDue } from './selection/make-due.js';
import type { Watch } from './reporting/running-jobs.js';
import { createTracker } from './reporting/tracker.js';
import { whileFetching } from './requests/requests-in-use.js';
import { inSlots } from './shards/job-slots.js';

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
  const { refetch = false, retryDenied, propose } = options;
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
    },
    refetch && stay !== 'any',
  );
  tracker.add(injected.counters);
  const findings = createFindings();
  for (const url of urls) findings.addSeed(url);
  // If all given seeds are rejected, the crawl ends, even if other pages are due.
  if (!tracker.aborted && !areAllRefused(injected)) {
    const { tables } = given;
    // A lease records when hosts last received requests. The job reads this time when it takes the lease. So it takes the lock for fetching
    // first: from then on, no other job of this process sends requests.
    const crawled = whileFetching(given, () =>
      inSlots(
        withScope(unwatched, scope),
        { job: 'crawl', asks: true },
        { ...(signal && { signal }) },
        async (context, ends) => {
          const since = refetch ? Math.min((await readRefetch(tables)) ?? Infinity, context.clock()) : undefined;
          await writeScope(tables, scope, since);
          if (since !== undefined) await makeDue(context, await rangesOfSites(context, urls, stay), since, tracker);
          await crawlRounds(context, { ...options, ...(ends && { signal: ends }) }, tracker, timeUp, findings, watch);
          if (!tracker.aborted) await endBaseline(context);
          // The stored scope now includes the sites to which seeds redirected. If a limit ended the refetch, the remaining pages are due.
          // The next call with `refetch` begins a new refetch.
          await writeScope(tables, context.scope?.scope ?? scope, tracker.aborted ? since : undefined);
        },
      ),
    );
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
    const row = await tables.pages.get(rowKeyOf(target.url), ['content']);
    if (row?.content && PASSWORD_FIELD.test(Buffer.from(row.content).toString('latin1'))) found.push(target);
  }
  return found.slice(0, MAX_LOGIN_FORMS);
}
