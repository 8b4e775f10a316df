const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** A pattern for a host that is a plain name or an IPv4 address. It has no capturing groups. */
export const PLAIN_HOST = `(?:[a-z0-9-]+\\.)*[a-z][a-z0-9-]*|(?:${OCTET}\\.){3}${OCTET}`;
/**
 * Matches URLs that are certainly in normal form: with a {@link PLAIN_HOST}, no default port, and in path and query only characters that
 * need no escapes by RFC 3986.
 */
const PLAIN = new RegExp(
  `^https?://(?:${PLAIN_HOST})` + '(?::(?!80/|443/)(?:[1-9]\\d{0,3}|[1-5]\\d{4}))?' + '/[\\w\\-.~!$&()*+,;=:@/?]*$',
);
/** Matches a possible dot segment, or a name in Punycode. */
const NOT_PLAIN = /\/\.|xn--/;

/**
 * Whether a URL certainly stays the same when it is parsed by the WHATWG URL Standard and normalised by RFC 3986. If so, both steps can be
 * skipped. false: it is unknown whether the URL would change.
 */
export function isPlainUrl(url: string): boolean {
  return PLAIN.test(url) && !NOT_PLAIN.test(url);
}
