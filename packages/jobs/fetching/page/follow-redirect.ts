import { isHeld, rowKeyOf, type PageChange } from '../../../../webtable/index.js';
import { applyUrlChain } from '../../../plugin-api/index.js';
import { hostOf } from '../../../url/index.js';
import { checkLeases, isOfJob } from '../../shards/job-slots.js';
import type { JobRun } from '../../context.js';
import type { CounterName } from '../../reporting/counters.js';
import { FETCH_FIELDS, type FetchItem, type FetchRun } from '../fetch-item.js';
import { outOfScope } from '../../rows/leaves-site.js';
import { unlinkedRowFields } from '../../rows/new-row.js';
import { isReleasedSource, updatingBatches } from '../../rows/reschedule.js';
import { rulesNow, type RulesInForce } from '../../rules/rules-now.js';

/** Maximum number of redirects in a row if `fetcher.maxRedirects` is 0. It is the limit of section 4.4 of the Fetch Standard. */
const REDIRECT_LIMIT = 20;

/**
 * Decides whether the target of a redirect is used. An accepted target joins the batch, if redirects are followed.
 * @returns the URL of the target; `too_many` if the chain of redirects is too long; `itself` if the page redirects to itself; undefined if
 * the target is not used
 */
export async function takeTarget(
  crawl: JobRun,
  run: FetchRun,
  item: FetchItem,
  url: string,
  location: string | null,
): Promise<{ readonly url: string } | 'too_many' | 'itself' | undefined> {
  const { count } = run.tracker;
  if (location === null) return void count('redirect_invalid');
  const rules = await rulesNow(crawl);
  const verdict = applyUrlChain(rules.plugins, location, 'redirect', item);
  if (!verdict.accepted) return void count(`redirect_rejected_${verdict.rejectedBy}`);
  if (verdict.url === url) {
    count('redirect_to_itself');
    return 'itself';
  }
  // A seed may redirect to any site. The operator who gave http://example.org/ may mean https://www.example.org/.
  const out = item.distance === 0 ? undefined : outOfScope(crawl, url, verdict.url, item.sitemap);
  if (out !== undefined) return void count(`redirect_${out}`);

  if (item.distance === 0) crawl.scope.addTarget(url, verdict.url);
  const { maxRedirects } = crawl.settings.fetcher;
  const hops = (item.redirectDepth ?? 0) + 1;
  if (hops > (maxRedirects || REDIRECT_LIMIT)) return 'too_many';
  if (maxRedirects > 0) await followRedirect(crawl, rules, run, item, verdict.url, hops);
  return verdict;
}

/**
 * Adds the target of a redirect to the batch, if the target is new, or if it is due and no batch holds it. Order of writes: the index of
 * the batch, the row with the generate mark, then the queue. Two targets stay as they are: a known target that is not due, and a target
 * whose distributed score updatedb may still need. A target in a slot that the batch does not have is left to updatedb.
 */
async function followRedirect(
  crawl: JobRun,
  rules: RulesInForce,
  run: FetchRun,
  source: FetchItem,
  url: string,
  hops: number,
): Promise<void> {
  const key = rowKeyOf(url);
  if (!isOfJob(crawl, crawl.tables.slots.ofRow(key))) return run.tracker.count('redirect_other_worker');
  const queue = await run.queueNames.nameOf(hostOf(url));
  const now = crawl.clock();
  let outcome: CounterName = 'redirects_followed';
  let item: FetchItem | undefined;
  await crawl.tables.changeRows([key], [...FETCH_FIELDS, 'cash', 'cashInFlight'], now, async ([row]) => {
    if (row && (row.damaged || isHeld(row) || (row.dueAt ?? 0) > now)) outcome = 'redirect_known';
    else if (!row && !crawl.settings.db.updateAdditionsAllowed) outcome = 'redirect_not_added';
    const last = row?.marks?.updatedb ?? '';
    if (row && isReleasedSource(row, last) && (await updatingBatches(crawl.tables, [row])).has(last)) {
      outcome = 'redirect_known';
    }
    if (outcome !== 'redirects_followed') return [];
    const { batchId } = run;
    await crawl.tables.batches.enter(batchId, [{ rowKey: key, queue }]);
    // After the index is written: if another worker takes over the batch from now on, it finds the row there, and writes it again.
    await checkLeases(crawl);
    const fields = row ? undefined : unlinkedRowFields(crawl, rules, run.tracker.count, now, url, source.sitemap);
    // All of the score of a new row is distributed.
    const set: PageChange['set'] = fields
      ? {
          ...fields,
          cashInFlight: fields.cash,
          redirectDepth: hops,
          ...(source.distance !== undefined && { distance: source.distance }),
        }
      : // The new location of a sitemap is a sitemap, too.
        { cashInFlight: row?.cash ?? 0, ...(source.sitemap && { sitemap: source.sitemap }) };
    run.joined.add(key);
    item = { ...row, ...set, key, marks: { ...row?.marks, generate: batchId } };
    return [{ key, set, ...(row && { unset: ['distanceInFlight' as const] }), marks: { generate: batchId } }];
  });
  if (item) run.join(queue, item);
  run.tracker.count(outcome);
}
