const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
/** A host of plain names or an IPv4 address, as a pattern without groups. */
export const PLAIN_HOST = `(?:[a-z0-9-]+\\.)*[a-z][a-z0-9-]*|(?:${OCTET}\\.){3}${OCTET}`;
/**
 * URLs that are certainly in normal form: a {@link PLAIN_HOST}, no port that may be the default, and in path and query only what
 * RFC 3986 allows there unescaped.
 */
const PLAIN = new RegExp(
  `^https?://(?:${PLAIN_HOST})` + '(?::(?!80/|443/)(?:[1-9]\\d{0,3}|[1-5]\\d{4}))?' + '/[\\w\\-.~!$&()*+,;=:@/?]*$',
);
/** What may be a dot segment, or a name in Punycode. */
const NOT_PLAIN = /\/\.|xn--/;

/**
 * Whether a URL is certainly one that parsing by the WHATWG URL Standard and normalising by RFC 3986 leave as it is, so
 * that they may be spared. Of those that are not it says nothing.
 */
export function isPlainUrl(url: string): boolean {
  return PLAIN.test(url) && !NOT_PLAIN.test(url);
}
