import { domainRanges, type PrefixPass, type CrawlContext } from '../../core/index.js';
import { depthOf } from './prefix-depth.js';
import { createNodes } from './prefix-key.js';
import { checkSelection, type PrefixNode, type PrefixSelection } from './prefix-node.js';
import { statisticsScopeOf } from './scope.js';

/** A description of stored statistics. */
export interface PrefixStatistics extends PrefixPass {
  /** The domain of the statistics. Absent: they cover the whole table. */
  readonly domain?: string;
}

interface Found {
  readonly pass: PrefixPass;
  readonly scope: string;
  /** Whether a key belongs to the domain. Absent: all keys of the statistics do. */
  readonly holds?: (key: string) => boolean;
}

async function find({ tables }: Pick<CrawlContext, 'tables'>, domain: string | undefined): Promise<Found | undefined> {
  const whole = await tables.prefixes.latest('*');
  if (domain === undefined) return whole && { pass: whole, scope: '*' };
  const scope = statisticsScopeOf(domain);
  const own = await tables.prefixes.latest(scope);
  if (own && !(whole && whole.madeAt > own.madeAt)) return { pass: own, scope };
  const ranges = domainRanges(domain);
  const holds = (key: string): boolean =>
    ranges.some(({ start, end }) => key >= start && (end === undefined || key < end));
  return whole && { pass: whole, scope: '*', holds };
}

/**
 * Describes the newest stored statistics that cover a domain, or the whole table. Undefined: there are none.
 * @throws CrawlError BAD_URL for a wrong domain
 */
export async function latestPrefixStatistics(
  crawl: Pick<CrawlContext, 'tables'>,
  { domain }: Pick<PrefixSelection, 'domain'> = {},
): Promise<PrefixStatistics | undefined> {
  const found = await find(crawl, domain);
  return found && { ...found.pass, ...(found.scope !== '*' && domain !== undefined && { domain }) };
}

/**
 * Returns the prefixes of the newest stored statistics, see {@link latestPrefixStatistics}. The result is empty if there are no
 * statistics. Prefixes are in the order of row keys, so hosts are sorted by reversed name. A prefix comes before its parameters, and the
 * parameters come before the prefixes below.
 *
 * If `min` or `depth` is coarser than in the statistics, nodes are omitted. The rows of these nodes are counted in the nodes above them,
 * but their parameters are not. A finer value has no effect.
 * @param limit maximum number of nodes to read, including omitted nodes; each node that is read decreases the number, and reading stops
 *   at 0
 * @throws CrawlError USAGE, BAD_URL
 */
export async function* readPrefixStatistics(
  crawl: Pick<CrawlContext, 'tables'>,
  { domain, min = 1, depth = Infinity }: PrefixSelection = {},
  limit: { left: number } = { left: Infinity },
): AsyncGenerator<PrefixNode> {
  checkSelection({ min, ...(depth !== Infinity && { depth }) });
  const found = await find(crawl, domain);
  if (!found) return;
  const toNode = createNodes();
  const stored = await crawl.tables.prefixes.read(found.scope);
  if (!stored) return;
  for await (const { key, figures } of stored.prefixes()) {
    if (found.holds && !found.holds(key)) continue;
    if (limit.left === 0) return;
    limit.left -= 1;
    if (figures.rows < min) continue;
    const node = toNode(key, figures);
    if (depthOf(node.prefix) <= depth) yield node;
  }
}
