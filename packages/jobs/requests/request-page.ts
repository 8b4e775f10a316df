import { hostHealth, isProxyFailure } from '../../fetch/index.js';
import type { FetchOutcome, FetchRequest } from '../../plugin-api/index.js';
import { hostIfAny, hostOf } from '../../url/index.js';
import { MAX_FAILURES } from '../hosts/backoff-record.js';
import type { Failure } from '../hosts/host-backoff.js';
import { isTooLong } from '../hosts/queue-delays.js';
import { isGivenUp } from './grace-period.js';
import { protocolFor, request, type Requesting } from './protocol-for.js';
import type { Requests } from './requests.js';

/** A request that waits in the queue of its host. */
export interface PageRequest {
  readonly url: string;
  /** Number of requests that failed in this run, for the page or for the robots.txt of its host. */
  readonly tries?: number | undefined;
  /** Aborts the request when its run has to stop. */
  readonly giveUp: AbortSignal;
  readonly headOnly?: boolean;
  /**
   * Set if a person requests this one document. Then its robots.txt does not apply, and a failure is not retried. `allowPrivate`: its host may
   * be at a private address.
   */
  readonly forPerson?: { readonly allowPrivate: boolean };
  /** Maximum bytes of the body. Absent: `http.contentLimit`. */
  readonly contentLimit?: number;
  /** Returns the date and tag of a stored copy, for a conditional request. Absent: the request has no condition. */
  readonly condition?: () => Promise<Pick<FetchRequest, 'ifModifiedSince' | 'ifNoneMatch'>>;
  /** Called with the sitemaps that a robots.txt names, if this request is the first that uses the file. */
  readonly onSitemaps?: (sitemaps: readonly string[]) => Promise<void>;
}

/**
 * Why a page was not requested, and has no outcome. `host_backoff`: its host is in a back-off longer than a fetch waits. `given_up`: the run
 * has to stop. `proxy_failed`: the proxy failed.
 */
export type LeftReason = 'host_backoff' | 'given_up' | 'proxy_failed';

/** The result of one turn of a request. */
export type RequestTurn = {
  /** Whether a request was sent to the host. If so, the queue waits for the delay between requests. */
  readonly asked: boolean;
} & (
  | {
      readonly kind: 'outcome';
      readonly outcome: FetchOutcome;
      /** Whether the page was requested. Otherwise the outcome is known without a request, for example `robots_denied`. */
      readonly isOfPage: boolean;
    }
  | {
      /** The request needs another turn of its queue: the next turn, or a turn after the other requests of the queue. */
      readonly kind: 'again';
      readonly place: 'next' | 'last';
      readonly tries: number;
      /** Whether the page was requested in this turn. */
      readonly isOfPage: boolean;
    }
  | { readonly kind: 'left'; readonly reason: LeftReason }
);

/**
 * Requests one page in a turn of its queue, as polite as a crawl: it checks the back-off of the host, then the robots.txt, then waits for a
 * Crawl-delay. It needs no row of the page, and stores only the back-off and the robots.txt of the host. A page that gets a 429 or 503 is
 * requested up to three times.
 */
export async function requestPage(
  crawl: Requesting,
  requests: Requests,
  page: PageRequest,
  queue: string,
): Promise<RequestTurn> {
  const { url, tries = 0, giveUp } = page;
  const { queues, delays, backoff } = requests;
  if (!protocolFor(crawl, url)) return known({ kind: 'gone', code: 'unsupported_scheme' }, false);
  const pause = await backoff.pauseOf(url);
  if (pause?.kind === 'set_aside') return left('host_backoff', false);
  if (pause?.kind === 'failed') return known(unreachable(pause.failure), false);
  if (pause) {
    queues.pause(queue, pause.seconds);
    return again('next', tries, false);
  }
  const refusal = page.forPerson ? undefined : await checkRobots(crawl, requests, page, queue);
  if (refusal) return refusal;
  if (!(await requests.mayGoOn())) return left('given_up', false);

  const outcome = await send(crawl, requests, page);
  if (isGivenUp(outcome, giveUp)) return left('given_up', true);
  // A failure at the proxy says nothing about the page or its host.
  if (isProxyFailure(outcome)) return left('proxy_failed', true);
  delays.answered(queue, outcome.millis);
  queues.setDelay(queue, delays.of(queue));
  if (outcome.http !== undefined && hostHealth(outcome) === 'troubled' && !page.forPerson) {
    // The page fails after too many responses such as 429 or 503, or if the wait would be long. Otherwise it would block the other pages of
    // its host.
    const hasFailed = tries + 1 >= MAX_FAILURES || (await backoff.pauseOf(url))?.kind === 'set_aside';
    if (!hasFailed) return { ...again('last', tries + 1, true), isOfPage: true };
  }
  return { kind: 'outcome', outcome, isOfPage: true, asked: true };
}

