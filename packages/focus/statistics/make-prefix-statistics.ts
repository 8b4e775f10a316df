import {
  chunked,
  createPrefixPacker,
  domainRanges,
  type PrefixPass,
  createTracker,
  type CrawlContext,
  type JobContext,
  type JobOptions,
  type Report,
  type Tracker,
} from '../../core/index.js';
import { DEFAULT_DEPTH, DEFAULT_MIN, checkSelection, type PrefixSelection } from './prefix-node.js';
import { createPrefixStack } from './prefix-stack.js';
import { statisticsScopeOf } from './scope.js';
import { COUNTED_FIELDS, figuresOf } from './sums.js';

/** Options of {@link makePrefixStatistics}. */
export interface PrefixStatisticsOptions extends JobOptions, PrefixSelection {}

const ROWS_PER_CHECK = 500;

/**
 * Counts the rows by path prefix, and by name of query parameter. The job reads the hot family once, and its memory does not grow with
 * the table. When the count is complete, the result replaces the last statistics of the same rows in one step. If the job is stopped or
 * killed, the last statistics stay unchanged. The job may run during a crawl. If two such jobs run at once, the result of the job that
 * ends last stays. One value of the table has room for about a hundred thousand prefixes. If there are more, `min` is raised.
 *
 * Changes of rows do not update the statistics: only a pass over all rows shows whether a prefix without a node has enough rows for a
 * node. Counters: `COUNTERS.prefixes`.
 * @throws CrawlError USAGE for a wrong `min` or `depth`, BAD_URL for a wrong domain
 */
export async function makePrefixStatistics(crawl: JobContext, options: PrefixStatisticsOptions = {}): Promise<Report> {
  checkSelection(options);
  const tracker = createTracker(crawl, 'prefixes', options);
  const { domain, min = DEFAULT_MIN, depth = DEFAULT_DEPTH } = options;
  const scope = statisticsScopeOf(domain);
  const { prefixes } = crawl.tables;
  const madeAt = crawl.clock();
  const rulesVersion = await crawl.tables.rules.version();
  const made = await countRows(crawl, { domain, min, depth }, tracker);
  if (made) {
    const { packed, ...counted } = made;
    await prefixes.put(scope, { madeAt, rulesVersion, depth, ...counted }, packed);
  }
  return tracker.report();
}

interface Counted extends Pick<PrefixPass, 'min' | 'total' | 'origins' | 'parametersOverLimit'> {
  readonly packed: Uint8Array;
}

/** @returns undefined if the job was stopped */
async function countRows(
  { tables }: CrawlContext,
  { domain, min, depth }: { domain: string | undefined; min: number; depth: number },
  tracker: Tracker,
): Promise<Counted | undefined> {
  const { count } = tracker;
  const packer = createPrefixPacker(min);
  const stack = createPrefixStack({
    min,
    depth,
    onNode: (key, sums) => packer.add({ key, figures: figuresOf(sums) }),
  });
  const ranges = domain === undefined ? undefined : domainRanges(domain);
  for await (const rows of chunked(
    tables.pages.scan({ fields: COUNTED_FIELDS, ...(ranges && { ranges }) }),
    ROWS_PER_CHECK,
  )) {
    if (tracker.aborted) return undefined;
    for (const row of rows) {
      if (row.damaged) tracker.fail('damaged');
      stack.add(row);
    }
    count('rows', rows.length);
    tracker.done(rows.length);
  }
  stack.end();
  const { bytes, min: least, count: prefixes } = await packer.end();
  count('prefixes', prefixes);
  const { origins, parametersOverLimit } = stack;
  count('hosts', origins);
  count('parameters_over_limit', parametersOverLimit);
  return { packed: bytes, min: least, total: figuresOf(stack.total), origins, parametersOverLimit };
}
