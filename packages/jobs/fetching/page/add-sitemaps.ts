import { applyUrlChain } from '../../../plugin-api/index.js';
import { resolveLink } from '../../../url/index.js';
import { rowKeyOf, urlOf, type PageChange } from '../../../../webtable/index.js';
import type { Count } from '../../reporting/counters.js';
import type { JobRun } from '../../context.js';
import { outOfScope } from '../../rows/leaves-site.js';
import type { FetchItem, FetchRun } from '../fetch-item.js';
import { newRowFields } from '../../rows/new-row.js';
import { relevanceFields } from '../../rules/relevance.js';
import { rulesNow, type RulesInForce } from '../../rules/rules-now.js';
import { createScoring } from '../../rows/scoring-chain.js';

/** Maximum number of sitemaps that are used from one robots.txt. Each may be an index of further sitemaps. */
const MAX_SITEMAPS = 100;

/**
 * Creates rows for the sitemaps that a robots.txt names. The distance of these rows is one more than the distance of the page for which the
 * robots.txt was requested. Normalisers, filters, `db.ignoreExternalLinks` and the exclusions of the scope apply to sitemaps as they apply
 * to links. If the row of a sitemap exists, it is only marked as a sitemap. Counters: those of fetch that begin with `sitemaps_`.
 */
export async function addSitemaps(
  crawl: JobRun,
  run: Pick<FetchRun, 'tracker'>,
  source: FetchItem,
  found: readonly string[],
): Promise<void> {
  const { sitemapsFromRobots, updateAdditionsAllowed } = crawl.settings.db;
  if (!sitemapsFromRobots) return;
  const { count } = run.tracker;
  const rules = await rulesNow(crawl);
  const urls = acceptedSitemaps(crawl, rules, urlOf(source.key), found, count);
  if (urls.length === 0) return;
  const urlOfKey = new Map(urls.map((url) => [rowKeyOf(url), url]));
  const added = new Set<string>();
  const now = crawl.clock();
  await crawl.tables.changeRows([...urlOfKey.keys()], ['sitemap'], now, (rows, keys) =>
    rows.map((row, i): PageChange | undefined => {
      const key = keys[i]!;
      if (row) {
        count('sitemaps_known');
        return row.damaged || row.sitemap ? undefined : { key, set: { sitemap: true } };
      }
      if (!updateAdditionsAllowed) {
        count('sitemaps_not_added');
        return undefined;
      }
      added.add(key);
      return { key, set: firstFields(crawl, rules, source, urlOfKey.get(key)!, now, count) };
    }),
  );
  if (added.size > 0) count('sitemaps_added', added.size);
}

/** Returns the accepted URLs in the order of the robots.txt, without duplicates. Only its first {@link MAX_SITEMAPS} sitemaps are used. */
function acceptedSitemaps(
  crawl: JobRun,
  { plugins }: RulesInForce,
  from: string,
  found: readonly string[],
  count: Count,
): string[] {
  const urls = new Set<string>();
  const base = new URL('/robots.txt', from).href;
  if (found.length > MAX_SITEMAPS) count('sitemaps_over_limit', found.length - MAX_SITEMAPS);
  for (const line of found.slice(0, MAX_SITEMAPS)) {
    // The rules of robots.txt forbid relative URLs, but the meaning of such a URL is clear.
    const url = line.length > crawl.settings.db.maxOutlinkLength ? undefined : resolveLink(line, base);
    if (url === undefined) count('sitemaps_too_long');
    else if (url === null) count('sitemaps_invalid');
    else {
      const verdict = applyUrlChain(plugins, url, 'outlink', { sitemap: true });
      const out = verdict.accepted ? outOfScope(crawl, from, verdict.url, true) : undefined;
      if (!verdict.accepted) count(`sitemaps_rejected_${verdict.rejectedBy}`);
      else if (out !== undefined) count(`sitemaps_${out}`);
      else urls.add(verdict.url);
    }
  }
  return [...urls];
}

function firstFields(crawl: JobRun, rules: RulesInForce, source: FetchItem, url: string, now: number, count: Count) {
  return {
    ...newRowFields(crawl, count, now, true),
    ...createScoring(rules, count).initial(url),
    ...relevanceFields(rules, url),
    ...(source.distance !== undefined && { distance: source.distance + 1 }),
  };
}
