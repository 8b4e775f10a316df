import type { OpenContext, PageRow } from '../../../packages/webcrawl/internal.js';
import { filterUrl } from '../../../packages/plugin-api/index.js';
import { groupOf } from '../../../packages/url/index.js';
import { batchTime, urlOf } from '../../../webtable/index.js';

/**
 * The selection of a scan of the whole table, best first: generate must select the same. Rows are due at the given time, and
 * held at the present time.
 */
export async function fullScanSelection(
  crawl: OpenContext,
  due: number,
  topN: number,
  maxCount = crawl.settings.generate.maxCount,
): Promise<string[]> {
  const { minScore, maxDistance, lockExpirySeconds } = crawl.settings.generate;
  const oldest = crawl.clock() - lockExpirySeconds * 1000;
  // generate releases these. A closed or unknown batch holds its rows until repair.
  const released = new Set<string>();
  for (const { batchId, state } of await crawl.tables.batches.list()) {
    if (state === 'generating' || batchTime(batchId)! <= oldest) released.add(batchId);
  }
  const rows: PageRow<'dueAt' | 'score' | 'marks' | 'distance'>[] = [];
  for await (const row of crawl.tables.pages.scan({ fields: ['dueAt', 'score', 'marks', 'distance'] })) {
    const held = row.marks?.generate;
    if (row.dueAt! > due || (held !== undefined && !released.has(held))) continue;
    if (row.score! < minScore || (maxDistance >= 0 && (row.distance ?? 0) > maxDistance)) continue;
    if (filterUrl(crawl.plugins, urlOf(row.key), 'generate').accepted) rows.push(row);
  }
  rows.sort((a, b) => b.score! - a.score! || (a.key < b.key ? -1 : 1));
  const taken = new Map<string, number>();
  const chosen: string[] = [];
  for (const row of rows) {
    const group = groupOf(urlOf(row.key), crawl.settings.partition.urlMode as 'host' | 'domain');
    const count = taken.get(group) ?? 0;
    if (chosen.length >= topN || (maxCount >= 0 && count >= maxCount)) continue;
    taken.set(group, count + 1);
    chosen.push(urlOf(row.key));
  }
  return chosen;
}
