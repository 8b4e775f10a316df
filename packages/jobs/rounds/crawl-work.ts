import { jobRun, type JobRun, type ScopedCrawl } from '../context.js';
import type { CrawlOptions } from '../crawl.js';
import { endBaseline } from '../changes/end-baseline.js';
import type { FindingsOfRun } from '../reporting/findings.js';
import type { Watch } from '../reporting/running-jobs.js';
import type { Tracker } from '../reporting/tracker.js';
import { whileFetching } from '../requests/requests-in-use.js';
import type { RuleSteps } from '../rules/rule-steps.js';
import { rulesNow } from '../rules/rules-now.js';
import { rangesOfSites } from '../scope/seed-list.js';
import { readRefetch, writeScope } from '../scope/stored-scope.js';
import { makeDue } from '../selection/make-due.js';
import { inSlots } from '../shards/job-slots.js';

/** A crawl whose seeds are injected. */
export interface CrawlWork {
  readonly crawl: ScopedCrawl;
  readonly options: CrawlOptions;
  /** The normalised URLs of the seeds. Empty if there are more than 10,000, and they are not needed. */
  readonly seeds: readonly string[];
  readonly ruleSteps: RuleSteps;
  readonly tracker: Tracker;
  readonly findings: FindingsOfRun;
  /** Aborts at the time limit of the crawl. */
  readonly timeUp: AbortSignal;
  /** Receives the progress of the crawl. The jobs inside the crawl do not show their own. */
  readonly watch: Watch;
}

/**
 * Stores the scope, and begins or continues a refetch.
 * @returns when the refetch began, in ms since the epoch; undefined without a refetch
 */
export async function beginCrawl({ crawl, options }: CrawlWork): Promise<number | undefined> {
  const { tables, clock, scope } = crawl;
  const since = options.refetch ? Math.min((await readRefetch(tables)) ?? Infinity, clock()) : undefined;
  await writeScope(tables, scope.scope, since);
  return since;
}

/**
 * Makes the pages due that are to be fetched again.
 * @param since when the refetch began; undefined: there is none
 * @param slots the slots of the pages, whose leases are held; absent: all slots
 */
export async function makeRefetchDue(
  { crawl, seeds, tracker }: CrawlWork,
  since: number | undefined,
  slots?: ReadonlySet<string>,
): Promise<void> {
  if (since === undefined) return;
  const ranges = await rangesOfSites(crawl, seeds, crawl.scope.scope.stay);
  await makeDue(crawl, await rulesNow(crawl), ranges, since, tracker, slots);
}

/**
 * Ends a crawl for which nothing is due any more. The stored scope now includes the sites to which seeds redirected. If a limit ended the
 * refetch, the remaining pages are due. The next call with `refetch` begins a new refetch.
 * @param since when the refetch began
 */
export async function endCrawl({ crawl, tracker }: CrawlWork, since: number | undefined): Promise<void> {
  if (!tracker.aborted) await endBaseline(crawl);
  await writeScope(crawl.tables, crawl.scope.scope, tracker.aborted ? since : undefined);
}

/** Runs a task that sends requests, in slots that no other worker holds. The signal also aborts when the leases are lost. */
export function withRequests<T>(
  { crawl, options: { signal } }: CrawlWork,
  slots: { readonly slots?: readonly string[]; readonly leaveTaken?: boolean },
  task: (run: JobRun, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // A lease records when hosts last received requests. The job reads this time when it takes the lease. So it takes the lock for fetching
  // first: from then on, no other job of this process sends requests.
  return whileFetching(crawl, () =>
    inSlots(crawl, { job: 'crawl', asks: true }, { ...slots, ...(signal && { signal }) }, (jobSlots, ends) =>
      task(jobRun(crawl, jobSlots), ends),
    ),
  );
}
