import type { Agent as Agents } from 'undici';
import type { Settings } from '../../../config/index.js';
import type { Reach } from '../address/address-guard.js';
import type { Lookup } from '../address/dns-cache.js';
import { guardedConnector, type ConnectOptions } from '../address/guarded-connector.js';
import type { Route } from './lenient/tolerant-exchange.js';
import { loadAgent } from '../address/load-undici.js';
import { proxyDispatcher } from './proxy.js';

export type Dispatchers = ReturnType<typeof createDispatchers>;

/** Options of {@link createDispatchers}. */
export interface DispatchersOptions {
  readonly settings: Settings['http'];
  readonly lookup: Lookup;
  readonly connectionsPerOrigin: number;
  readonly connect: ConnectOptions;
}

/**
 * Makes separate direct connections for each reach. With a proxy, all reaches share the connections to the proxy.
 * @throws what {@link loadAgent} throws
 */
export function createDispatchers({ settings, lookup, connectionsPerOrigin, connect }: DispatchersOptions) {
  const { Agent, buildConnector } = loadAgent();
  const { timeout, headerLimit } = settings;
  const limits: Agents.Options = {
    connections: connectionsPerOrigin,
    pipelining: 1,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxHeaderSize: headerLimit,
  };
  const connectOptions = { timeout, ...connect };

  if (settings.proxy !== '') {
    const tls = buildConnector({ rejectUnauthorized: true, ...connectOptions });
    const { dispatcher, destroy } = proxyDispatcher({ proxy: settings.proxy, limits, timeout, tls });
    return { routeFor: (): Route => ({ dispatcher }), destroy };
  }

  const makeRoute = (reach: Reach): Route & { readonly dispatcher: Agents } => ({
    dispatcher: new Agent({ ...limits, connect: guardedConnector({ lookup, reach, connect: connectOptions }) }),
    connector: guardedConnector({ lookup, reach, connect: connectOptions }),
  });
  // Each reach has its own connections, because a connection that one reach allows may be forbidden for another reach.
  const routes = { public: makeRoute('public'), named: makeRoute('named'), any: makeRoute('any') };
  return {
    routeFor: (reach: Reach): Route => routes[reach],
    /** Closes all connections. */
    destroy: (): Promise<void> =>
      Promise.all(Object.values(routes).map(({ dispatcher }) => dispatcher.destroy())).then(() => undefined),
  };
}
