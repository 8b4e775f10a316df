import { hostHealth, isProxyFailure } from '../../fetch/index.js';
import { applyUrlChain, type FetchOutcome, type FetchRequest, type ProtocolCode } from '../../plugin-api/index.js';
import { hostOf } from '../../url/index.js';
import {
  urlOf,
  type EncodedFields,
  type PageChange,
  type PlainField,
  type ProtocolStatus,
  type Status,
} from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { countDamaged } from '../rows/count-damaged.js';
import { outOfScope } from '../rows/leaves-site.js';
import type { FetchItem, FetchRun } from './fetch-item.js';
import { bodyLimit } from '../requests/body-limit.js';
import { followRedirect } from './follow-redirect.js';
import { isGivenUp } from '../requests/grace-period.js';
import { pageRecord } from './page-record.js';
import { cutDifferences } from '../rules/cut-links.js';
import { parsePage } from '../parsing/parse-page.js';
import { MAX_TRIES, mayAsk } from './may-ask.js';
import { request } from '../requests/protocol-for.js';

/** Redirects in a row that are too many wherever they were followed, as in the Fetch Standard, section 4.4. */
const REDIRECT_LIMIT = 20;

/**
 * Fetches one page and stores what came of it: neighbours first, then the page's own row with its mark.
 *
 * A sitemap may be as large as their protocol allows, and only a few of that size are in memory at a time. While they
 * are, others are asked for with the limit of all pages, and those that are cut by it are asked for anew.
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
    run.queues.putBack(queue, item);
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
  const outcome = refusal?.outcome ?? (await ask(crawl, run, item, url, contentLimit));
  if (!refusal) {
    if (isGivenUp(outcome, run.giveUp)) return passOver(run, 'given_up');
    // It says nothing of the page, nor of its host: the page stays due until the proxy is back.
    if (isProxyFailure(outcome)) return passOver(run, 'proxy');
    run.delays.answered(queue, outcome.millis);
    run.queues.setDelay(queue, run.delays.of(queue));
    if (await isTriedAgain(run, item, url, outcome, queue)) return undefined;
    if (contentLimit !== bodyLimit(crawl.settings, item.sitemap) && isCutAt(contentLimit, outcome)) {
      run.queues.push(queue, { ...item, isLarge: true });
      run.tracker.count('tried_again');
      return undefined;
    }
  }
  const set: Mutable<NonNullable<PageChange['set']>> = {
    fetchedAt: crawl.clock(),
    status: statusOf(outcome),
    protocolStatus: protocolStatusOf(outcome, item, contentLimit),
    ...(outcome.millis !== undefined && { fetchMs: outcome.millis }),
  };
  // What the batch may have left on the row when it fetched it before.
  const unset = new Set<PlainField>(['redirectTarget', 'newSignature', 'fetchMs']);
  // What was parsed still holds when nothing has changed, or nobody knows whether it has.
  if (outcome.kind !== 'notmodified' && outcome.kind !== 'retry') unset.add('parseStatus');
  let isParsed = false;
  let encoded: EncodedFields = new Map();

  if (outcome.kind === 'content') {
    set.contentType = outcome.contentType;
    set.bodyBytes = outcome.body.length;
    set.headers = storedHeaders(outcome.headers);
    // An older body must not be taken for this one.
    unset.add('contentAt').add('contentVersions');
    if (run.parse) {
      while (crawl.tables.turns.isDue) await crawl.tables.turns.next();
      const { body: content, contentType } = outcome;
      const page = { url, content, contentType, headers: set.headers, sitemap: item.sitemap };
      const result = await parsePage(crawl, { ...page, truncated: outcome.truncated }, run.tracker.count);
      isParsed = result.parsed;
      encoded = result.encoded;
      for (const field of result.unset) unset.add(field);
    }
  } else if (outcome.kind === 'redirect') {
    const target = await takeTarget(crawl, run, item, url, outcome.target);
    if (target === 'too_many') {
      set.status = 'gone';
      set.protocolStatus = { ...protocolStatusOf(outcome, item, contentLimit), code: 'redirect_exceeded' };
    } else if (target !== undefined) {
      set.redirectTarget = target.url;
    }
  }
  const { db, fetcher } = crawl.settings;
  const page = { url, date: set.fetchedAt ?? 0, isCut: isCutAt(contentLimit, outcome) };
  const {
    record,
    contentVersions = [],
    discard = [],
  } = pageRecord(outcome, item, page, fetcher.storeContent ? db.keepVersions : 0);
  if (record?.kind === 'response') unset.delete('contentAt');
  if (contentVersions.length > 0) set.contentVersions = contentVersions;
  for (const field of [...Object.keys(set), ...encoded.keys()]) unset.delete(field as PlainField);
  const { tracker } = run;
  try {
    const isStored = await run.store({
      change: {
        key: item.key,
        set,
        encoded,
        unset: [...unset],
        ...(record && { record }),
        ...(discard.length > 0 && { discard }),
      },
      isParsed,
      queue,
    });
    if (!isStored) {
      tracker.count('released');
      tracker.done();
      return turn;
    }
  } catch (error) {
    countDamaged(error, tracker.count);
    return turn;
  }
  if (crawl.ruleSet || item.cutLinks) {
    crawl.rules?.cutLinks(cutDifferences(item.cutLinks, { parsed: isParsed, encoded }));
  }
  tracker.count('fetched');
  tracker.received(outcome.kind === 'content' ? outcome.body.length : 0);
  if (outcome.lenient) tracker.count('lenient');
  // The protocol of a plugin may have codes of its own.
  const code = (set.protocolStatus?.code ?? 'success') as ProtocolCode;
  if (set.status === 'gone' || set.status === 'retry') tracker.fail(code);
  else tracker.count(code);
  if (isLocked(outcome.http) && item.marks?.inject !== undefined) tracker.count('seeds_denied');
  tracker.done();
  return turn;
}

/** The server wants to know who asks, or does not want this one. */
function isLocked(http: number | undefined): boolean {
  return http === 401 || http === 403;
}

