import { applyUrlChain } from '../../plugin-api/index.js';
import { resolveLink } from '../../url/index.js';
import { FRONTIER_FIELDS, rowKeyOf, urlOf, writeIndexed, type IndexedChange } from '../../../webtable/index.js';
import type { Count } from '../reporting/counters.js';
import { frontierClock, type CrawlContext } from '../context.js';
import { outOfScope } from '../rows/leaves-site.js';
import type { FetchItem, FetchRun } from './fetch-item.js';
import { newRowCells } from '../rows/new-row.js';
import { createScoring } from '../rows/scoring-chain.js';

/** Sitemaps of one robots.txt that are taken; each may be an index of others. */
const MAX_SITEMAPS = 100;

/**
 * Makes rows for the sitemaps that a robots.txt names, one link further than the page for which it was asked. They pass
 * normalisers and filters as links do, `db.ignoreExternalLinks`, and what the crawl excludes. A row that is there is only
 * noted as a sitemap.
 * Counters: sitemaps_added, sitemaps_known, sitemaps_invalid, sitemaps_too_long, sitemaps_rejected_<plugin>,
 * sitemaps_external, sitemaps_excluded, sitemaps_over_limit, sitemaps_not_added (`db.updateAdditionsAllowed`).
 */
export async function addSitemaps(
  crawl: CrawlContext,
  run: Pick<FetchRun, 'tracker'>,
  source: FetchItem,
  found: readonly string[],
): Promise<void> {
  const { sitemapsFromRobots, updateAdditionsAllowed } = crawl.settings.db;
  if (!sitemapsFromRobots) return;
  const { count } = run.tracker;
  const urls = acceptedSitemaps(crawl, urlOf(source.key), found, count);
  if (urls.length === 0) return;
  await crawl.table.exclusive('rows', async () => {
    const keys = urls.map(rowKeyOf);
    const rows = await crawl.table.getMany(keys, [...FRONTIER_FIELDS, 'sitemap']);
    const changes: IndexedChange[] = [];
    let added = 0;
    for (const [i, key] of keys.entries()) {
      const row = rows[i];
      if (row) {
        count('sitemaps_known');
        if (!row.damaged && !row.sitemap) changes.push({ before: row, change: { key, set: { sitemap: true } } });
      } else if (!updateAdditionsAllowed) {
        count('sitemaps_not_added');
      } else {
        added += 1;
        changes.push({ before: undefined, change: { key, set: sitemapCells(crawl, source, urls[i]!, count) } });
      }
    }
    await writeIndexed(crawl.table, changes, frontierClock(crawl));
    if (added > 0) count('sitemaps_added', added);
  });
}

/** Each URL once, in the order of the file. Only the first {@link MAX_SITEMAPS} lines are looked at. */
function acceptedSitemaps(crawl: CrawlContext, from: string, found: readonly string[], count: Count): string[] {
  const urls = new Set<string>();
  const base = new URL('/robots.txt', from).href;
  if (found.length > MAX_SITEMAPS) count('sitemaps_over_limit', found.length - MAX_SITEMAPS);
  for (const line of found.slice(0, MAX_SITEMAPS)) {
    // Relative ones break the rule, but what they mean is plain.
    const url = line.length > crawl.settings.db.maxOutlinkLength ? undefined : resolveLink(line, base);
    if (url === undefined) count('sitemaps_too_long');
    else if (url === null) count('sitemaps_invalid');
    else {
      const verdict = applyUrlChain(crawl.plugins, url, 'outlink', { sitemap: true });
      const out = verdict.accepted ? outOfScope(crawl, from, verdict.url, true) : undefined;
      if (!verdict.accepted) count(`sitemaps_rejected_${verdict.rejectedBy}`);
      else if (out !== undefined) count(`sitemaps_${out}`);
      else urls.add(verdict.url);
    }
  }
  return [...urls];
}

function sitemapCells(crawl: CrawlContext, source: FetchItem, url: string, count: Count) {
  return {
    ...newRowCells(crawl, count, true),
    ...createScoring(crawl, count).initial(url),
    ...(source.distance !== undefined && { distance: source.distance + 1 }),
  };
}
