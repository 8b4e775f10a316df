import { applyUrlChain } from '../../../plugin-api/index.js';
import { resolveLink } from '../../../url/index.js';
import { rowKeyOf, urlOf, type NewInboxEntry, type PageChange } from '../../../../webtable/index.js';
import type { Count } from '../../reporting/counters.js';
import type { JobRun } from '../../context.js';
import { outOfScope } from '../../rows/leaves-site.js';
import type { FetchItem, FetchRun } from '../fetch-item.js';
import { unlinkedRowFields } from '../../rows/new-row.js';
import { rulesNow, type RulesInForce } from '../../rules/rules-now.js';
import { ownsRow } from '../../shards/job-slots.js';

/** Maximum number of sitemaps that are used from one robots.txt. Each may be an index of further sitemaps. */
const MAX_SITEMAPS = 100;

/**
 * Creates rows for the sitemaps that a robots.txt names. The distance of these rows is one more than the distance of the page for which the
 * robots.txt was requested. Normalisers, filters, `db.ignoreExternalLinks` and the exclusions of the scope apply to sitemaps as they apply
 * to links. If the row of a sitemap exists, it is only marked as a sitemap. Sitemaps in slots of other workers are put into the inboxes of these
 * slots. Counters: those of fetch that begin with `sitemaps_`.
 */
export async function addSitemaps(
  crawl: JobRun,
  { batchId, tracker: { count } }: Pick<FetchRun, 'batchId' | 'tracker'>,
  source: FetchItem,
  found: readonly string[],
): Promise<void> {
  if (!crawl.settings.db.sitemapsFromRobots) return;
  const rules = await rulesNow(crawl);
  const { inboxes, slots } = crawl.tables;
  const distance = source.distance === undefined ? undefined : source.distance + 1;
  const own = new Map<string, number | undefined>();
  const sent: NewInboxEntry[] = [];
  for (const rowKey of acceptedSitemaps(crawl, rules, urlOf(source.key), found, count).map(rowKeyOf)) {
    if (ownsRow(crawl, rowKey)) own.set(rowKey, distance);
    else {
      const value: SentSitemap = { kind: 'sitemap', distance };
      sent.push({ rowKey, source: { run: batchId, slot: slots.ofRow(source.key), part: 'sitemap' }, value });
    }
  }
  if (sent.length > 0) count('sitemaps_sent', sent.length);
  await inboxes.put(sent);
  await enterSitemaps(crawl, rules, own, count);
}

/** A sitemap, as an inbox stores it. */
export interface SentSitemap {
  readonly kind: 'sitemap';
  /** The distance of the sitemap. Absent: it is unknown. */
  readonly distance?: number | undefined;
}

/** Creates the rows of sitemaps, or marks existing rows as sitemaps. @param distances of the sitemaps, by row key */
export async function enterSitemaps(
  crawl: JobRun,
  rules: RulesInForce,
  distances: ReadonlyMap<string, number | undefined>,
  count: Count,
): Promise<void> {
  const { updateAdditionsAllowed } = crawl.settings.db;
  const added = new Set<string>();
  const now = crawl.clock();
  await crawl.tables.changeRows([...distances.keys()], ['sitemap'], now, (rows, keys) =>
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
      const distance = distances.get(key);
      const fields = unlinkedRowFields(crawl, rules, count, now, urlOf(key), true);
      return { key, set: { ...fields, ...(distance !== undefined && { distance }) } };
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
