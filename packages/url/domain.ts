import { parse } from 'tldts';

/** Hosts come validated from the URL parser; private suffixes such as `github.io` count as ordinary domains. */
const OPTIONS = { allowPrivateDomains: false, extractHostname: false, validateHostname: false } as const;

/**
 * The registrable domain of a host by the ICANN part of the public suffix list: `www.example.co.uk` is of
 * `example.co.uk`. A host that has none is its own: IP addresses, single labels, unknown top-level domains, suffixes.
 * @param host as {@link hostOf} gives it; a dot at its end does not count
 */
export function domainOf(host: string): string {
  const { domain, isIcann } = parse(host, OPTIONS);
  return isIcann && domain && !domain.startsWith('.') ? domain : host;
}

/** The ICANN public suffix of a host, `co.uk` of `www.example.co.uk`; null for IP addresses and unknown ones. */
export function publicSuffixOf(host: string): string | null {
  const { publicSuffix, isIcann } = parse(host, OPTIONS);
  return isIcann ? publicSuffix : null;
}
