import type { Settings } from '../../../config/index.js';
import { deadline, type Late } from '../../util/index.js';
import type { Lookup } from '../address/dns-cache.js';
import { loadUndici } from '../address/load-undici.js';
import { createHttpRoutes } from './http-routes.js';
import { userAgent } from './user-agent.js';

/** The answer of a server to a posted message. The body of the answer is not used. */
export interface PostedAnswer {
  readonly status: number;
  /** The header `Retry-After` as received. */
  readonly retryAfter?: string;
}

interface PostedMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Posts messages to one server. */
export interface Poster {
  /**
   * Posts a body. Redirects are not followed.
   * @param ms milliseconds after which the attempt fails
   * @throws PrivateAddressError if the server is not on the public web; any Error if no answer arrives
   */
  post(url: URL, message: PostedMessage, ms: number, signal?: AbortSignal): Promise<PostedAnswer>;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** Maximum number of bytes of an answer's body that are read, so that the connection can be used again. */
const MAX_READ_BYTES = 16_384;
/** Maximum milliseconds for which the body is read. The body may never end, and the status is already known. */
const READ_MS = 1_000;

/**
 * Makes a poster with the address check and the proxy of the fetcher.
 * @param allowPrivate true: addresses that are not on the public web are allowed too
 */
export function createPoster(
  { settings, lookup }: { readonly settings: Settings; readonly lookup: Lookup },
  allowPrivate: boolean,
): Poster {
  const routes = createHttpRoutes({
    settings: { ...settings.http, privateAddresses: allowPrivate ? 'allow' : 'deny' },
    lookup,
    connectionsPerOrigin: 1,
    connect: {},
  });
  /** Resolves when the head of the answer has arrived. */
  async function ask(url: URL, { headers, body }: PostedMessage, signal: AbortSignal) {
    const { dispatcher } = routes.routeFor(false);
    const refusal = await routes.refusal(url.hostname, false, signal);
    if (refusal) throw refusal;
    const all = { 'user-agent': userAgent(settings.http), ...headers };
    return loadUndici().request(url, { dispatcher, method: 'POST', headers: all, body, signal });
  }

  return {
    async post(url, message, ms, signal) {
      // AbortSignal.any is not used here, because a signal that lives long would keep some memory for each message.
      const over = new AbortController();
      const late = (why: Late): never => {
        throw why === 'abort' ? signal!.reason : new DOMException(`no answer in ${ms} ms`, 'TimeoutError');
      };
      try {
        const { statusCode: status, headers, body } = await deadline(ask(url, message, over.signal), ms, late, signal);
        // Only the status is needed, so errors of the body are ignored.
        const read = body.dump({ limit: MAX_READ_BYTES, signal: over.signal }).catch(() => undefined);
        await deadline<unknown>(read, READ_MS, () => undefined, signal);
        const after = headers['retry-after'];
        return { status, ...(typeof after === 'string' && { retryAfter: after }) };
      } finally {
        over.abort();
      }
    },
    close: () => routes.destroy(),
  };
}
