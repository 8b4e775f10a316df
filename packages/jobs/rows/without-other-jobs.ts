import type { CrawlContext } from '../context.js';
import type { JobOptions } from '../reporting/job.js';
import { inSlots, type ShardOptions } from '../shards/own-slots.js';

const TURNS = ['rows', 'generate', 'updatedb', 'fetch'];

/**
 * Runs a task that must be alone on the table; it waits for the jobs under way, and they for it.
 * @throws CrawlError LEASE_HELD where other workers go on; LEASE_LOST
 */
export function withoutOtherJobs(
  crawl: CrawlContext,
  job: string,
  { signal, leaseWait }: JobOptions & Pick<ShardOptions, 'leaseWait'>,
  task: () => Promise<void>,
): Promise<void> {
  const options = { ...(signal && { signal }), ...(leaseWait !== undefined && { leaseWait }) };
  const inTurn = TURNS.reduce<() => Promise<void>>((inner, name) => () => crawl.tables.exclusive(name, inner), task);
  return inSlots(crawl, { job }, options, inTurn);
}
