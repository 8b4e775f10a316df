import { ROBOTS_OF_OTHER_SHARD, isProxyFailure } from '../../../fetch/index.js';
import { filterUrl, type FetchOutcome } from '../../../plugin-api/index.js';
import { hostIfAny, hostOf, originOf } from '../../../url/index.js';
import { addSitemaps } from './add-sitemaps.js';
import type { CrawlContext } from '../../context.js';
import type { FetchItem, FetchRun } from '../fetch-item.js';
import { MAX_FAILURES } from '../../hosts/backoff-record.js';
import type { Failure } from '../../hosts/host-backoff.js';
import { isTooLong } from '../../hosts/queue-delays.js';
import { protocolFor } from '../../requests/protocol-for.js';

/** Why a page is not requested now. */
interface Refusal {
  /** The outcome to store for the page. Absent if the page was delayed, or left to a later batch. */
  readonly outcome?: FetchOutcome;
  /** Whether the robots.txt of the page was requested. If so, the queue waits for the delay between requests. */
  readonly asked: boolean;
}

/**
 * Decides whether a page may be requested now. It checks the back-off of the page's host, then the robots.txt of the page. Returns
 * undefined if the page may be requested.
 */
export async function mayAsk(
  crawl: CrawlContext,
  run: FetchRun,
  item: FetchItem,
  url: string,
  queue: string,
): Promise<Refusal | undefined> {
  if (isRejectedByRule(crawl, run, item, url)) return leave(run, 'rejected_rules', false);
  if (!protocolFor(crawl, url)) return { outcome: { kind: 'gone', code: 'no_protocol' }, asked: false };
  const host = hostOf(url);
  const origin = originOf(url);
  if (run.ofOtherShard.has(origin)) return leaveForOther(run, queue, false);
  const pause = await run.backoff.pauseOf(url);
  if (pause?.kind === 'set_aside') return leave(run, 'host_backoff', false);
  if (pause?.kind === 'failed') return { outcome: unreachable(pause.failure), asked: false };
  if (pause) {
    run.queues.pause(queue, pause.seconds);
    run.queues.requeue(queue, item);
    return { asked: false };
  }

  let wasSuspended = false;
  const began = performance.now();
  const rules = await run.robots.check(url, {
    onSitemaps: (sitemaps) => addSitemaps(crawl, run, item, sitemaps),
    whileOtherShard(wait) {
      wasSuspended = true;
      return run.queues.suspend(queue, wait);
    },
  });
  if (rules.kind === 'unavailable') {
    // The run has to stop. The page stays as it was.
    if (rules.code === 'aborted') return leave(run, 'given_up');
    if (isProxyFailure(rules)) return leave(run, 'proxy');
    if (rules.code === ROBOTS_OF_OTHER_SHARD) {
      run.ofOtherShard.add(origin);
      return leaveForOther(run, queue, true);
    }
    if (rules.refused) {
      return { outcome: { kind: 'gone', code: rules.code, message: rules.message }, asked: false };
    }
    // If the robots.txt redirected to another host, the failure was recorded only for that host.
    const isOwn = hostIfAny(rules.url) === host;
    if (!isOwn) await run.backoff.fail(url, await causeOf(run, rules), began);
    const tries = (item.tries ?? 0) + 1;
    if (tries >= MAX_FAILURES) {
      const pause = isOwn ? undefined : await run.backoff.pauseOf(url);
      const failure = isOwn ? isUnreachable(rules) && rules : pause?.kind === 'failed' && pause.failure;
      return failure ? { outcome: unreachable(failure), asked: true } : leave(run, 'host_backoff');
    }
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
    // An earlier fetch may have just sent a request to the same host.
    const wait = (run.since(queue) - performance.now()) / 1000 + rules.crawlDelay;
    if (wait > 0) {
      run.queues.pause(queue, wait);
      run.queues.requeue(queue, item);
      return { asked };
    }
  }
  // While the queue was suspended, another page of the queue may have started. Therefore this page goes back to the queue.
  if (!wasSuspended && (!asked || run.delays.of(queue) === 0)) return undefined;
  run.queues.requeue(queue, item);
  return { asked };
}

/** Returns why a robots.txt is unavailable. If its host is in back-off, the code is that of the last failure of this host. */
async function causeOf({ backoff }: FetchRun, rules: Failure & { readonly url: string }): Promise<Failure> {
  if (rules.code !== 'host_backoff') return rules;
  return { ...rules, code: (await backoff.pauseOf(rules.url))?.failure.code ?? rules.code };
}

/** Whether a robots.txt is unavailable because no answer arrived. A back-off does not count. */
function isUnreachable({ http, code }: Failure): boolean {
  return http === undefined && code !== 'host_backoff';
}

/** Returns the outcome of a page whose origin could not be reached. */
function unreachable({ code, message }: Failure): FetchOutcome {
  return { kind: 'retry', code, ...(message !== undefined && { message }) };
}

/** Whether the page is rejected by a rule that was added after the batch was selected. */
function isRejectedByRule({ ruleSet }: CrawlContext, run: FetchRun, item: FetchItem, url: string): boolean {
  if (!ruleSet?.plugin || ruleSet.version === run.rules) return false;
  return !filterUrl([ruleSet.plugin], url, 'generate', item).accepted;
}

/** Gives the page no mark. The page is requested after another worker has requested the robots.txt of the page's host. */
function leaveForOther(run: FetchRun, queue: string, asked: boolean): Refusal {
  run.waits(queue);
  return leave(run, 'robots_other_shard', asked);
}

/** Gives the page no mark. Therefore updatedb releases its row, and the page stays due. */
function leave(
  { tracker }: FetchRun,
  reason: 'host_backoff' | 'given_up' | 'proxy' | 'rejected_rules' | 'robots_other_shard',
  asked = true,
): Refusal {
  tracker.count(reason);
  tracker.done();
  return { asked };
}
