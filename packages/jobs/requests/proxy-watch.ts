import { CrawlError, safeText } from '../../errors/index.js';
import { isProxyFailure } from '../../fetch/index.js';
import type { FetchOutcome } from '../../plugin-api/index.js';
import type { CrawlContext } from '../context.js';

/** Detects that the proxy no longer passes on requests. Then the run ends. Otherwise the run would skip all pages. */
export type ProxyWatch = ReturnType<typeof createProxyWatch>;

/** The run ends after this number of consecutive failures at the proxy. */
const MAX_CONSECUTIVE_FAILURES = 10;
/** A proxy that worked before may fail for this number of milliseconds, because it may be restarting. */
const RESTART_MS = 30_000;

/** @param clock returns the milliseconds of a clock that is never set back */
export function createProxyWatch(
  { settings }: Pick<CrawlContext, 'settings'>,
  clock: () => number = () => performance.now(),
) {
  const { proxy } = settings.http;
  let inRow = 0;
  /** How many of the last `inRow` requests could not reach the proxy. */
  let down = 0;
  let isProven = false;
  let since = 0;
  let last = '';

  function failure(): CrawlError {
    const { host } = new URL(proxy);
    const message = `the last ${inRow} requests failed at the proxy ${safeText(host)}`;
    return new CrawlError('PROXY_FAILED', `${message}: ${safeText(last)}`, {
      hint: 'check http.proxy, and run the same command again: the pages stay due, and no host gets a back-off because of the proxy',
    });
  }

  return {
    /**
     * Records the outcome of a request.
     * @throws CrawlError PROXY_FAILED if many consecutive requests have failed at the proxy
     */
    note(outcome: FetchOutcome): void {
      if (proxy === '') return;
      if (isProxyFailure(outcome)) {
        if (inRow === 0) since = clock();
        last = outcome.message ?? outcome.code;
        inRow += 1;
        if (outcome.code === 'proxy_failed') down += 1;
        // A proxy that answers is running. It may only refuse the tunnels to some hosts.
        const isDown = outcome.code === 'proxy_failed' && inRow >= MAX_CONSECUTIVE_FAILURES;
        if (isDown && (!isProven || clock() - since >= RESTART_MS)) throw failure();
      } else if (outcome.http !== undefined) {
        isProven = true;
        inRow = 0;
        down = 0;
      }
    },
    /**
     * Checks at the end of the run whether the proxy failed.
     * @throws CrawlError PROXY_FAILED if the proxy passed on no request, or if many requests at the end could not reach the proxy. It does
     * not throw if the proxy only refused some hosts.
     */
    conclude(): void {
      if (isProven ? down >= MAX_CONSECUTIVE_FAILURES : inRow > 0) throw failure();
    },
  };
}
