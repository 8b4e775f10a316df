import { isIP } from 'node:net';
import { hostKeyOf, type CrawlContext, reachOf, isPrivateName } from '../../core/index.js';

/** The addresses at which a host may be fetched, and the reason. */
export interface AddressExplanation {
  /**
   * `any`: all addresses. `public`: only public addresses. `private`: also private addresses, except link-local addresses and special
   * addresses of cloud platforms. `undecided`: decided by the lookup before the first fetch.
   */
  readonly allowed: 'any' | 'public' | 'private' | 'undecided';
  /** The reason, as text for people. */
  readonly reason: string;
}

/**
 * Returns the addresses at which the host of a URL may be fetched. The host is not looked up.
 * @param host as URLs spell it
 */
export async function explainAddresses(
  { tables, settings }: Pick<CrawlContext, 'tables' | 'settings'>,
  host: string,
): Promise<AddressExplanation> {
  const { privateAddresses } = settings.http;
  if (privateAddresses === 'allow') return { allowed: 'any', reason: 'http.privateAddresses is allow' };
  if (privateAddresses === 'deny') return { allowed: 'public', reason: 'http.privateAddresses is deny' };
  const state = await reachOf(tables, hostKeyOf(host));
  if (state === undefined) return { allowed: 'public', reason: 'no page of this host was injected' };
  if (host.startsWith('[') || isIP(host) > 0) return { allowed: 'any', reason: 'exactly this address was injected' };
  if (isPrivateName(host)) return { allowed: 'private', reason: 'a local name was injected' };
  if (state === 'undecided') return { allowed: state, reason: 'injected, and not looked up yet' };
  return { allowed: state, reason: `injected, and its name was ${state} when it was first looked up` };
}
