import { chunked, domainRanges, type PrefixPass, type StoredPrefix } from '../../../webtable/index.js';
import { createTracker, type CrawlContext, type JobOptions, type Report, type Tracker } from '../../jobs/index.js';
import { DEFAULT_DEPTH, DEFAULT_MIN, checkSelection, type PrefixSelection } from './prefix-node.js';
import { createPrefixStack } from './prefix-stack.js';
import { statisticsScopeOf } from './scope.js';
import { COUNTED_FIELDS, figuresOf } from './sums.js';

/** What {@link makePrefixStatistics} takes. */
export interface PrefixStatisticsOptions extends JobOptions, PrefixSelection {}

/** Rows between two looks at what is to be stored, and whether to go on. */
const CHUNK = 500;

/**
 * Counts the rows by prefix of path, and by name of query parameter: one pass over the hot family, in memory that does not grow with the
 * table. What it has made takes the place of the last statistics of the same rows when it is done, in one step: who stops or kills it
 * leaves these as they were. It may run while a crawl does, and twice at once: then the one that began last stays.
 *
 * Between two passes the statistics are left as they are: how many rows a prefix has that is no node is not known without a pass, so
 * neither is when it becomes one.
 * Counters: `COUNTERS['stats prefixes']`.
 * @throws CrawlError USAGE for `min` or `depth`, BAD_URL for a domain that is none
 */
export async function makePrefixStatistics(
  crawl: CrawlContext,
  options: PrefixStatisticsOptions = {},
): Promise<Report> {
  checkSelection(options);
  const tracker = createTracker(crawl, 'stats prefixes', options);
  const { domain, min = DEFAULT_MIN, depth = DEFAULT_DEPTH } = options;
  const scope = statisticsScopeOf(domain);
  const { prefixes } = crawl.tables;
  const madeAt = crawl.clock();
  const rulesVersion = await crawl.tables.rules.version();
  const generation = await prefixes.begin(scope, madeAt);
  const made = await countRows(crawl, { domain, min, depth }, tracker, (nodes) =>
    prefixes.put(scope, generation, nodes),
  );
  if (!made) await prefixes.discard(scope, generation);
  else if (!(await prefixes.end(scope, { generation, madeAt, rulesVersion, min, depth, ...made }))) {
    tracker.count('overtaken');
  }
  return tracker.report();
}

type Counted = Pick<PrefixPass, 'total' | 'origins' | 'parametersOverLimit'>;

/** @returns undefined where it was to stop */
async function countRows(
  { tables }: CrawlContext,
  { domain, min, depth }: { domain: string | undefined; min: number; depth: number },
  tracker: Tracker,
  put: (nodes: readonly StoredPrefix[]) => Promise<void>,
): Promise<Counted | undefined> {
  const { count } = tracker;
  let nodes: StoredPrefix[] = [];
  const stack = createPrefixStack({
    min,
    depth,
    onNode: (key, sums) => nodes.push({ key, figures: figuresOf(sums) }),
  });
  const flush = async (): Promise<void> => {
    if (nodes.length === 0) return;
    count('prefixes', nodes.length);
    await put(nodes);
    nodes = [];
  };
  const ranges = domain === undefined ? undefined : domainRanges(domain);
  for await (const rows of chunked(tables.pages.scan({ fields: COUNTED_FIELDS, ...(ranges && { ranges }) }), CHUNK)) {
    if (tracker.aborted) return undefined;
    for (const row of rows) {
      if (row.damaged) tracker.fail('damaged');
      stack.add(row);
    }
    if (nodes.length >= CHUNK) await flush();
    count('rows', rows.length);
    tracker.done(rows.length);
  }
  stack.end();
  await flush();
  const { origins, parametersOverLimit } = stack;
  count('hosts', origins);
  count('parameters_over_limit', parametersOverLimit);
  return { total: figuresOf(stack.total), origins, parametersOverLimit };
}
