import { isHeld, rowKeyOf, type PageChange } from '../../../webtable/index.js';
import { hostOf } from '../../url/index.js';
import { hold, isOwn } from '../shards/own-slots.js';
import type { CrawlContext } from '../context.js';
import type { CounterName } from '../reporting/counters.js';
import { FETCH_FIELDS, type FetchItem, type FetchRun } from './fetch-item.js';
import { newRowFields } from '../rows/new-row.js';
import { isReleasedSource, updatingBatches } from '../rows/reschedule.js';
import { fitFields } from '../rules/fit.js';
import { createScoring } from '../rows/scoring-chain.js';

/**
 * Has the target of a redirect join the batch, when it is new or due and no batch holds it: index first, then its row
 * with the generate mark, then its queue. A target that is known and not due is left as it is; so is one of which updatedb
 * may still need what it handed on.
 */
export async function followRedirect(
  crawl: CrawlContext,
  run: FetchRun,
  source: FetchItem,
  url: string,
  hops: number,
): Promise<void> {
  const key = rowKeyOf(url);
  const queue = await run.queueNames.nameOf(hostOf(url));
  const slot = crawl.tables.slots.ofQueue(queue);
  const now = crawl.clock();
  let isLeft = false;
  let outcome: CounterName = 'redirects_followed';
  let item: FetchItem | undefined;
  // Another page may redirect to it, or link to it, at the same time.
  await crawl.tables.changeRows([key], [...FETCH_FIELDS, 'cash', 'cashInFlight'], now, async ([row]) => {
    // What was decided on a row that somebody else has changed since does not count.
    outcome = 'redirects_followed';
    item = undefined;
    await hold(crawl);
    // It may have joined before a kill, and whoever has its slot was not told.
    isLeft = row?.marks?.generate === run.batchId && row.marks.fetch !== run.batchId;
    if (row && (row.damaged || isHeld(row) || (row.dueAt ?? 0) > now)) outcome = 'redirect_known';
    else if (!row && !crawl.settings.db.updateAdditionsAllowed) outcome = 'redirect_not_added';
    const last = row?.marks?.updatedb ?? '';
    if (row && isReleasedSource(row, last) && (await updatingBatches(crawl.tables, [row])).has(last)) {
      outcome = 'redirect_known';
    }
    if (outcome !== 'redirects_followed') return [];
    const { batchId } = run;
    await crawl.tables.batches.enter(batchId, [{ rowKey: key, queue }]);
    const set: PageChange['set'] = row
      ? // Where a sitemap is said to be now, there is a sitemap.
        { cashInFlight: row.cash ?? 0, ...(source.sitemap && { sitemap: source.sitemap }) }
      : firstFields(crawl, run, source, url, hops);
    run.joined.add(key);
    item = { ...row, ...set, key, marks: { ...row?.marks, generate: batchId } };
    return [{ key, set, ...(row && { unset: ['distanceInFlight' as const] }), marks: { generate: batchId } }];
  });
  // Before the mark of the page: killed before this, it is fetched again, and says so again.
  if (!isOwn(crawl, slot) && (item || isLeft)) await run.joinElsewhere(slot);
  else if (item) run.join(queue, item);
  run.tracker.count(outcome);
}

function firstFields(
  crawl: CrawlContext,
  run: FetchRun,
  source: FetchItem,
  url: string,
  hops: number,
): NonNullable<PageChange['set']> {
  const { score, cash } = createScoring(crawl, run.tracker.count).initial(url);
  return {
    ...newRowFields(crawl, run.tracker.count, source.sitemap),
    score,
    cash,
    cashInFlight: cash,
    ...fitFields(crawl, url),
    redirectDepth: hops,
    ...(source.distance !== undefined && { distance: source.distance }),
  };
}
