import { domainRanges, type KeyRange, type PrefixPass } from '../../../webtable/index.js';
import type { CrawlContext } from '../../jobs/index.js';
import { createNodes } from './prefix-key.js';
import { checkSelection, type PrefixNode, type PrefixSelection } from './prefix-node.js';
import { statisticsScopeOf } from './scope.js';

/** What is known of stored statistics. */
export interface PrefixStatistics extends PrefixPass {
  /** The domain of which alone they were made. Absent: they are of the whole table. */
  readonly domain?: string;
}

interface Found {
  readonly pass: PrefixPass;
  readonly scope: string;
  /** Those of the domain, where the statistics are of more. */
  readonly ranges?: readonly KeyRange[];
}

/** The newest that has all rows of a domain, or of the table. */
async function find({ tables }: Pick<CrawlContext, 'tables'>, domain: string | undefined): Promise<Found | undefined> {
  const whole = await tables.prefixes.latest('*');
  if (domain === undefined) return whole && { pass: whole, scope: '*' };
  const scope = statisticsScopeOf(domain);
  const own = await tables.prefixes.latest(scope);
  if (own && !(whole && whole.madeAt > own.madeAt)) return { pass: own, scope };
  return whole && { pass: whole, scope: '*', ranges: domainRanges(domain) };
}

/**
 * The newest stored statistics that have the rows of a domain, or of the table; undefined where there are none.
 * @throws CrawlError BAD_URL for a domain that is none
 */
export async function latestPrefixStatistics(
  crawl: Pick<CrawlContext, 'tables'>,
  { domain }: Pick<PrefixSelection, 'domain'> = {},
): Promise<PrefixStatistics | undefined> {
  const found = await find(crawl, domain);
  return found && { ...found.pass, ...(found.scope !== '*' && domain !== undefined && { domain }) };
}

/**
 * The prefixes of the newest stored statistics, see {@link latestPrefixStatistics}; none where there are none. In order of row keys: hosts
 * with the names of their domain reversed, and a prefix before those below it, its parameters first.
 *
 * A `min` or `depth` that is coarser than that of the statistics leaves nodes out; what they counted is in those above them, but
 * parameters are not added up again. A finer one has no effect.
 * @param limit how many may be read, whether they are left out or not; it is counted down, and at 0 the rest is not read
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
  for await (const { key, figures } of crawl.tables.prefixes.read(found.scope, found.ranges)) {
    if (limit.left === 0) return;
    limit.left -= 1;
    if (figures.rows < min) continue;
    const node = toNode(key, figures);
    if (depthOf(node.prefix) <= depth) yield node;
  }
}

/** Names that make a prefix: 0 of `/`, 2 of `/news/2026/` and of `/news/list?`. */
export function depthOf(prefix: string): number {
  let names = 0;
  for (let at = prefix.indexOf('/', 1); at !== -1; at = prefix.indexOf('/', at + 1)) names += 1;
  return prefix.endsWith('?') ? names + 1 : names;
}
