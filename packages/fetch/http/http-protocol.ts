import type { Settings } from '../../../config/index.js';
import { CrawlError, safeText } from '../../errors/index.js';
import type { FetchOutcome, FetchRequest, Protocol } from '../../plugin-api/index.js';
import { badPortOf, parseUrl } from '../../url/index.js';
import { mediaTypeOf } from '../../util/index.js';
import type { ConnectOptions } from '../address/guarded-connector.js';
import { contentCodings, decodeBody, encodedLimit, unsupportedCoding } from './content-coding.js';
import { cachedLookup, listLookup, systemLookup, type Lookup } from '../address/dns-cache.js';
import type { ExchangeResult } from './http-exchange.js';
import {
  allValues,
  firstValue,
  httpDate,
  isHeaderValue,
  joinedHeaders,
  redirectTarget,
  isChallenge,
  retryAfterSeconds,
  type RawHeaders,
} from './http-headers.js';
import { createHttpRoutes } from './http-routes.js';
import { statusVerdict } from './http-status.js';
import { networkCode, networkMessage } from './network-error.js';
import { proxyRefusal } from './proxy-error.js';
import { requestHeaders } from './request-headers.js';
import { createTolerantExchange } from './lenient/tolerant-exchange.js';

/** Options of the protocol in addition to the settings. */
export interface HttpExtras {
  /** Returns the milliseconds since the epoch. */
  readonly clock?: () => number;
  /** Maximum number of connections to one origin. Further requests wait. */
  readonly connectionsPerOrigin?: number;
  /** Looks up a host, once for each connection. Default: the resolver of the operating system, with a cache. */
  readonly lookup?: Lookup;
  readonly connect?: ConnectOptions;
}

/**
 * The protocol for `http` and `https`. Connections are reused. Redirects are reported, and not followed. Timeouts are precise to about a
 * second. If browsers refuse the port of a URL, the page is `gone` with code `bad_port`. If the address of a host is not public,
 * `http.privateAddresses` and the request decide whether the page is `gone` with code `private_address`.
 *
 * `fetch` rejects only if it is used wrongly: with CrawlError BAD_URL for a URL that is not http(s), and with CLOSED after `close`.
 * @throws CrawlError BAD_SETTING if a setting cannot be sent as a header
 */
export function httpProtocol(settings: Settings['http'], extras: HttpExtras = {}): HttpProtocol {
  const clock = extras.clock ?? Date.now;
  const headersFor = requestHeaders(settings);
  const lookup = extras.lookup ? listLookup(extras.lookup) : cachedLookup(systemLookup, { clock });
  const routes = createHttpRoutes({
    settings,
    lookup,
    connectionsPerOrigin: extras.connectionsPerOrigin ?? 64,
    connect: extras.connect ?? {},
  });
  const tolerant = createTolerantExchange(settings);
  let closed: Promise<void> | undefined;

  async function fetch(request: FetchRequest): Promise<FetchOutcome> {
    if (closed) throw new CrawlError('CLOSED', 'the protocol is closed');
    const url = parseUrl(request.url);
    const badPort = badPortOf(url.href);
    if (badPort !== undefined)
      return { kind: 'gone', code: 'bad_port', message: `port ${badPort} is blocked by browsers` };
    const conditions = conditionalHeaders(request);
    const limit = request.contentLimit ?? settings.contentLimit;
    const allowPrivate = request.allowPrivate ?? false;
    // The time to load the HTTP client is not measured.
    const route = routes.routeFor(allowPrivate);
    const started = clock();
    const send = async (): Promise<ExchangeResult> => {
      const unsafe = await routes.refusal(url.hostname, allowPrivate, request.signal);
      if (unsafe) return failed(unsafe);
      const result = await tolerant.exchange(route, {
        url,
        method: request.headOnly ? 'HEAD' : 'GET',
        headers: [...headersFor(url), ...conditions],
        timeLimitMs: settings.timeLimitMs,
        signal: request.signal,
        keep: (status, answer) => bytesToKeep(status, answer, limit),
      });
      // Only a 407 for an `http` URL comes from the proxy. For an `https` URL the proxy only makes a tunnel, and a 407 through the tunnel
      // comes from the server.
      const isProxys = settings.proxy !== '' && url.protocol === 'http:' && 'status' in result && result.status === 407;
      const refusal = isProxys ? proxyRefusal(407) : undefined;
      return refusal ? failed(refusal) : result;
    };
    let result = await send();
    // A server may close an idle connection just when a request reuses it. This says nothing about the page, so the request is sent again.
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

/** The result of {@link httpProtocol}. */
export interface HttpProtocol extends Protocol {
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  /** Aborts requests in flight, with code `aborted`, and closes all connections. A second call does nothing. */
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
    const unsupported = unsupportedCoding(answer.headers['content-encoding']);
    if (unsupported !== undefined && result.body.length > 0) {
      const message = `the body has the content coding ${unsupported}, which cannot be decoded`;
      return { ...answer, kind: 'retry', code: 'unsupported_coding', message };
    }
    const decoded = await decodeBody(result.body, answer.headers['content-encoding'], context.limit, result.cut);
    const contentType = mediaTypeOf(answer.headers['content-type'] ?? '') ?? '';
    // A 206 answer counts as incomplete, even if the request asked for no range (RFC 9110, section 15.3.7).
    const truncated = decoded.truncated || status === 206;
    return { ...answer, kind: 'content', body: decoded.body, truncated, contentType };
  }
  if (verdict.kind === 'redirect') {
    const target = redirectTarget(firstValue(headers, 'location'), context.url);
    return { ...answer, kind: 'redirect', permanent: verdict.permanent, target };
  }
  if (verdict.kind === 'notmodified') return { ...answer, kind: 'notmodified' };

  const message = safeText(`HTTP ${status} ${result.statusText}`.trim());
  if (isChallenge(answer.headers)) answer.code = 'challenge';
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

/**
 * Returns the maximum number of bytes to read of a body. Returns undefined if the answer is not content. An encoded body may be slightly
 * longer than the decoded body.
 */
function bytesToKeep(status: number, headers: RawHeaders, limit: number): number | undefined {
  if (statusVerdict(status, false, isLocated(headers)).kind !== 'content') return undefined;
  if (limit < 0) return Infinity;
  return contentCodings(allValues(headers, 'content-encoding'))?.length ? encodedLimit(limit) : limit;
}

function isLocated(headers: RawHeaders): boolean {
  return firstValue(headers, 'location') !== undefined;
}
