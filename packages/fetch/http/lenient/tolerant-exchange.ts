import type { Dispatcher, buildConnector } from 'undici';
import { createBoundedCache } from '../../../util/index.js';
import { exchange, type Exchange, type ExchangeResult } from '../http-exchange.js';
import { lenientExchange, type LenientLimits } from './lenient-exchange.js';

/** The two ways to a server: both must refuse the same addresses. */
export interface Route {
  readonly dispatcher: Dispatcher;
  /** Makes a connection for the lenient reader. Absent where there is none to be made, as through a proxy. */
  readonly connector?: buildConnector.connector;
}

/** Requests that make the best of unusual servers. */
export interface TolerantExchange {
  /**
   * Sends one GET request. Where the answer is not what the strict client takes, or breaks off within its body, the
   * request is made once more, at once, and its answer is read leniently. It never rejects, and both together end
   * within the time limit.
   */
  exchange(route: Route, request: Exchange): Promise<ExchangeResult>;
  /** Ends what is being read leniently, as `aborted`. */
  close(): void;
}

/** Origins that are remembered; the least recently asked are forgotten first. */
const MOST_ORIGINS = 10_000;

/**
 * Makes a client that remembers, while it lives, which origins only the lenient reader understands: their further pages
 * are asked for once. It is forgotten when the lenient reader does not understand them either.
 */
export function createTolerantExchange(limits: LenientLimits): TolerantExchange {
  const lenientOrigins = createBoundedCache<boolean>(MOST_ORIGINS);
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
    async exchange({ dispatcher, connector }, request) {
      const { origin } = request.url;
      const began = performance.now();
      if (!connector) return exchange(dispatcher, request);
      let isOdd = lenientOrigins.get(origin) === true;
      if (!isOdd) {
        const strict = await exchange(dispatcher, request);
        if (!('failure' in strict) || !strict.unreadable) return strict;
        // A body that broke off may have been bad luck: it says little about the other pages.
        isOdd = strict.failure === 'protocol';
      }
      const timeLimit = Math.max(1, Math.floor(request.timeLimit - (performance.now() - began)));
      const result = await readLeniently(connector, { ...request, timeLimit });
      if (isOdd) lenientOrigins.set(origin, !('failure' in result && result.failure === 'protocol'), 1);
      return 'failure' in result ? result : { ...result, lenient: true };
    },
    close() {
      closed = true;
      for (const controller of open) controller.abort();
    },
  };
}
