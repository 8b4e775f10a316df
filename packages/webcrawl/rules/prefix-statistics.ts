import {
  latestPrefixStatistics,
  makePrefixStatistics,
  readPrefixStatistics,
  type PrefixStatisticsOptions,
} from '../../focus/index.js';
import type { Report } from '../../jobs/index.js';
import { watched } from '../jobs.js';
import type { Crawl } from '../open-crawl.js';

/** Statistics of the rows by prefix of their path, and by name of query parameter. */
export const prefixStatistics = {
  /** Counts the rows, see `makePrefixStatistics` of packages/focus. */
  make: watched('stats prefixes', makePrefixStatistics) as (
    crawl: Crawl,
    options?: PrefixStatisticsOptions,
  ) => Promise<Report>,
  /** What is known of those that were made last, see `latestPrefixStatistics` of packages/focus. */
  latest: latestPrefixStatistics,
  /** Those that were made last, see `readPrefixStatistics` of packages/focus. */
  read: readPrefixStatistics,
} as const;
