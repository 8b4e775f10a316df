import type { Settings } from '../../../config/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import type { FetchOutcome, FetchRequest, Protocol } from '../../plugin-api/index.js';
import { badPortOf, parseUrl } from '../../url/index.js';
import { mediaTypeOf } from '../../util/index.js';
import type { ConnectOptions } from '../address/address-guard.js';
import { decodeBody, contentCodings, encodedLimit } from './content-coding.js';
import { cachedLookup, systemLookup, type Lookup } from '../address/dns-cache.js';
import type { ExchangeResult } from './http-exchange.js';
import {
  allValues,
  firstValue,
  httpDate,
  isHeaderValue,
  joinedHeaders,
  redirectTarget,
  retryAfterSeconds,
  type RawHeaders,
} from './http-headers.js';
import { createHttpRoutes } from './http-routes.js';
import { statusVerdict } from './http-status.js';
import { networkCode, networkMessage } from './network-error.js';
import { proxyRefusal } from './proxy-error.js';
import { requestHeaders } from './request-headers.js';
import { createTolerantExchange } from './lenient/tolerant-exchange.js';

/** What the settings do not say. */
export interface HttpExtras {
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  /** Connections to one origin at the most; further requests wait. */
  readonly connectionsPerOrigin?: number;
  /** Asked once for each connection. Default: the system's resolver, with a cache. */
  readonly lookup?: Lookup;
  readonly connect?: ConnectOptions;
}

/**
 * The protocol `http` and `https`. Connections are kept alive and used again; redirects are reported, not followed.
 * Timeouts have a precision of about a second. A host at an address that is not public is `gone` with code
 * `private_address`, as `http.privateAddresses` and the request say; a port that browsers refuse, with `bad_port`.
 *
 * `fetch` rejects only for wrong use: CrawlError BAD_URL for a URL that is not http(s), CLOSED after `close`.
 * @throws CrawlError BAD_SETTING when a setting cannot be sent as a header
 */
export function httpProtocol(settings: Settings['http'], extras: HttpExtras = {}): HttpProtocol {
  const clock = extras.clock ?? Date.now;
  const headersFor = requestHeaders(settings);
  const lookup = extras.lookup ?? cachedLookup(systemLookup, { clock });
  const routes = createHttpRoutes({
    settings,
    lookup,
    connectionsPerOrigin: extras.connectionsPerOrigin ?? 64,
    connect: extras.connect ?? {},
  });
  const tolerant = createTolerantExchange(settings);
  let closed: Promise<void> | undefined;

  async function fetch(request: FetchRequest): Promise<FetchOutcome> {
    if (closed) throw new CrawlError('CLOSED', 'expected an open protocol, found it closed');
    const url = parseUrl(request.url);
    const badPort = badPortOf(url.href);
    if (badPort !== undefined)
      return { kind: 'gone', code: 'bad_port', message: `port ${badPort}, which browsers refuse` };
    const conditions = conditionalHeaders(request);
    const limit = request.contentLimit ?? settings.contentLimit;
    const started = clock();
    const allowPrivate = request.allowPrivate ?? false;
    const send = async (): Promise<ExchangeResult> => {
      const unsafe = await routes.refusal(url.hostname, allowPrivate, request.signal);
      if (unsafe) return failed(unsafe);
      const result = await tolerant.exchange(routes.routeFor(allowPrivate), {
        url,
        headers: [...headersFor(url), ...conditions],
        timeLimit: settings.timeLimit,
        signal: request.signal,
        keep: (status, answer) => bytesToKeep(status, answer, limit),
      });
      // Of https only a tunnel is asked of the proxy, and a 407 that comes through it is the server's.
      const isProxys = settings.proxy !== '' && url.protocol === 'http:' && 'status' in result && result.status === 407;
      const refusal = isProxys ? proxyRefusal(407) : undefined;
      return refusal ? failed(refusal) : result;
    };
    let result = await send();
    // A server may close an idle connection just when it is used again. That says nothing about the page.
    if ('stale' in result && result.stale && !request.signal?.aborted) result = await send();
    const now = clock();
    const outcome = await outcomeOf(result, { url, limit, now, conditional: conditions.length > 0 });
    return { ...outcome, millis: Math.max(0, now - started) };
  }

  return {
    schemes: ['http', 'https'],
    fetch,
    close() {
      tolerant.close();
      return (closed ??= routes.destroy());
    },
  };
}

/** {@link httpProtocol} takes a little more than every protocol does. */
export interface HttpProtocol extends Protocol {
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  /** Ends what is in flight, as `aborted`, and frees all connections. Calling it again does nothing. */
  close(): Promise<void>;
}

interface Context {
  readonly url: URL;
  readonly limit: number;
  readonly now: number;
  readonly conditional: boolean;
}

async function outcomeOf(result: ExchangeResult, context: Context): Promise<FetchOutcome> {
  if ('failure' in result) {
    const kind = result.failure === 'private_address' ? 'gone' : 'retry';
    return { kind, code: result.failure, message: result.message };
  }

  const { status, headers } = result;
  const verdict = statusVerdict(status, context.conditional, isLocated(headers));
  const isKept = verdict.kind === 'content' || verdict.kind === 'notmodified';
  const answer = {
    code: verdict.code,
    http: status,
    headers: joinedHeaders(headers),
    ...(result.lenient && { lenient: true }),
    ...(isKept && { statusText: result.statusText, rawHeaders: result.rawHeaders }),
  };
  if (verdict.kind === 'content') {
    const decoded = await decodeBody(result.body, answer.headers['content-encoding'], context.limit, result.cut);
    const contentType = mediaTypeOf(answer.headers['content-type'] ?? '') ?? '';
    // A part that nobody asked for is a part all the same (RFC 9110, section 15.3.7).
    const truncated = decoded.truncated || status === 206;
    return { ...answer, kind: 'content', body: decoded.body, truncated, contentType };
  }
  if (verdict.kind === 'redirect') {
    const target = redirectTarget(firstValue(headers, 'location'), context.url);
    return { ...answer, kind: 'redirect', permanent: verdict.permanent, target };
  }
  if (verdict.kind === 'notmodified') return { ...answer, kind: 'notmodified' };

  const message = safeText(`HTTP ${status} ${result.statusText}`.trim());
  if (verdict.kind === 'gone') return { ...answer, kind: 'gone', message };
  const retryAfter = retryAfterSeconds(headers, context.now);
  return { ...answer, kind: 'retry', message, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

function failed(error: Error): ExchangeResult {
  return { failure: networkCode(error), message: networkMessage(error) };
}

function conditionalHeaders(request: FetchRequest): string[] {
  const since = httpDate(request.ifModifiedSince);
  const tag = request.ifNoneMatch;
  return [
    ...(since === undefined ? [] : ['If-Modified-Since', since]),
    ...(tag && isHeaderValue(tag) ? ['If-None-Match', tag] : []),
  ];
}

/** The body of an answer that is no content is not kept; an encoded one may be slightly longer than what it encodes. */
function bytesToKeep(status: number, headers: RawHeaders, limit: number): number | undefined {
  if (statusVerdict(status, false, isLocated(headers)).kind !== 'content') return undefined;
  if (limit < 0) return Infinity;
  return contentCodings(allValues(headers, 'content-encoding'))?.length ? encodedLimit(limit) : limit;
}

function isLocated(headers: RawHeaders): boolean {
  return firstValue(headers, 'location') !== undefined;
}
