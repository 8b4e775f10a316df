import { isIP } from 'node:net';
import { addressRefusal, type Reach } from '../address/address-guard.js';
import type { Lookup } from '../address/dns-cache.js';
import { lookupWithin } from '../address/lookup-within.js';
import { createDispatchers, type Dispatchers, type DispatchersOptions } from './dispatchers.js';
import type { Route } from './lenient/tolerant-exchange.js';

/**
 * Makes the routes for the settings: direct connections, or connections through a proxy. The HTTP client is loaded before the first request,
 * because most commands send no request.
 */
export function createHttpRoutes(options: DispatchersOptions) {
  const { settings, lookup } = options;
  let made: Dispatchers | undefined;
  const reachOf = (allowPrivate: boolean): Reach => {
    if (settings.privateAddresses === 'allow') return 'any';
    return settings.privateAddresses === 'seeds' && allowPrivate ? 'named' : 'public';
  };
  return {
    /**
     * @param allowPrivate whether the operator named the host; `http.privateAddresses` may still forbid private addresses
     * @throws what Node throws if the HTTP client cannot be loaded; the next call tries again
     */
    routeFor: (allowPrivate: boolean): Route => (made ??= createDispatchers(options)).routeFor(reachOf(allowPrivate)),
    /**
     * Returns an error if a host must not be requested. It does so only with a proxy. The proxy itself looks up names and connects, so this
     * lookup before the request is the only possible check. Without a proxy, the connector checks each connection, and this function returns
     * undefined.
     */
    refusal: (hostname: string, allowPrivate: boolean, signal?: AbortSignal): Promise<Error | undefined> =>
      settings.proxy === ''
        ? Promise.resolve(undefined)
        : hostRefusal(lookup, hostname, reachOf(allowPrivate), settings.timeout, signal),
    /** Closes all connections. */
    destroy: async (): Promise<void> => made?.destroy(),
  };
}

/**
 * With a proxy, returns an error if a host may be outside `reach`. Returns undefined if the host is in `reach`. A host without an address
 * is not public. But if the operator named this host, the request is allowed, because the proxy may know the host.
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
