import type { Settings } from '../core/index.js';
import { listen } from './http/server.js';
import { createFormGuard, type WriteAccess } from './http/form-guard.js';
import { createHistory, SAMPLE_MS } from './live/history.js';
import { createMetrics } from './live/metrics.js';
import { createStats } from './live/stats.js';
import { createPageReplies } from './page-replies.js';
import { createRoutes } from './routes.js';
import { createSite, type SiteOptions } from './site/site.js';
import type { ServeSource } from './source.js';
import { DEFAULT_PORT } from './default-port.js';
import { messageOf } from '../errors/index.js';

/** The address that a server listens on, and the names that it accepts. */
export interface ServeAddress {
  /** The port to listen on. 0: any free port. Default: {@link DEFAULT_PORT}. */
  readonly port?: number;
  /**
   * The address to listen on, such as `0.0.0.0` for all addresses of this machine. Default: `127.0.0.1`, which only this machine can reach.
   */
  readonly address?: string;
  /**
   * Host names that the server accepts, in addition to addresses and `localhost`. For a server behind a reverse proxy, give the public
   * names here.
   */
  readonly names?: readonly string[];
  /**
   * Who may change rules on the pages. `none`: no one. `local`: users of this machine, but no one if the server listens on other addresses
   * than `127.0.0.1`, or has `names`, as behind a proxy. `all`: everyone who can reach the server. Default: `local`.
   */
  readonly changes?: WriteAccess;
}

/** Options for serving. */
export interface ServeOptions extends ServeAddress {
  /**
   * Called with each failure that clients see only as a code and a hint, so that the failure can be logged. The same failure is reported at
   * most once a minute. The message may contain paths of this machine. Default: failures are not reported.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Name, picture and colours of the search page. Default: those of webcrawl. For `serve` of the library, the default is the settings
   * `search.site`.
   */
  readonly site?: SiteOptions;
}

/** A running server. */
export interface RunningServer extends AsyncDisposable {
  readonly port: number;
  /** The URL of the start page: `http://localhost:8420/`. */
  readonly url: string;
  /**
   * Ends the server. It accepts no more requests, and gives running requests two seconds. A proposal that is being applied is cancelled,
   * and `close` waits until that work has ended. A second call does nothing.
   */
  close(): Promise<void>;
}

/**
 * Serves search page, dashboard, API and metrics until `close` is called. The other options are settings of `serve`.
 * @throws CrawlError CANNOT_LISTEN; BAD_SETTING for a picture that cannot be used
 */
export async function servePages(
  source: ServeSource,
  options: ServeOptions & Partial<Settings['serve']> = {},
): Promise<RunningServer> {
  const { port: wanted = DEFAULT_PORT, address = '127.0.0.1', names = [], changes = 'local' } = options;
  const { onError = () => undefined, trustedProxies = [], allowedOrigins = [] } = options;
  const log = createErrorLog(onError);
  const stats = createStats(() => source.status(), { onError: log });
  const history = createHistory();
  const metrics = await createMetrics();
  const guard = createFormGuard({ changes, address, names });
  const site = await createSite(options.site ?? {});
  const replies = createPageReplies(site, guard);
  const context = { source, stats, history, metrics, guard, site, replies, onError: log };
  const { close: closeRoutes, ...routes } = createRoutes(context);
  const listening = await listen({
    port: wanted,
    address,
    names,
    ...routes,
    problem: replies.problem,
    onError: log,
    onResponse: metrics.responded,
    onRefused: metrics.refused,
    trustedProxies,
    allowedOrigins,
  });
  async function sample(): Promise<void> {
    const { status, problem } = await stats.read();
    if (status && !problem) history.add(status);
  }
  const timer = setInterval(() => void sample(), SAMPLE_MS);
  void sample();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    clearInterval(timer);
    return (closing ??= Promise.all([listening.close(), closeRoutes()]).then(() => undefined));
  };
  const { port } = listening;
  const host = ['127.0.0.1', '::1', '0.0.0.0', '::'].includes(address)
    ? 'localhost'
    : address.includes(':')
      ? `[${address}]`
      : address;
  return { port, url: `http://${host}:${port}/`, close, [Symbol.asyncDispose]: close };
}

/** The same failure is reported only once in this time. */
const REPEAT_MS = 60_000;
const MAX_REMEMBERED_FAILURES = 100;

/**
 * Reports failures. Clients get only the code of a failure. The same failure is reported at most once a minute.
 * @param report reports one failure; if it throws, the error is ignored
 */
export function createErrorLog(report: (error: unknown) => void, now: () => number = () => performance.now()) {
  const reported = new Map<string, number>();
  return (error: unknown): void => {
    const message = messageOf(error);
    const at = reported.get(message);
    if (at !== undefined && now() - at < REPEAT_MS) return;
    if (reported.size >= MAX_REMEMBERED_FAILURES) reported.clear();
    reported.set(message, now());
    try {
      report(error);
    } catch {
      // A failing log must not prevent a response.
    }
  };
}
