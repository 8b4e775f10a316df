import { isIP, type LookupFunction } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { buildConnector } from 'undici';
import { safeText } from '../errors/index.js';
import { specialRange } from './address-ranges.js';
import type { Lookup } from './dns-cache.js';

/** A connection was not made because it would have led to an address that is not of the public web. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  /** @param range as `specialRange` names it */
  constructor(host: string, address: string, range: string) {
    const where = host === address ? safeText(host) : `${safeText(host)} is at ${safeText(address)}`;
    super(`${where}, in ${range}; see http.privateAddresses`);
  }
}

export interface GuardOptions {
  readonly lookup: Lookup;
  /** Connect to any address. */
  readonly allowPrivate: boolean;
  readonly connect?: ConnectOptions;
}

/** How connections are made: options of TLS, and a few more. */
export interface ConnectOptions extends SecureContextOptions {
  /** Whether certificates are verified. Default: true, whatever the environment says. */
  readonly rejectUnauthorized?: boolean;
  /** Milliseconds that connecting may take. */
  readonly timeout?: number;
  /** Offer HTTP/2. Default: false. */
  readonly allowH2?: boolean;
}

/**
 * A connector for undici that connects to public addresses only. What is checked is what is connected to: names are
 * looked up here, once for each connection. Where one address of a name is not public the name is refused, since an
 * honest name has no such mixture.
 */
export function guardedConnector({ lookup, allowPrivate, connect }: GuardOptions): buildConnector.connector {
  const refusal = (host: string, addresses: readonly string[]): PrivateAddressError | undefined => {
    for (const address of allowPrivate ? [] : addresses) {
      const range = specialRange(address);
      if (range !== undefined) return new PrivateAddressError(host, address, range);
    }
    return undefined;
  };

  const checkedLookup: LookupFunction = (host, { all }, callback) => {
    lookup(host).then(
      (found) => {
        const entries = found.map((address) => ({ address, family: isIP(address) })).filter(({ family }) => family > 0);
        const [first] = entries;
        if (!first) return callback(noAddress(host), '');
        const error = refusal(
          host,
          entries.map(({ address }) => address),
        );
        if (error) callback(error, '');
        else if (all) callback(null, entries);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : noAddress(host), ''),
    );
  };

  const connector = buildConnector({
    // All addresses of a name have been checked; a host whose first one can not be reached may have another.
    autoSelectFamily: true,
    rejectUnauthorized: true,
    ...connect,
    lookup: checkedLookup,
  });
  return (options, callback) => {
    // No lookup is made for a host that is an address.
    const error = isIP(options.hostname) > 0 ? refusal(options.hostname, [options.hostname]) : undefined;
    if (error) queueMicrotask(() => callback(error, null));
    else connector(options, callback);
  };
}

function noAddress(host: string): Error {
  return Object.assign(new Error(`no address for ${safeText(host)}`), { code: 'ENOTFOUND' });
}