/** The page gets no mark, so updatedb releases it as it was. */
function passOver({ tracker }: FetchRun, reason: 'given_up' | 'proxy'): void {
  tracker.count(reason);
  tracker.done();
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Whether a page is asked for again in this run, because its host said to come back soon. One that drew such an answer
 * too often, or a long wait, has failed: it must not hold up the others of its host for ever.
 */
async function isTriedAgain(run: FetchRun, item: FetchItem, url: string, outcome: FetchOutcome, queue: string) {
  if (outcome.http === undefined || hostHealth(outcome) !== 'troubled') return false;
  const tries = (item.tries ?? 0) + 1;
  if (tries >= MAX_TRIES || (await run.backoff.pauseOf(hostOf(url)))?.isLong) return false;
  run.queues.push(queue, { ...item, tries });
  run.tracker.count('tried_again');
  return true;
}

async function ask(
  crawl: CrawlContext,
  run: FetchRun,
  item: FetchItem,
  url: string,
  contentLimit: number,
): Promise<FetchOutcome> {
  const allowPrivate = await run.seedHosts.mayBePrivate(url, run.giveUp);
  const condition = await conditionOf(crawl, item);
  const outcome = await run.backoff.ask(url, () =>
    request(crawl, {
      url,
      signal: run.giveUp,
      ...(contentLimit !== crawl.settings.http.contentLimit && { contentLimit }),
      ...(allowPrivate && { allowPrivate }),
      ...condition,
    }),
  );
  run.proxy.note(outcome);
  if (
    outcome.kind !== 'notmodified' ||
    condition.ifModifiedSince !== undefined ||
    condition.ifNoneMatch !== undefined
  ) {
    return outcome;
  }
  // Believed, it would leave the row for ever without what it lacks.
  return {
    ...outcome,
    kind: 'retry',
    code: 'http_error',
    message: 'answered "not modified" to a request that did not ask',
  };
}

/**
 * By which copy to ask whether the page has changed. Only one that was parsed, whose links updatedb has handed on, and
 * whose body is there where bodies are kept, makes a new one needless.
 */
async function conditionOf(
  crawl: CrawlContext,
  { contentAt, signature, newSignature, parseStatus, protocolStatus }: FetchItem,
): Promise<Pick<FetchRequest, 'ifModifiedSince' | 'ifNoneMatch'>> {
  const { lastModified, etag } = protocolStatus ?? {};
  if (lastModified === undefined && etag === undefined) return {};
  if (signature === undefined || newSignature !== undefined || parseStatus?.code !== 'success') return {};
  if (crawl.settings.fetcher.storeContent && !(contentAt && (await crawl.tables.content.has(contentAt)))) return {};
  return {
    ...(lastModified !== undefined && { ifModifiedSince: lastModified }),
    ...(etag !== undefined && { ifNoneMatch: etag }),
  };
}

/** Cookies are the server's way to know a visitor again: they are of no use to a page, and may be somebody's key. */
const NOT_STORED: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

function storedHeaders(headers: FetchOutcome['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(isStored));
}

const isStored = ([name]: [string, string]): boolean => !NOT_STORED.has(name.toLowerCase());

function statusOf(outcome: FetchOutcome): Status {
  switch (outcome.kind) {
    case 'content':
      return 'fetched';
    case 'redirect':
      return outcome.permanent ? 'redir_perm' : 'redir_temp';
    default:
      return outcome.kind;
  }
}

/** @param contentLimit bytes of the body that were asked for */
function protocolStatusOf(outcome: FetchOutcome, item: FetchItem, contentLimit: number): ProtocolStatus {
  const { code, http, message } = outcome;
  // Asked by the date or tag of a copy that came in part, the server would say that nothing has changed, for ever.
  const headers = isPart(contentLimit, outcome) ? undefined : outcome.headers;
  const lastModified = Date.parse(headers?.['last-modified'] ?? '');
  const etag = headers?.etag;
  // A server need not repeat these when nothing has changed (RFC 9110, section 15.4.5).
  const before = outcome.kind === 'notmodified' ? item.protocolStatus : undefined;
  return {
    ...(before?.lastModified !== undefined && { lastModified: before.lastModified }),
    ...(before?.etag !== undefined && { etag: before.etag }),
    code,
    ...(http !== undefined && { http }),
    ...(message !== undefined && { message: message.slice(0, 500) }),
    ...(lastModified > 0 && { lastModified }),
    ...(etag !== undefined && etag.length <= 1000 && { etag }),
    ...(outcome.kind === 'content' && outcome.truncated && { truncated: true }),
  };
}

/** Whether there was more to a body than came, and not because we wanted no more. */
function isPart(contentLimit: number, outcome: FetchOutcome): boolean {
  return outcome.kind === 'content' && outcome.truncated && !isCutAt(contentLimit, outcome);
}

/** Whether a body was cut because there was more than we wanted. */
function isCutAt(contentLimit: number, outcome: FetchOutcome): boolean {
  return outcome.kind === 'content' && outcome.truncated && contentLimit >= 0 && outcome.body.length >= contentLimit;
}

/**
 * Decides on the target of a redirect and, where it may, has it join the batch.
 * @returns the target's URL; `too_many` at the end of a chain; undefined where the target is not taken
 */
async function takeTarget(
  crawl: CrawlContext,
  run: FetchRun,
  item: FetchItem,
  url: string,
  location: string | null,
): Promise<{ readonly url: string } | 'too_many' | undefined> {
  const { count } = run.tracker;
  if (location === null) return void count('redirect_invalid');
  const verdict = applyUrlChain(crawl.plugins, location, 'redirect', item);
  if (!verdict.accepted) return void count(`redirect_rejected_${verdict.rejectedBy}`);
  if (verdict.url === url) return void count('redirect_to_itself');
  // Where a seed redirects to is what was asked for: http://example.org/ may well mean https://www.example.org/.
  const out = item.distance === 0 ? undefined : outOfScope(crawl, url, verdict.url, item.sitemap);
  if (out !== undefined) return void count(`redirect_${out}`);

  const { maxRedirects } = crawl.settings.fetcher;
  const hops = (item.redirectDepth ?? 0) + 1;
  if (hops > (maxRedirects || REDIRECT_LIMIT)) return 'too_many';
  if (maxRedirects > 0) await followRedirect(crawl, run, item, verdict.url, hops);
  return verdict;
}
