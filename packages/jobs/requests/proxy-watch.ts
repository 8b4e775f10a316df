import { CrawlError, safeText } from '../../errors/index.js';
import { isProxyFailure } from '../../fetch/index.js';
import type { FetchOutcome } from '../../plugin-api/index.js';
import type { CrawlContext } from '../context.js';

/** Notices that no request gets through the proxy any more, so that a run does not pass over all pages for it. */
export type ProxyWatch = ReturnType<typeof createProxyWatch>;

/** Requests in a row that fail at the proxy before it is given up. */
const MOST = 10;
/** Milliseconds for which a proxy that did its part before may fail: it may be started anew. */
const PATIENCE = 30_000;

/** @param clock milliseconds from any origin, never set back */
export function createProxyWatch(
  { settings }: Pick<CrawlContext, 'settings'>,
  clock: () => number = () => performance.now(),
) {
  const { proxy } = settings.http;
  let inRow = 0;
  /** Of these those that did not reach the proxy. */
  let down = 0;
  let isProven = false;
  let since = 0;
  let last = '';

  function failure(): CrawlError {
    const { host } = new URL(proxy);
    const message = `expected the proxy at ${safeText(host)} to pass on requests, but the last ${inRow} failed at it`;
    return new CrawlError('PROXY_FAILED', `${message}: ${safeText(last)}`, {
      hint: 'see to http.proxy, and run the same again: the pages stay due, and no host is blamed',
    });
  }

  return {
    /**
     * Takes how a request ended.
     * @throws CrawlError PROXY_FAILED when it is one of many that failed at the proxy, and none got through meanwhile
     */
    note(outcome: FetchOutcome): void {
      if (proxy === '') return;
      if (isProxyFailure(outcome)) {
        if (inRow === 0) since = clock();
        last = outcome.message ?? outcome.code;
        inRow += 1;
        if (outcome.code === 'proxy') down += 1;
        // A proxy that answers may refuse the tunnels to some hosts only.
        const isDown = outcome.code === 'proxy' && inRow >= MOST;
        if (isDown && (!isProven || clock() - since >= PATIENCE)) throw failure();
      } else if (outcome.http !== undefined) {
        isProven = true;
        inRow = 0;
        down = 0;
      }
    },
    /**
     * Judges the run at its end.
     * @throws CrawlError PROXY_FAILED when no request got through, or the proxy was down for many at the end. One that only
     *   refuses some hosts has done its part.
     */
    conclude(): void {
      if (isProven ? down >= MOST : inRow > 0) throw failure();
    },
  };
}