async function send(crawl: Requesting, requests: Requests, page: PageRequest): Promise<FetchOutcome> {
  const { url, giveUp, headOnly = false, contentLimit, forPerson } = page;
  const allowPrivate = forPerson ? forPerson.allowPrivate : await requests.seedHosts.mayBePrivate(url, giveUp);
  const condition = (await page.condition?.()) ?? {};
  const outcome = await requests.backoff.ask(url, () =>
    request(crawl, {
      url,
      signal: giveUp,
      ...(headOnly && { headOnly }),
      ...(contentLimit !== undefined && contentLimit !== crawl.settings.http.contentLimit && { contentLimit }),
      ...(allowPrivate && { allowPrivate }),
      ...condition,
    }),
  );
  requests.proxy.note(outcome);
  const hasCondition = condition.ifModifiedSince !== undefined || condition.ifNoneMatch !== undefined;
  if (outcome.kind !== 'notmodified' || hasCondition) return outcome;
  // The row may lack data of the page. If this response counted as "not modified", the row would never get this data.
  return {
    ...outcome,
    kind: 'retry',
    code: 'http_error',
    message: 'the response is "not modified", but the request had no condition',
  };
}

/** Checks the robots.txt of a page. Returns undefined if the page may be requested in this turn. */
async function checkRobots(
  crawl: Requesting,
  requests: Requests,
  { url, tries: before = 0, onSitemaps }: PageRequest,
  queue: string,
): Promise<RequestTurn | undefined> {
  const { queues, delays, backoff } = requests;
  let wasSuspended = false;
  const began = performance.now();
  const rules = await requests.robots.check(url, {
    ...(onSitemaps && { onSitemaps }),
    whileRedirected(wait) {
      wasSuspended = true;
      return queues.suspend(queue, wait);
    },
  });
  if (rules.kind === 'unavailable') {
    if (rules.code === 'aborted') return left('given_up', true);
    if (isProxyFailure(rules)) return left('proxy_failed', true);
    if (rules.refused) return known({ kind: 'gone', code: rules.code, message: rules.message }, false);
    // If the robots.txt redirected to another host, the failure was recorded only for that host.
    const isOwn = hostIfAny(rules.url) === hostOf(url);
    if (!isOwn) await backoff.fail(url, await causeOf(requests, rules), began);
    const tries = before + 1;
    if (tries < MAX_FAILURES) return again('last', tries, true);
    const pause = isOwn ? undefined : await backoff.pauseOf(url);
    const failure = isOwn ? isUnreachable(rules) && rules : pause?.kind === 'failed' && pause.failure;
    return failure ? known(unreachable(failure), true) : left('host_backoff', true);
  }
  const asked = rules.asked === true;
  if (rules.kind === 'denied') {
    const message = rules.line && `line ${rules.line.number}: ${rules.line.text}`;
    return known({ kind: 'gone', code: 'robots_denied', ...(message !== undefined && { message }) }, asked);
  }
  if (rules.crawlDelay !== undefined) {
    if (isTooLong(crawl.settings.fetcher, rules.crawlDelay)) {
      return known({ kind: 'gone', code: 'crawl_delay_too_long', message: `Crawl-delay: ${rules.crawlDelay}` }, asked);
    }
    delays.crawlDelay(queue, rules.crawlDelay);
    queues.setDelay(queue, delays.of(queue));
    // An earlier job may have just sent a request to the same host.
    const wait = (requests.since(queue) - performance.now()) / 1000 + rules.crawlDelay;
    if (wait > 0) {
      queues.pause(queue, wait);
      return again('next', before, asked);
    }
  }
  // While the queue was suspended, another page of the queue may have started. Therefore this page goes back to the queue.
  if (!wasSuspended && (!asked || delays.of(queue) === 0)) return undefined;
  return again('next', before, asked);
}

const known = (outcome: FetchOutcome, asked: boolean): RequestTurn => ({
  kind: 'outcome',
  outcome,
  isOfPage: false,
  asked,
});

const left = (reason: LeftReason, asked: boolean): RequestTurn => ({ kind: 'left', reason, asked });

const again = (place: 'next' | 'last', tries: number, asked: boolean) =>
  ({ kind: 'again', place, tries, isOfPage: false, asked }) as const;

/** Returns why a robots.txt is unavailable. If its host is in back-off, the code is that of the last failure of this host. */
async function causeOf({ backoff }: Requests, rules: Failure & { readonly url: string }): Promise<Failure> {
  if (rules.code !== 'host_backoff') return rules;
  return { ...rules, code: (await backoff.pauseOf(rules.url))?.failure.code ?? rules.code };
}

/** Whether a robots.txt is unavailable because no response arrived. A back-off does not count. */
function isUnreachable({ http, code }: Failure): boolean {
  return http === undefined && code !== 'host_backoff';
}

/** Returns the outcome of a page whose origin could not be reached. */
function unreachable({ code, message }: Failure): FetchOutcome {
  return { kind: 'retry', code, ...(message !== undefined && { message }) };
}
