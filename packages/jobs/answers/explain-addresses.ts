import { isIP } from 'node:net';
import { hostKeyOf } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { reachOf } from '../hosts/seed-hosts.js';
import { isPrivateName } from '../hosts/seed-reach.js';

/** At which addresses a host is fetched, and why. */
export interface AddressExplanation {
  /**
   * `any`; `public` ones only; `private` ones too, but none that is link-local or a cloud platform's own; `undecided`:
   * its name is looked up before its first fetch, and that decides.
   */
  readonly allowed: 'any' | 'public' | 'private' | 'undecided';
  /** For people. */
  readonly reason: string;
}

/**
 * At which addresses the host of a URL is fetched. It looks nothing up.
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
  if (host.startsWith('[') || isIP(host) > 0) return { allowed: 'any', reason: 'this very address was injected' };
  if (isPrivateName(host)) return { allowed: 'private', reason: 'a local name was injected' };
  if (state === 'undecided') return { allowed: state, reason: 'injected, and not looked up yet' };
  return { allowed: state, reason: `injected, and its name was ${state} when it was first looked up` };
}
