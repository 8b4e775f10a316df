import { isIP } from 'node:net';
import { safeText } from '../../errors/index.js';
import { literalOnlyRange, specialRange } from './address-ranges.js';

/** Thrown if a connection is refused because its address is not on the public web. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';

  /** @param range the range of the address, as `specialRange` returns it */
  constructor(host: string, address: string, range: string) {
    const where = host === address ? safeText(host) : `${safeText(host)} is at ${safeText(address)}`;
    super(`${where}, in ${range}; see http.privateAddresses`);
  }
}

/**
 * The addresses to which connections are allowed. `public`: only public addresses. `any`: all addresses. `named` is for a host that the
 * operator named. If the URL contains an address, `named` allows this address. If the URL contains a name, `named` allows all addresses of
 * the name, except link-local addresses and addresses of cloud platforms.
 */
export type Reach = 'public' | 'named' | 'any';

/** Returns why a connection to an address of a host is refused. Returns undefined if it is allowed. */
export function addressRefusal(host: string, address: string, reach: Reach): PrivateAddressError | undefined {
  if (reach === 'any' || (reach === 'named' && isIP(host) > 0)) return undefined;
  const range = reach === 'public' ? specialRange(address) : literalOnlyRange(address);
  return range === undefined ? undefined : new PrivateAddressError(host, address, range);
}
