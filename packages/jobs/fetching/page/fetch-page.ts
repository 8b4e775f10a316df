import { hostHealth, isProxyFailure } from '../../../fetch/index.js';
import { urlOf } from '../../../../webtable/index.js';
import type { CrawlContext } from '../../context.js';
import { MAX_FAILURES } from '../../hosts/backoff-record.js';
import { bodyLimit } from '../../requests/body-limit.js';
import { isGivenUp } from '../../requests/grace-period.js';
import { countDamaged } from '../../rows/count-damaged.js';
import type { FetchedPage, FetchItem, FetchRun } from '../fetch-item.js';
import { answeredPage, type PageAnswer } from './answered-page.js';
import { askForPage, hasWholeBody } from './ask-for-page.js';
import { countFetched } from './count-fetched.js';
import { mayAsk } from './may-ask.js';
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
  crawl: CrawlContext,
  run: FetchRun,
  item: FetchItem,
  queue: string,
): Promise<'no_request' | void> {
  const { contentLimit } = crawl.settings.http;
  const most = bodyLimit(crawl.settings, item.sitemap);
  if (most === contentLimit) return fetchUpTo(contentLimit, crawl, run, item, queue);
  const place = run.largeBodies.take();
  if (!place && item.isLarge) {
    await run.queues.suspend(queue, run.largeBodies.whenFree(run.giveUp));
    run.queues.requeue(queue, item);
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
  crawl: CrawlContext,
  run: FetchRun,
  item: FetchItem,
  queue: string,
): Promise<'no_request' | void> {
  const url = urlOf(item.key);
  const refusal = await mayAsk(crawl, run, item, url, queue);
  const turn = refusal?.asked === false ? 'no_request' : undefined;
  if (refusal && !refusal.outcome) return turn;
  if (!refusal && !(await run.mayGoOn())) {
    passOver(run, 'given_up');
    return 'no_request';
  }
  const outcome = refusal?.outcome ?? (await askForPage(crawl, run, item, url, contentLimit));
  const answer: PageAnswer = { url, outcome, contentLimit };
  if (!refusal && (await isPutOff(crawl, run, item, queue, answer))) return undefined;
  const page = await answeredPage(crawl, run, item, answer);
  if (!(await storePage(run, { ...page, queue }))) return turn;
  countFetched(crawl, run, item, url, outcome, page.change.set);
  return turn;
}

/** Whether this answer is not stored as the outcome of the page. If so, the page is requested again, or left to a later batch. */
async function isPutOff(
  crawl: CrawlContext,
  run: FetchRun,
  item: FetchItem,
  queue: string,
  { url, outcome, contentLimit }: PageAnswer,
): Promise<boolean> {
  if (isGivenUp(outcome, run.giveUp)) return passOver(run, 'given_up');
  // A failure at the proxy says nothing about the page or its host. The page stays due, and a later batch requests it again.
  if (isProxyFailure(outcome)) return passOver(run, 'proxy');
  run.delays.answered(queue, outcome.millis);
  run.queues.setDelay(queue, run.delays.of(queue));
  const again = (state: Partial<FetchItem>, counter: 'tried_again' | 'lost_body'): true => {
    run.queues.push(queue, { ...item, ...state });
    run.tracker.count(counter);
    return true;
  };
  const tries = (item.tries ?? 0) + 1;
  if (outcome.http !== undefined && hostHealth(outcome) === 'troubled') {
    // The page fails after too many answers such as 429 or 503, or if the wait would be long. Otherwise it would block the other pages of
    // its host.
    const hasFailed = tries >= MAX_FAILURES || (await run.backoff.pauseOf(url))?.kind === 'set_aside';
    if (!hasFailed) return again({ tries }, 'tried_again');
  }
  const isUnchanged = outcome.kind === 'notmodified';
  const mayBeLarger = contentLimit !== bodyLimit(crawl.settings, item.sitemap);
  // If the page has not changed, its stored body is read. That body may exceed the limit too.
  if (mayBeLarger && (isUnchanged || isCutAt(contentLimit, outcome))) return again({ isLarge: true }, 'tried_again');
  if (isUnchanged && !(await hasWholeBody(crawl, item))) return again({ hasLostBody: true }, 'lost_body');
  return false;
}

/** Gives the page no mark. Therefore updatedb releases its row unchanged. */
function passOver({ tracker }: FetchRun, reason: 'given_up' | 'proxy'): true {
  tracker.count(reason);
  tracker.done();
  return true;
}

/** @returns false if the page was not stored. The reason is counted. */
async function storePage({ store, tracker }: FetchRun, page: FetchedPage): Promise<boolean> {
  try {
    if (await store(page)) return true;
    tracker.count('released');
    tracker.done();
  } catch (error) {
    countDamaged(error, tracker.count);
  }
  return false;
}
