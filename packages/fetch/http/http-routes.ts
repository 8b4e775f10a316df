import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { Settings } from '../../../config/index.js';
import { addressRefusal, guardedConnector, type ConnectOptions, type Reach } from '../address/address-guard.js';
import type { Lookup } from '../address/dns-cache.js';
import { lookupWithin } from '../address/lookup-within.js';
import { proxyDispatcher } from './proxy.js';
import type { Route } from './lenient/tolerant-exchange.js';

/** The ways that requests take: by connections of their own, or over a proxy. */
export interface HttpRoutes {
  /** @param allowPrivate the operator named the host; `http.privateAddresses` has the last word */
  routeFor(allowPrivate: boolean): Route;
  /**
   * Why a host must not be asked for, as an error of the network layer. Only with a proxy: it is the one that looks
   * names up and connects, so what can be done here is to look first. Without one the connector does it, and surely.
   */
  refusal(hostname: string, allowPrivate: boolean, signal?: AbortSignal): Promise<Error | undefined>;
  /** Frees all connections. */
  destroy(): Promise<void>;
}

/** How routes are made. */
export interface HttpRoutesOptions {
  readonly settings: Settings['http'];
  readonly lookup: Lookup;
  readonly connectionsPerOrigin: number;
  readonly connect: ConnectOptions;
}

/** The routes that the settings ask for. */
export function createHttpRoutes({ settings, lookup, connectionsPerOrigin, connect }: HttpRoutesOptions): HttpRoutes {
  const { timeout, headerLimit, privateAddresses } = settings;
  const limits: Agent.Options = {
    connections: connectionsPerOrigin,
    pipelining: 1,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxHeaderSize: headerLimit,
  };
  const connectOptions = { timeout, ...connect };
  const reachOf = (allowPrivate: boolean): Reach => {
    if (privateAddresses === 'allow') return 'any';
    return privateAddresses === 'seeds' && allowPrivate ? 'named' : 'public';
  };

  if (settings.proxy !== '') {
    const tls = buildConnector({ rejectUnauthorized: true, ...connectOptions });
    const { dispatcher, destroy } = proxyDispatcher({ proxy: settings.proxy, limits, timeout, tls });
    return {
      routeFor: () => ({ dispatcher }),
      refusal: (hostname, allowPrivate, signal) =>
        hostRefusal(lookup, hostname, reachOf(allowPrivate), timeout, signal),
      destroy,
    };
  }

  const makeRoute = (reach: Reach): Route & { readonly dispatcher: Agent } => ({
    dispatcher: new Agent({ ...limits, connect: guardedConnector({ lookup, reach, connect: connectOptions }) }),
    connector: guardedConnector({ lookup, reach, connect: connectOptions }),
  });
  // A connection that one request may use must not serve another that may not.
  const routes = { public: makeRoute('public'), named: makeRoute('named'), any: makeRoute('any') };
  return {
    routeFor: (allowPrivate) => routes[reachOf(allowPrivate)],
    refusal: () => Promise.resolve(undefined),
    destroy: () =>
      Promise.all(Object.values(routes).map(({ dispatcher }) => dispatcher.destroy())).then(() => undefined),
  };
}

/**
 * Why a host is not known to be in reach. One without an address is not public; where the operator named it, it is left
 * to the proxy, which may know it.
 */
async function hostRefusal(
  lookup: Lookup,
  hostname: string,
  reach: Reach,
  timeout: number,
  signal?: AbortSignal,
): Promise<Error | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (reach === 'any' || (reach === 'named' && isIP(host) > 0)) return undefined;
  let addresses: readonly string[];
  try {
    addresses = isIP(host) > 0 ? [host] : await lookupWithin(lookup, host, timeout, signal);
  } catch (error) {
    return reach === 'named' ? undefined : (error as Error);
  }
  for (const address of addresses) {
    const refusal = addressRefusal(host, address, reach);
    if (refusal) return refusal;
  }
  return undefined;
}
