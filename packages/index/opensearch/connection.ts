import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@opensearch-project/opensearch';
import { CrawlError, optionalPackage } from '../../errors/index.js';
import { pauseAfter, spread } from '../../util/index.js';
import { tryDecode, tryParseUrl } from '../../core/index.js';
import { isObject } from './responses.js';
import { isTransient, reasonIn, refused, toCrawlError, unexpectedResponse } from './errors.js';

export interface OpenSearchLocation {
  /** The URL of the index, such as `https://user:password@host:9200/name`. The last part of the path is the name of the index. */
  readonly url: string;
  /** Maximum number of attempts for a request that the server cannot accept now. Default: as many as `patienceMs` allows. */
  readonly tries?: number;
  /** Milliseconds from the first attempt until the request counts as failed. Default: 180,000. */
  readonly patienceMs?: number;
  /** Milliseconds before the second attempt. The time is doubled for each later attempt, up to half a minute. Default: 500. */
  readonly wait?: number;
  /**
   * Maximum time for a response in milliseconds. Default: 120,000. The time is long, because the server may still work on a request. A
   * retry would then double its work.
   */
  readonly responseMs?: number;
}

/** A connection to one index. All methods throw CrawlError BAD_SETTING when the server refuses the user, STORE_FULL, STORE_FAILED. */
export type Connection = Awaited<ReturnType<typeof connect>>;

const MAX_WAIT_MS = 30_000;

/** @throws CrawlError MISSING_PACKAGE */
export const loadOpenSearch = () =>
  optionalPackage('@opensearch-project/opensearch', 'OpenSearch', () => import('@opensearch-project/opensearch'));

/** Makes a connection without sending a request. @throws CrawlError MISSING_PACKAGE */
export async function connect({
  url,
  tries = Infinity,
  patienceMs = 180_000,
  wait = 500,
  responseMs = 120_000,
}: OpenSearchLocation) {
  const { Client } = await loadOpenSearch();
  const { node, index, username, password } = partsOf(url);
  const name = `${node.replace(/\/$/, '')}/${index}`;
  const client: Client = new Client({
    node,
    ...(username !== '' && { auth: { username, password } }),
    // The client would retry at once, and would not retry after status 429. So the code below makes the retries.
    maxRetries: 0,
    requestTimeout: responseMs,
    // The client needs no timer for dead connections, because each retry tries them again.
    resurrectStrategy: 'none',
  });

  const closing = new AbortController();
  const underWay = new Set<{ abort(): unknown }>();

  /** Limits for retries, which several requests may share. */
  function newPatience() {
    const until = performance.now() + patienceMs;
    let attempts = 0;
    return {
      get left(): number {
        return Math.max(0, until - performance.now());
      },
      /**
       * Waits before the next attempt, longer each time.
       * @throws CrawlError STORE_FAILED when no attempt or no time is left
       */
      async pause(reason: string, cause?: unknown): Promise<void> {
        attempts += 1;
        const length = spread(pauseAfter(attempts, { first: wait, most: MAX_WAIT_MS }));
        if (attempts < tries && length < this.left) return sleep(length, undefined, { signal: closing.signal });
        if (cause !== undefined) throw toCrawlError(cause, name);
        throw new CrawlError('STORE_FAILED', `${name} did not accept a request in ${attempts} tries: ${reason}`, {
          hint: 'check the server, then run the same command again: indexed pages stay, and the others are added',
        });
      },
    };
  }

  async function send(
    method: string,
    path: string,
    body: object | string | undefined,
    patience: ReturnType<typeof newPatience>,
  ): Promise<RawResponse> {
    const content = body === undefined ? {} : typeof body === 'string' ? { bulkBody: body } : { body };
    for (;;) {
      closing.signal.throwIfAborted();
      const request = client.transport.request(
        { method, path: `/${encodeURIComponent(index)}${path}`, ...content },
        { requestTimeout: Math.max(1, Math.min(responseMs, patience.left)) },
      );
      underWay.add(request);
      try {
        return await request;
      } catch (error) {
        if (!isTransient(error)) throw error;
        await patience.pause('', error);
      } finally {
        underWay.delete(request);
      }
    }
  }

  return {
    index,
    /** Server and index for messages, without user and password. */
    name,
    patience: newPatience,
    /**
     * Sends a request, with retries while the server is busy or unreachable, and resolves with the response.
     * @param path the part of the path after the name of the index, such as `/_search`
     * @param body an object, or lines of NDJSON
     */
    async ask(
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      path: string,
      body?: object | string,
      patience = newPatience(),
    ): Promise<unknown> {
      try {
        return checked(await send(method, path, body, patience), name);
      } catch (error) {
        throw toCrawlError(error, name);
      }
    },
    /** Sends a GET request, with the same retries. Undefined when the index, or the requested part of it, does not exist. */
    async find(path: string): Promise<unknown> {
      try {
        return (await send('GET', path, undefined, newPatience())).body;
      } catch (error) {
        if (error instanceof Error && (error as { readonly statusCode?: unknown }).statusCode === 404) return undefined;
        throw toCrawlError(error, name);
      }
    },
    /** Ends running requests: those without a response are rejected with CrawlError STORE_FAILED. */
    close(): Promise<void> {
      closing.abort();
      for (const request of underWay) request.abort();
      return client.close();
    },
  };
}

/** The raw result of the client. The client follows no redirects. */
interface RawResponse {
  readonly statusCode: number | null;
  readonly body: unknown;
}

/**
 * Checks that a response is from OpenSearch. @throws CrawlError STORE_FAILED for a redirect, an error with status 200, or the page of a
 * proxy
 */
function checked({ statusCode, body }: RawResponse, name: string): object {
  const status = statusCode ?? 0;
  const reason = isObject(body) ? reasonIn(body) : undefined;
  if (typeof reason?.type === 'string') throw refused(status, reason, name);
  if (status < 300 && isObject(body)) return body;
  throw unexpectedResponse(name, status < 300 ? 'JSON' : `a response, and no redirect (status ${status}),`);
}

/**
 * @returns user, password, name of the index, and as `node` the URL of the server with the path before that name
 * @throws CrawlError BAD_SETTING
 */
function partsOf(text: string) {
  const url = tryParseUrl(text);
  const [, prefix = '', index = ''] = /^(.*?\/)([^/]+)\/?$/.exec(url?.pathname ?? '') ?? [];
  const decoded = [url?.username ?? '', url?.password ?? '', index].map(tryDecode);
  const [username, password, name] = decoded;
  if (!url || !/^https?:$/.test(url.protocol) || !name || username === undefined || password === undefined) {
    throw new CrawlError('BAD_SETTING', 'expected the URL of an OpenSearch index, found another text', {
      hint: 'for instance https://user:password@localhost:9200/pages; in the password write % as %25, @ as %40, / as %2F',
    });
  }
  return { node: `${url.origin}${prefix}`, index: name, username, password };
}
