import type { PrefixNode, PrefixSelection, PrefixStatisticsOptions } from '../../focus/index.js';
import type { Report } from '../../jobs/index.js';
import { watched } from '../jobs.js';
import { late } from '../late.js';
import type { OpenContext } from '../open-context.js';

const focus = () => import('../../focus/index.js');

/** Statistics of the rows by path prefix, and by name of query parameter. */
export const prefixStatistics = {
  /** Counts the rows, see `makePrefixStatistics` of packages/focus. */
  make: watched(
    'stats prefixes',
    late(async () => (await focus()).makePrefixStatistics),
  ) as (crawl: OpenContext, options?: PrefixStatisticsOptions) => Promise<Report>,
  /** Describes the last statistics, see `latestPrefixStatistics` of packages/focus. */
  latest: late(async () => (await focus()).latestPrefixStatistics),
  /** Reads the last statistics, see `readPrefixStatistics` of packages/focus. */
  async *read(
    crawl: Pick<OpenContext, 'tables'>,
    selection?: PrefixSelection,
    limit?: { left: number },
  ): AsyncGenerator<PrefixNode> {
    yield* (await focus()).readPrefixStatistics(crawl, selection, limit);
  },
} as const;
