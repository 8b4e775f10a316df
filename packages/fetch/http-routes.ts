import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { Settings } from '../../config/index.js';
import { PrivateAddressError, guardedConnector, type ConnectOptions } from './address-guard.js';
import { specialRange } from './address-ranges.js';
import type { Lookup } from './dns-cache.js';
import { proxyDispatcher } from './proxy.js';
import type { Route } from './tolerant-exchange.js';

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
  const { timeout, headerLimit, http2: allowH2, privateAddresses } = settings;
  const limits: Agent.Options = {
    connections: connectionsPerOrigin,
    pipelining: 1,
    headersTimeout: timeout,
    bodyTimeout: timeout,
    maxHeaderSize: headerLimit,
    allowH2,
  };
  const connectOptions = { timeout, allowH2, ...connect };
  const isFree = (allowPrivate: boolean): boolean =>
    privateAddresses === 'allow' || (privateAddresses === 'seeds' && allowPrivate);

  if (settings.proxy !== '') {
    const tls = buildConnector({ rejectUnauthorized: true, ...connectOptions });
    const { dispatcher, destroy } = proxyDispatcher({ proxy: settings.proxy, limits, timeout, tls });
    return {
      routeFor: () => ({ dispatcher }),
      refusal: async (hostname, allowPrivate, signal) =>
        isFree(allowPrivate) ? undefined : refusedHost(lookup, hostname, timeout, signal),
      destroy,
    };
  }

  const makeRoute = (allowPrivate: boolean): Route & { readonly dispatcher: Agent } => ({
    dispatcher: new Agent({ ...limits, connect: guardedConnector({ lookup, allowPrivate, connect: connectOptions }) }),
    // The lenient reader knows no HTTP/2, and what a server says there is never odd in its way.
    ...(!allowH2 && { connector: guardedConnector({ lookup, allowPrivate, connect: connectOptions }) }),
  });
  // A connection that one request may use must not serve another that may not.
  const routes = { public: makeRoute(false), any: makeRoute(true) };
  return {
    routeFor: (allowPrivate) => (isFree(allowPrivate) ? routes.any : routes.public),
    refusal: () => Promise.resolve(undefined),
    destroy: () =>
      Promise.all([routes.public.dispatcher.destroy(), routes.any.dispatcher.destroy()]).then(() => undefined),
  };
}

/** Why a host is not known to be public; one without an address is not. */
async function refusedHost(
  lookup: Lookup,
  hostname: string,
  timeout: number,
  signal?: AbortSignal,
): Promise<Error | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = isIP(host) > 0 ? [host] : await within(timeout, lookup(host), signal);
    for (const address of addresses) {
      const range = specialRange(address);
      if (range !== undefined) return new PrivateAddressError(host, address, range);
    }
    return addresses.length > 0 ? undefined : unknownHost('no address');
  } catch (thrown) {
    return thrown instanceof Error ? thrown : unknownHost('no address');
  }
}

/** What is promised, unless it takes too long or is given up; then it rejects. */
function within<T>(ms: number, promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(Object.assign(new Error('the request was aborted'), { code: 'UND_ERR_ABORTED' }));
    const timer = setTimeout(() => reject(unknownHost(`no answer of DNS after ${ms} ms`)), ms);
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    });
  });
}

function unknownHost(text: string): Error {
  return Object.assign(new Error(text), { code: 'ENOTFOUND' });
}
