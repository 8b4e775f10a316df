import type { Report } from '../reporting/job.js';

/** Counters of accepted seeds, or of a crawl that has begun. If all these counters are absent, every seed was rejected. */
const TAKEN = ['injected', 'known', 'updated', 'held', 'damaged', 'other_shards', 'seeds_sent', 'rounds', 'fetched'];

/**
 * Whether seeds were given, but all of them were rejected: because they are malformed, or by a normaliser, a filter or a rule. For the
 * reports of inject and crawl.
 */
export function areAllRefused({ counters }: Pick<Report, 'counters'>): boolean {
  const isTaken = TAKEN.some((name) => counters[name]);
  // Generate and fetch also count `rejected_…`. A crawl that ran them has the counter `rounds` or `fetched`, so `isTaken` is true.
  return !isTaken && Object.keys(counters).some((name) => name === 'malformed' || name.startsWith('rejected_'));
}
