import { listBatches, type BatchHeader } from '../../webtable/index.js';
import type { CrawlContext } from './context.js';
import type { DueCount } from './reporting/due-count.js';
import type { Progress } from './reporting/job.js';
import { lastFetch, type LastFetch } from './hosts/last-fetch.js';
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
  { table, clock }: Pick<CrawlContext, 'table' | 'clock'>,
  running: RunningJobs,
): Promise<TableStatus> {
  const last = await lastFetch(table.store);
  return {
    now: clock(),
    jobs: running.progress(),
    due: await running.due(),
    batches: await listBatches(table.store),
    ...(last && { lastFetch: last }),
  };
}
