import { listen } from './http/server.js';
import { createErrorLog } from './http/error-log.js';
import { createFormGuard, type WhoMayChange } from './http/form-guard.js';
import { createHistory, SAMPLE_MS } from './live/history.js';
import { createMetrics } from './live/metrics.js';
import { createStats } from './live/stats.js';
import { createRoutes, problemAnswer } from './routes.js';
import type { ServeSource } from './source.js';
import { DEFAULT_PORT } from './default-port.js';

/** Where a server listens, and to which names it answers. */
export interface ServeAddress {
  /** 0 for any that is free. Default: {@link DEFAULT_PORT}. */
  readonly port?: number;
  /** The address that it listens on, such as `0.0.0.0` for all of this machine. Default: `127.0.0.1`, which nobody else reaches. */
  readonly address?: string;
  /** Names that it answers to beside addresses and `localhost`: those by which a reverse proxy is asked. */
  readonly names?: readonly string[];
  /**
   * Who may change rules by the pages: `none`; `local`, who asks on this machine itself, and nobody where the server listens beyond
   * `127.0.0.1` or answers to names, as behind a proxy; or `all` who reach it. Default: `local`.
   */
  readonly changes?: WhoMayChange;
}

/** How to serve. */
export interface ServeOptions extends ServeAddress {
  /**
   * Gets each failure of which clients learn only the code and what to do, the same one at most once a minute: for a log. Its message may
   * hold paths of this machine. Default: nobody gets it.
   */
  readonly onError?: (error: unknown) => void;
}

/** A server that runs. */
export interface Served extends AsyncDisposable {
  readonly port: number;
  /** Where to look: `http://localhost:8420/`. */
  readonly url: string;
  /**
   * Takes no more requests, gives those under way two seconds, and ends. A proposal that is being applied is given up, and waited for.
   * Calling it again does nothing.
   */
  close(): Promise<void>;
}

/**
 * Serves search page, dashboard, API and metrics until it is closed.
 * @throws CrawlError CANNOT_LISTEN
 */
export async function servePages(source: ServeSource, options: ServeOptions = {}): Promise<Served> {
  const { port: wanted = DEFAULT_PORT, address = '127.0.0.1', names = [], changes = 'local' } = options;
  const { onError = () => undefined } = options;
  const log = createErrorLog(onError);
  const stats = createStats(() => source.status(), { onError: log });
  const history = createHistory();
  const metrics = await createMetrics();
  const guard = createFormGuard({ changes, address, names });
  const { close: closeRoutes, ...routes } = createRoutes({ source, stats, history, metrics, guard });
  const listening = await listen({
    port: wanted,
    address,
    names,
    ...routes,
    problem: problemAnswer,
    onError: log,
    onAnswer: metrics.answered,
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
