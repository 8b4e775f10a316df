import { isIP, type LookupFunction } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { buildConnector } from 'undici';
import { safeText } from '../../errors/index.js';
import { loadAgent } from './load-undici.js';
import { addressRefusal, type Reach } from './address-guard.js';
import type { Lookup } from './dns-cache.js';

interface GuardOptions {
  readonly lookup: Lookup;
  readonly reach: Reach;
  readonly connect?: ConnectOptions;
}

/** Options of a connection: the options of TLS, and a few more. */
export interface ConnectOptions extends SecureContextOptions {
  /** Whether certificates are verified. Environment variables have no effect. Default: true. */
  readonly rejectUnauthorized?: boolean;
  /** Maximum milliseconds until the connection is made. */
  readonly timeout?: number;
}

/**
 * Makes a connector for undici that connects only to addresses in `reach`. The connector itself looks up names, once for each connection.
 * Therefore it connects only to addresses that it has checked. It refuses a name if one of its addresses is not public, because an honest
 * name does not have both public and private addresses. For a host that the operator named, it skips link-local addresses and addresses of
 * cloud platforms, if the host has other addresses.
 */
export function guardedConnector({ lookup, reach, connect }: GuardOptions): buildConnector.connector {
  const checkedLookup: LookupFunction = (host, { all }, callback) => {
    lookup(host).then(
      (answer) => {
        const found = answer.filter((address) => isIP(address) > 0);
        const refused = found.map((address) => addressRefusal(host, address, reach));
        const usable = found.filter((_, i) => !refused[i]);
        const [first] = usable;
        const error = refused.find((refusal) => refusal !== undefined);
        if (error && (reach === 'public' || first === undefined)) callback(error, '');
        else if (first === undefined) callback(noAddress(host), '');
        else if (all)
          callback(
            null,
            usable.map((address) => ({ address, family: isIP(address) })),
          );
        else callback(null, first, isIP(first));
      },
      (error: unknown) => callback(error instanceof Error ? error : noAddress(host), ''),
    );
  };

  const connector = loadAgent().buildConnector({
    // If the first address of a name cannot be reached, the other addresses are tried. The lookup has checked all of them.
    autoSelectFamily: true,
    rejectUnauthorized: true,
    ...connect,
    lookup: checkedLookup,
  });
  return (options, callback) => {
    // If the host is an address, no lookup follows, so the address is checked here.
    const { hostname } = options;
    const error = isIP(hostname) > 0 ? addressRefusal(hostname, hostname, reach) : undefined;
    if (error) queueMicrotask(() => callback(error, null));
    else connector(options, callback);
  };
}

function noAddress(host: string): Error {
  return Object.assign(new Error(`no address for ${safeText(host)}`), { code: 'ENOTFOUND' });
}
