import {
  FRONTIER_FIELDS,
  batchEntry,
  queueEntry,
  rowKeyOf,
  writeBatchIndex,
  writeIndexed,
  type PageChange,
} from '../../../webtable/index.js';
import { hostOf } from '../../url/index.js';
import { frontierClock, type CrawlContext } from '../context.js';
import { FETCH_FIELDS, type FetchItem, type FetchRun } from './fetch-item.js';
import { newRowCells } from '../rows/new-row.js';
import { createScoring } from '../rows/scoring-chain.js';

/**
 * Has the target of a redirect join the batch, when it is new or due and no batch holds it: index first, then its row
 * with the generate mark, then its queue. A target that is known and not due is left as it is.
 */
export async function followRedirect(
  crawl: CrawlContext,
  run: FetchRun,
  source: FetchItem,
  url: string,
  hops: number,
): Promise<void> {
  const key = rowKeyOf(url);
  const host = hostOf(url);
  const queue = await run.queueNames.nameOf(host);
  // Another page may redirect to it, or link to it, at the same time.
  const outcome = await crawl.table.exclusive('rows', async () => {
    const row = await crawl.table.get(key, [...FRONTIER_FIELDS, 'cash']);
    const clock = frontierClock(crawl);
    if (row && (row.damaged || row.marks?.generate !== undefined || (row.dueAt ?? 0) > clock.now)) {
      return 'redirect_known';
    }
    if (!row && !crawl.settings.db.updateAdditionsAllowed) return 'redirect_not_added';
    await writeBatchIndex(crawl.table.store, [queueEntry(run.batchId, queue, host), batchEntry(run.batchId, key)]);
    // Where a sitemap is said to be now, there is a sitemap.
    const sitemapCell = source.sitemap && { sitemap: source.sitemap };
    const change: PageChange = row
      ? { key, set: { cashInFlight: row.cash ?? 0, ...sitemapCell }, marks: { generate: run.batchId } }
      : { key, set: targetCells(crawl, run, source, url, hops), marks: { generate: run.batchId } };
    run.joined.add(key);
    await writeIndexed(crawl.table, [{ before: row, change }], clock);
    const item = await crawl.table.get(key, FETCH_FIELDS);
    if (item) run.join(queue, item);
    return 'redirects_followed';
  });
  run.tracker.count(outcome);
}

function targetCells(
  crawl: CrawlContext,
  run: FetchRun,
  source: FetchItem,
  url: string,
  hops: number,
): NonNullable<PageChange['set']> {
  const { score, cash } = createScoring(crawl, run.tracker.count).initial(url);
  return {
    ...newRowCells(crawl, run.tracker.count, source.sitemap),
    score,
    cash,
    cashInFlight: cash,
    redirectDepth: hops,
    ...(source.distance !== undefined && { distance: source.distance }),
  };
}
