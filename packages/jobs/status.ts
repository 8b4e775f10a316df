import type { BatchHeader, LastFetch } from '../../webtable/index.js';
import type { CrawlContext } from './context.js';
import type { DueCount } from './reporting/due-count.js';
import type { Progress } from './reporting/job.js';
import type { RunningJobs } from './reporting/running-jobs.js';

/** What goes on at a table, and what is left to do. Plain data, fit for JSON; URLs and hosts are untrusted text. */
export interface TableStatus {
  /** When this was so, in ms since the epoch. */
  readonly now: number;
  /** The jobs under way. */
  readonly jobs: readonly Progress[];
  readonly due: DueCount;
  /** Batches that hold pages, oldest first. */
  readonly batches: readonly BatchHeader[];
  /** The last fetch, or crawl; absent where there was none. */
  readonly lastFetch?: LastFetch;
}

/** The status of the table that is open in this process. */
export async function ownStatus(
  { tables, clock }: Pick<CrawlContext, 'tables' | 'clock'>,
  running: RunningJobs,
): Promise<TableStatus> {
  const last = await tables.runs.lastFetch();
  return {
    now: clock(),
    jobs: running.progress(),
    due: await running.due(),
    batches: await tables.batches.list(),
    ...(last && { lastFetch: last }),
  };
}
