import { parse } from 'tldts';

/** Hosts are not validated here, because the URL parser has validated them. */
const OPTIONS = { allowPrivateDomains: false, extractHostname: false, validateHostname: false } as const;

/**
 * Returns the registrable domain of a host by the ICANN part of the public suffix list: `example.co.uk` for `www.example.co.uk`. Private
 * suffixes such as `github.io` count as ordinary domains, because one operator is responsible for them. A host without such a domain is
 * returned unchanged: an IP address, a single label, an unknown top-level domain, or a suffix.
 * @param host from {@link hostOf}; a dot at the end is ignored
 */
export function domainOf(host: string): string {
  const { domain, isIcann } = parse(host, OPTIONS);
  return isIcann && domain && !domain.startsWith('.') ? domain : host;
}

/**
 * Returns the domain of one owner. It differs from {@link domainOf} for suffixes in the private part of the list, whose sub-domains belong
 * to different owners: for `alice.github.io` it returns `alice.github.io`.
 * @param host from {@link hostOf}; a dot at the end is ignored
 */
export function ownDomainOf(host: string): string {
  const { domain, isIcann, isPrivate } = parse(host, { ...OPTIONS, allowPrivateDomains: true });
  return (isIcann || isPrivate) && domain && !domain.startsWith('.') ? domain : host;
}

/** Returns the ICANN public suffix of a host: `co.uk` for `www.example.co.uk`. Null for IP addresses and unknown suffixes. */
export function publicSuffixOf(host: string): string | null {
  const { publicSuffix, isIcann } = parse(host, OPTIONS);
  return isIcann ? publicSuffix : null;
}
