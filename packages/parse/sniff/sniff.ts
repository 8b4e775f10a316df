import { headerValues, mediaTypeOf } from '../../util/index.js';
import { mediaSignature } from './media-signatures.js';
import { xmlForCrawlers } from './xml-for-crawlers.js';

/** How many bytes are looked at. */
const SNIFF_BYTES = 1445;

/** What servers send when they do not know. */
const UNKNOWN: ReadonlySet<string> = new Set(['', 'application/unknown', 'unknown/unknown', '*/*']);

/** What servers send for a file they do not know; `binary/octet-stream` is that of large object stores. */
const OCTETS: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream']);

/** What old servers send for any file they do not know, to the letter. */
const APACHE_DEFAULTS: ReadonlySet<string> = new Set([
  'text/plain',
  'text/plain; charset=ISO-8859-1',
  'text/plain; charset=iso-8859-1',
  'text/plain; charset=UTF-8',
]);

/** How an HTML page may begin; all but the comment must be followed by a space or `>`. */
const HTML_START =
  /^<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\t\n\f\r >])/i;

/**
 * The media type of a body by the MIME Sniffing Standard: as declared, unless that says nothing, is the default of a
 * server that does not know, or is HTML where the body is a feed. `X-Content-Type-Options: nosniff` is honoured.
 *
 * It leaves the Standard where that finds more pages: `application/octet-stream` and `binary/octet-stream` say nothing, a
 * page after a byte order mark is HTML, and so is one that begins with `<meta` or `<link`; a sitemap is distinguished from HTML as
 * a feed is, and both from plain text.
 *
 * @param declared the media type, lower-case, without parameters; empty when unknown
 * @param headers of the response, names in lower case
 */
export function sniffContentType(
  content: Uint8Array,
  declared: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const header = headers['content-type'];
  const supplied = (header === undefined ? undefined : suppliedType(header)) ?? declared;
  const nosniff = /^[\t ]*nosniff[\t ]*(?:,|$)/i.test(headers['x-content-type-options'] ?? '');
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, SNIFF_BYTES)).toString(
    'latin1',
  );
  if (UNKNOWN.has(supplied)) return unknownType(head, !nosniff);
  if (nosniff) return supplied;
  if (OCTETS.has(supplied)) return head === '' ? supplied : unknownType(head, true);
  if (supplied === 'text/html') return xmlForCrawlers(head) ?? 'text/html';
  if (supplied === 'text/plain') {
    return xmlForCrawlers(head) ?? (APACHE_DEFAULTS.has(header ?? '') ? textOrBinary(head) : supplied);
  }
  if (/^(?:image|audio|video)\/(?!.*\+xml$)/.test(supplied)) {
    const found = mediaSignature(head);
    return found !== undefined && /^(?:image|audio|video|application\/ogg)/.test(found) ? found : supplied;
  }
  return supplied;
}

/** The essence of the last value of a `Content-Type` header that is a media type. Undefined when none is. */
function suppliedType(header: string): string | undefined {
  return headerValues(header)
    .map(mediaTypeOf)
    .findLast((type) => type !== undefined);
}

function unknownType(head: string, scriptable: boolean): string {
  if (scriptable) {
    const start = head.replace(/^\xef\xbb\xbf/, '').replace(/^[\t\n\f\r ]+/, '');
    if (HTML_START.test(start) || /^<(?:meta|link)[\t\n\f\r />]/i.test(start)) return 'text/html';
    if (start.startsWith('<?xml')) return 'text/xml';
    const xml = xmlForCrawlers(head);
    if (xml !== undefined) return xml;
    if (head.startsWith('%PDF-')) return 'application/pdf';
  }
  if (hasTextMark(head)) return 'text/plain';
  return mediaSignature(head) ?? textOrBinary(head);
}

function textOrBinary(head: string): string {
  if (hasTextMark(head)) return 'text/plain';
  return /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(head) ? 'application/octet-stream' : 'text/plain';
}

/** A byte order mark. UTF-16 is full of NULs and is text all the same. */
function hasTextMark(head: string): boolean {
  return /^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)/.test(head);
}
