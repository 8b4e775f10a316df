import { hostHealth, isProxyFailure } from '../fetch/index.js';
import { applyUrlChain, type FetchOutcome } from '../plugin-api/index.js';
import { hostOf } from '../url/index.js';
import {
  urlOf,
  type EncodedFields,
  type PageChange,
  type PlainField,
  type ProtocolStatus,
  type Status,
} from '../../webtable/index.js';
import type { CrawlContext } from './context.js';
import { countDamaged } from './damaged.js';
import { leavesSite } from './external.js';
import type { FetchItem, FetchRun } from './fetch-item.js';
import { followRedirect } from './follow-redirect.js';
import { isGivenUp } from './grace-period.js';
import { parsePage } from './parse-page.js';
import { MAX_TRIES, mayAsk } from './may-ask.js';
import { request } from './protocol-for.js';

/** Redirects in a row that are too many wherever they were followed, as in the Fetch Standard, section 4.4. */
const REDIRECT_LIMIT = 20;

/** Fetches one page and stores what came of it: neighbours first, then the page's own row with its mark. */
export async function fetchPage(
  crawl: CrawlContext,
  run: FetchRun,
  item: FetchItem,
  queue: string,
): Promise<'no_request' | void> {
  const url = urlOf(item.key);
  const refusal = await mayAsk(crawl, run, item, url, queue);
  const told = refusal?.asked === false ? 'no_request' : undefined;
  if (refusal && !refusal.outcome) return told;
  const outcome = refusal?.outcome ?? (await ask(crawl, run, item, url));
  if (!refusal) {
    if (isGivenUp(outcome, run.giveUp)) return passOver(run, 'given_up');
    // It says nothing of the page, nor of its host: the page stays due until the proxy is back.
    if (isProxyFailure(outcome)) return passOver(run, 'proxy');
    run.delays.answered(queue, outcome.millis);
    run.queues.setDelay(queue, run.delays.of(queue));
    if (await isTriedAgain(run, item, url, outcome, queue)) return undefined;
  }
  const set: Mutable<NonNullable<PageChange['set']>> = {
    prevFetchTime: crawl.clock(),
    status: statusOf(outcome),
    protocolStatus: protocolStatusOf(crawl, outcome, item),
  };
  // What the batch may have left on the row when it fetched it before.
  const unset = new Set<PlainField>(['redirect', 'newSignature']);
  // What was parsed still stands when nothing has changed.
  if (outcome.kind !== 'notmodified') unset.add('parseStatus');
  let isParsed = false;
  let encoded: EncodedFields = new Map();

  if (outcome.kind === 'content') {
    set.contentType = outcome.contentType;
    set.headers = storedHeaders(outcome.headers);
    // An older body must not be taken for this one.
    if (crawl.settings.fetcher.storeContent) set.content = outcome.body;
    else unset.add('content');
    if (run.parse) {
      while (crawl.table.turns.isDue) await crawl.table.turns.next();
      const page = { url, content: outcome.body, contentType: outcome.contentType, headers: set.headers };
      const result = await parsePage(crawl, { ...page, truncated: outcome.truncated }, run.tracker.count);
      isParsed = result.parsed;
      encoded = result.encoded;
      for (const field of result.unset) unset.add(field);
    }
  } else if (outcome.kind === 'redirect') {
    const target = await takeTarget(crawl, run, item, url, outcome.target);
    if (target === 'too_many') {
      set.status = 'gone';
      set.protocolStatus = { ...protocolStatusOf(crawl, outcome, item), code: 'redirect_exceeded' };
    } else if (target !== undefined) {
      set.redirect = target.url;
    }
  }
  for (const field of [...Object.keys(set), ...encoded.keys()]) unset.delete(field as PlainField);
  const { tracker, batchId } = run;
  try {
    const marks = { fetch: batchId, parse: isParsed ? batchId : null };
    await run.write({ key: item.key, set, encoded, unset: [...unset], marks });
  } catch (error) {
    countDamaged(error, tracker.count);
    return told;
  }
  tracker.count('fetched');
  tracker.count(set.protocolStatus?.code ?? 'success');
  tracker.done();
  return told;
}

/** The page gets no mark, so updatedb lets go of it as it was. */
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
  if (tries >= MAX_TRIES || (await run.backoff.restOf(hostOf(url)))?.isLong) return false;
  run.queues.push(queue, { ...item, tries });
  run.tracker.count('tried_again');
  return true;
}

async function ask(crawl: CrawlContext, run: FetchRun, item: FetchItem, url: string): Promise<FetchOutcome> {
  // Only a page whose last copy was parsed, and its links handed on by updatedb, can do without a new copy.
  const isDone =
    item.signature !== undefined && item.newSignature === undefined && item.parseStatus?.code === 'success';
  const copy = isDone ? item.protocolStatus : undefined;
  const allowPrivate = await run.seedHosts.mayBePrivate(url, run.giveUp);
  const outcome = await run.backoff.ask(url, () =>
    request(crawl, {
      url,
      signal: run.giveUp,
      ...(allowPrivate && { allowPrivate }),
      ...(copy?.lastModified !== undefined && { ifModifiedSince: copy.lastModified }),
      ...(copy?.etag !== undefined && { ifNoneMatch: copy.etag }),
    }),
  );
  run.proxy.note(outcome);
  return outcome;
}

/** Cookies are the server's way to know a visitor again: they are of no use to a page, and may be somebody's key. */
const NOT_STORED: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

function storedHeaders(headers: FetchOutcome['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_STORED.has(name.toLowerCase())));
}

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

function protocolStatusOf(crawl: CrawlContext, outcome: FetchOutcome, item: FetchItem): ProtocolStatus {
  const { code, http, message } = outcome;
  // Asked by the date or tag of a copy that came in part, the server would say that nothing has changed, for ever.
  const headers = isPart(crawl, outcome) ? undefined : outcome.headers;
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
function isPart({ settings }: CrawlContext, outcome: FetchOutcome): boolean {
  const { contentLimit } = settings.http;
  return outcome.kind === 'content' && outcome.truncated && (contentLimit < 0 || outcome.body.length < contentLimit);
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
  const verdict = applyUrlChain(crawl.plugins, location, 'redirect');
  if (!verdict.accepted) return void count(`redirect_rejected_${verdict.rejectedBy}`);
  if (verdict.url === url) return void count('redirect_to_itself');
  // Where a seed redirects to is what was asked for: http://example.org/ may well mean https://www.example.org/.
  if (item.distance !== 0 && leavesSite(crawl, url, verdict.url)) return void count('redirect_external');

  const { maxRedirects } = crawl.settings.fetcher;
  const hops = (item.redirects ?? 0) + 1;
  if (hops > (maxRedirects || REDIRECT_LIMIT)) return 'too_many';
  if (maxRedirects > 0) await followRedirect(crawl, run, item, verdict.url, hops);
  return verdict;
}
