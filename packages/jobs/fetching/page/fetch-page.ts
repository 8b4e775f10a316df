import { filterUrl } from '../../../plugin-api/index.js';
import { urlOf } from '../../../../webtable/index.js';
import type { JobRun } from '../../context.js';
import { bodyLimit } from '../../requests/body-limit.js';
import { requestPage, type LeftReason } from '../../requests/request-page.js';
import { countDamaged } from '../../rows/count-damaged.js';
import { rulesNow } from '../../rules/rules-now.js';
import type { FetchedPage, FetchItem, FetchRun } from '../fetch-item.js';
import { addSitemaps } from './add-sitemaps.js';
import { answeredPage, type PageAnswer } from './answered-page.js';
import { conditionOf, hasWholeRecords } from './condition.js';
import { countFetched } from './count-fetched.js';
import { isCutAt } from './outcome-fields.js';

/**
 * Fetches one page and stores its outcome. Rows of other pages are written first, then the row of the page with its mark.
 *
 * A sitemap may be as large as the sitemap protocol allows, but only a few bodies of that size are in memory at a time. If there is no
 * place for one more, a sitemap is requested with the size limit of pages. If its body is cut at this limit, it is requested again.
 *
 * A 304 answer is used only if the stored body is complete. Otherwise the page goes back to its queue and is requested without a condition.
 */
export async function fetchPage(
  crawl: JobRun,
  run: FetchRun,
  item: FetchItem,
  queue: string,
): Promise<'no_request' | void> {
  const { contentLimit } = crawl.settings.http;
  const most = bodyLimit(crawl.settings, item.sitemap);
  if (most === contentLimit) return fetchUpTo(contentLimit, crawl, run, item, queue);
  const place = run.largeBodies.take();
  if (!place && item.isLarge) {
    await run.requests.queues.suspend(queue, run.largeBodies.whenFree(run.giveUp));
    run.again(queue, item, 'next');
    return 'no_request';
  }
  try {
    return await fetchUpTo(place ? most : contentLimit, crawl, run, item, queue);
  } finally {
    place?.release();
  }
}

async function fetchUpTo(
  contentLimit: number,
  crawl: JobRun,
  run: FetchRun,
  item: FetchItem,
  queue: string,
): Promise<'no_request' | void> {
  const url = urlOf(item.key);
  if (await isRejectedByRule(crawl, run, item, url)) return passOver(run, 'rejected_rules');
  const turn = await requestPage(
    crawl,
    run.requests,
    {
      url,
      tries: item.tries,
      giveUp: run.giveUp,
      contentLimit,
      condition: () => conditionOf(crawl, item),
      onSitemaps: (sitemaps) => addSitemaps(crawl, run, item, sitemaps),
    },
    queue,
  );
  if (turn.kind === 'again') {
    if (turn.isOfPage) run.tracker.count('tried_again');
    run.again(queue, { ...item, tries: turn.tries }, turn.place);
  } else if (turn.kind === 'left') {
    passOver(run, turn.reason);
  } else {
    await applyOutcome(crawl, run, item, queue, { url, contentLimit, ...turn });
  }
  return turn.asked ? undefined : 'no_request';
}

/** Stores the outcome of a page. If the outcome cannot be used, the page goes back to its queue. */
async function applyOutcome(
  crawl: JobRun,
  run: FetchRun,
  item: FetchItem,
  queue: string,
  answer: PageAnswer & { readonly isOfPage: boolean },
): Promise<void> {
  const { url, outcome } = answer;
  const unusable = answer.isOfPage ? await whyUnusable(crawl, item, answer) : undefined;
  if (unusable) {
    run.tracker.count(unusable === 'isLarge' ? 'tried_again' : 'lost_body');
    return run.again(queue, { ...item, [unusable]: true }, 'last');
  }
  const page = await answeredPage(crawl, run, item, answer);
  if (await storePage(run, { ...page, queue })) countFetched(run, item, url, outcome, page.change.set);
  if (page.change.encoded) crawl.parseThreads?.giveBack(page.change.encoded);
  return undefined;
}

/** Returns why a page must be requested again: its body may be larger than the limit, or its stored body cannot be read. */
async function whyUnusable(
  crawl: JobRun,
  item: FetchItem,
  { outcome, contentLimit }: PageAnswer,
): Promise<'isLarge' | 'hasLostBody' | undefined> {
  const isUnchanged = outcome.kind === 'notmodified';
  const mayBeLarger = contentLimit !== bodyLimit(crawl.settings, item.sitemap);
  // If the page has not changed, its stored body is read. That body may exceed the limit too.
  if (mayBeLarger && (isUnchanged || isCutAt(contentLimit, outcome))) return 'isLarge';
  return isUnchanged && !(await hasWholeRecords(crawl, item)) ? 'hasLostBody' : undefined;
}

/** Whether the page is rejected by a rule that was added after the batch was selected. */
async function isRejectedByRule(crawl: JobRun, run: FetchRun, item: FetchItem, url: string): Promise<boolean> {
  const { ruleSet } = await rulesNow(crawl);
  if (!ruleSet.plugin || ruleSet.version === run.rules) return false;
  return !filterUrl([ruleSet.plugin], url, 'generate', item).accepted;
}

/** Gives the page no mark. Therefore updatedb releases its row unchanged, and the page stays due. */
function passOver({ tracker }: FetchRun, reason: LeftReason | 'rejected_rules'): 'no_request' {
  tracker.count(reason);
  tracker.done();
  return 'no_request';
}

/** @returns false if the page was not stored, because its row is damaged. This is counted. */
async function storePage({ store, tracker }: FetchRun, page: FetchedPage): Promise<boolean> {
  try {
    await store(page);
    return true;
  } catch (error) {
    countDamaged(error, tracker.count);
  }
  return false;
}
