import { ROBOTS_ELSEWHERE, isProxyFailure } from '../../fetch/index.js';
import { filterUrl, type FetchOutcome } from '../../plugin-api/index.js';
import { hostOf } from '../../url/index.js';
import { addSitemaps } from './add-sitemaps.js';
import type { CrawlContext } from '../context.js';
import type { FetchItem, FetchRun } from './fetch-item.js';
import { isTooLong } from '../hosts/queue-delays.js';
import { protocolFor } from '../requests/protocol-for.js';
import { hostIfAny } from '../requests/robots-backoff.js';

/** Why a page is not asked for now. */
export interface Refusal {
  /** What came of the page; absent where it was put off, or was left to a later batch as if it had not been in this one. */
  readonly outcome?: FetchOutcome;
  /** Its robots.txt was fetched, so the queue has to wait. */
  readonly asked: boolean;
}

/** Requests that one run spends on a page, or on its robots.txt, while the host keeps it waiting. */
export const MAX_TRIES = 3;

/** Whether the server may be asked for a page now: by its back-off, then by robots.txt. Undefined when it may. */
export async function mayAsk(
  crawl: CrawlContext,
  run: FetchRun,
  item: FetchItem,
  url: string,
  queue: string,
): Promise<Refusal | undefined> {
  if (isCut(crawl, run, item, url)) return leave(run, 'rejected_rules', false);
  if (!protocolFor(crawl, url)) return { outcome: { kind: 'gone', code: 'no_protocol' }, asked: false };
  const host = hostOf(url);
  const { origin } = new URL(url);
  if (run.elsewhere.has(origin)) return leaveForOther(run, queue, false);
  const pause = await run.backoff.pauseOf(host);
  if (pause) {
    if (pause.isLong) return leave(run, 'host_backoff', false);
    run.queues.pause(queue, pause.seconds);
    run.queues.putBack(queue, item);
    return { asked: false };
  }

  let wasSuspended = false;
  const rules = await run.robots.check(url, {
    onSitemaps: (sitemaps) => addSitemaps(crawl, run, item, sitemaps),
    whileElsewhere(wait) {
      wasSuspended = true;
      return run.queues.suspend(queue, wait);
    },
  });
  if (rules.kind === 'unavailable') {
    // The run is to stop, and the page stays as it was.
    if (rules.code === 'aborted') return leave(run, 'given_up');
    if (isProxyFailure(rules)) return leave(run, 'proxy');
    if (rules.code === ROBOTS_ELSEWHERE) {
      run.elsewhere.add(origin);
      return leaveForOther(run, queue, true);
    }
    if (rules.refused) {
      return { outcome: { kind: 'gone', code: rules.code, message: rules.message }, asked: false };
    }
    // Where a redirect led to another host, only that one's failure has been noted.
    if (hostIfAny(rules.url) !== host) await run.backoff.fail(host, rules);
    const tries = (item.tries ?? 0) + 1;
    if (tries >= MAX_TRIES) return leave(run, 'host_backoff');
    run.queues.push(queue, { ...item, tries });
    return { asked: true };
  }
  const asked = rules.asked === true;
  if (rules.kind === 'denied') {
    const message = rules.line && `line ${rules.line.number}: ${rules.line.text}`;
    return { outcome: { kind: 'gone', code: 'robots_denied', ...(message !== undefined && { message }) }, asked };
  }
  if (rules.crawlDelay !== undefined) {
    if (isTooLong(crawl.settings.fetcher, rules.crawlDelay)) {
      const message = `Crawl-delay: ${rules.crawlDelay}`;
      return { outcome: { kind: 'gone', code: 'crawl_delay_too_long', message }, asked };
    }
    run.delays.crawlDelay(queue, rules.crawlDelay);
    run.queues.setDelay(queue, run.delays.of(queue));
    // The fetch before this one may have asked the same host.
    const wait = (run.since(queue) - performance.now()) / 1000 + rules.crawlDelay;
    if (wait > 0) {
      run.queues.pause(queue, wait);
      run.queues.putBack(queue, item);
      return { asked };
    }
  }
  // After a suspension the queue may have started another page; a new turn is taken.
  if (!wasSuspended && (!asked || run.delays.of(queue) === 0)) return undefined;
  run.queues.putBack(queue, item);
  return { asked };
}

/** Whether a rule refuses the page that was not there when the batch was selected. */
function isCut({ ruleSet }: CrawlContext, run: FetchRun, item: FetchItem, url: string): boolean {
  if (!ruleSet?.plugin || ruleSet.version === run.rules) return false;
  return !filterUrl([ruleSet.plugin], url, 'generate', item).accepted;
}

/** The page gets no mark, and is asked for when somebody else has asked for the robots.txt of its host. */
function leaveForOther(run: FetchRun, queue: string, asked: boolean): Refusal {
  run.waits(queue);
  return leave(run, 'robots_elsewhere', asked);
}

/** The page gets no mark, so updatedb releases it, and it stays due. */
function leave(
  { tracker }: FetchRun,
  reason: 'host_backoff' | 'given_up' | 'proxy' | 'rejected_rules' | 'robots_elsewhere',
  asked = true,
): Refusal {
  tracker.count(reason);
  tracker.done();
  return { asked };
}
