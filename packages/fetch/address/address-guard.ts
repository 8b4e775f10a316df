import { isIP, type LookupFunction } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { buildConnector } from 'undici';
import { safeText } from '../../errors/index.js';
import { literalOnlyRange, specialRange } from './address-ranges.js';
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

/**
 * Which addresses may be connected to: `public` ones only; for a host that the operator `named`, those written in a URL
 * itself, and of a name all but those of one link and of cloud platforms; or `any`.
 */
export type Reach = 'public' | 'named' | 'any';

/** Why the address of a host must not be connected to; undefined where it may. */
export function addressRefusal(host: string, address: string, reach: Reach): PrivateAddressError | undefined {
  if (reach === 'any' || (reach === 'named' && isIP(host) > 0)) return undefined;
  const range = reach === 'public' ? specialRange(address) : literalOnlyRange(address);
  return range === undefined ? undefined : new PrivateAddressError(host, address, range);
}

/** What {@link guardedConnector} takes. */
export interface GuardOptions {
  readonly lookup: Lookup;
  readonly reach: Reach;
  readonly connect?: ConnectOptions;
}

/** How connections are made: options of TLS, and a few more. */
export interface ConnectOptions extends SecureContextOptions {
  /** Whether certificates are verified. Default: true, whatever the environment says. */
  readonly rejectUnauthorized?: boolean;
  /** Milliseconds that connecting may take. */
  readonly timeout?: number;
}

/**
 * A connector for undici that connects to the addresses in reach only. What is checked is what is connected to: names
 * are looked up here, once for each connection. Where one address of a name is not public the name is refused, since an
 * honest name has no such mixture; but a host that the operator named may have a link-local address beside others, which
 * is passed over.
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

  const connector = buildConnector({
    // All addresses of a name have been checked; a host whose first one cannot be reached may have another.
    autoSelectFamily: true,
    rejectUnauthorized: true,
    ...connect,
    lookup: checkedLookup,
  });
  return (options, callback) => {
    // No lookup is made for a host that is an address.
    const { hostname } = options;
    const error = isIP(hostname) > 0 ? addressRefusal(hostname, hostname, reach) : undefined;
    if (error) queueMicrotask(() => callback(error, null));
    else connector(options, callback);
  };
}

function noAddress(host: string): Error {
  return Object.assign(new Error(`no address for ${safeText(host)}`), { code: 'ENOTFOUND' });
}
