import type { Dispatcher, buildConnector } from 'undici';
import { createBoundedCache } from '../../../util/index.js';
import { exchange, type Exchange, type ExchangeResult } from '../http-exchange.js';
import { lenientExchange, type LenientLimits } from './lenient-exchange.js';

/** The two ways to connect to a server. Both must refuse the same addresses. */
export interface Route {
  readonly dispatcher: Dispatcher;
  /** Connects for the lenient reader. Absent if the lenient reader cannot be used, for example with a proxy. */
  readonly connector?: buildConnector.connector;
}

/** Maximum number of remembered origins. The least recently used origins are removed first. */
const MAX_ORIGINS = 10_000;

/**
 * Makes a client that remembers the origins whose answers only the lenient reader can read. Further pages of these origins are requested
 * once, with the lenient reader. If the lenient reader cannot read an answer either, the origin of the answer is forgotten.
 */
export function createTolerantExchange(limits: LenientLimits) {
  const lenientOrigins = createBoundedCache<boolean>(MAX_ORIGINS);
  const open = new Set<AbortController>();
  let closed = false;

  async function readLeniently(connector: buildConnector.connector, request: Exchange): Promise<ExchangeResult> {
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    if (closed || request.signal?.aborted) stop();
    open.add(controller);
    request.signal?.addEventListener('abort', stop);
    const result = await lenientExchange(connector, { ...request, signal: controller.signal }, limits);
    request.signal?.removeEventListener('abort', stop);
    open.delete(controller);
    return result;
  }

  return {
    /**
     * Sends one request. If the strict client cannot read the answer, or the answer breaks off within its body, a second request is sent at
     * once, and its answer is read leniently. It never rejects, and both requests together end within the time limit.
     */
    async exchange({ dispatcher, connector }: Route, request: Exchange): Promise<ExchangeResult> {
      const { origin } = request.url;
      const began = performance.now();
      // The answer to a HEAD request decides nothing, so a second request is not needed.
      if (!connector || request.method === 'HEAD') return exchange(dispatcher, request);
      let isOdd = lenientOrigins.get(origin) === true;
      if (!isOdd) {
        const strict = await exchange(dispatcher, request);
        if (!('failure' in strict) || !strict.unreadable) return strict;
        // An origin is remembered only if an answer breaks the protocol. If a body breaks off, this may be a coincidence.
        isOdd = strict.failure === 'invalid_response';
      }
      const timeLimitMs = Math.max(1, Math.floor(request.timeLimitMs - (performance.now() - began)));
      const result = await readLeniently(connector, { ...request, timeLimitMs });
      if (isOdd) lenientOrigins.set(origin, !('failure' in result && result.failure === 'invalid_response'), 1);
      return 'failure' in result ? result : { ...result, lenient: true };
    },
    /** Aborts lenient requests, with code `aborted`. */
    close(): void {
      closed = true;
      for (const controller of open) controller.abort();
    },
  };
}
