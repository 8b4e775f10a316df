import { applyUrlChain } from '../../plugin-api/index.js';
import { resolveLink } from '../../url/index.js';
import { rowKeyOf, urlOf, type PageChange } from '../../../webtable/index.js';
import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';
import { outOfScope } from '../rows/leaves-site.js';
import type { FetchItem, FetchRun } from './fetch-item.js';
import { newRowFields } from '../rows/new-row.js';
import { fitFields } from '../rules/fit.js';
import { createScoring } from '../rows/scoring-chain.js';

/** Sitemaps of one robots.txt that are taken; each may be an index of others. */
const MAX_SITEMAPS = 100;

/**
 * Makes rows for the sitemaps that a robots.txt names, one link further than the page for which it was asked. They pass
 * normalisers and filters as links do, `db.ignoreExternalLinks`, and what the crawl excludes. A row that is there is only
 * noted as a sitemap.
 * Counters: those of fetch that begin with `sitemaps_`.
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
  const urlOfKey = new Map(urls.map((url) => [rowKeyOf(url), url]));
  const added = new Set<string>();
  await crawl.tables.changeRows([...urlOfKey.keys()], ['sitemap'], crawl.clock(), (rows, keys) =>
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
      return { key, set: firstFields(crawl, source, urlOfKey.get(key)!, count) };
    }),
  );
  if (added.size > 0) count('sitemaps_added', added.size);
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

function firstFields(crawl: CrawlContext, source: FetchItem, url: string, count: Count) {
  return {
    ...newRowFields(crawl, count, true),
    ...createScoring(crawl, count).initial(url),
    ...fitFields(crawl, url),
    ...(source.distance !== undefined && { distance: source.distance + 1 }),
  };
}
