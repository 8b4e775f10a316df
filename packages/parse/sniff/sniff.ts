import { headerValues, mediaTypeOf } from '../../util/index.js';
import { mediaSignature } from './media-signatures.js';
import { officeType } from './office-type.js';
import { xmlForCrawlers } from './xml-for-crawlers.js';

const SNIFF_BYTES = 1445;

/** Types that servers send if they do not know the real type. */
const UNKNOWN: ReadonlySet<string> = new Set(['', 'application/unknown', 'unknown/unknown', '*/*']);

/** Types that servers send for an unknown file. Large object stores send `binary/octet-stream`. */
const OCTETS: ReadonlySet<string> = new Set(['application/octet-stream', 'binary/octet-stream']);

/** Types that servers send for office documents whose type they do not know: the type of the archive, or of the old format. */
const ARCHIVES: ReadonlySet<string> = new Set([
  'application/zip',
  'application/x-zip-compressed',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
]);

/** Types that old servers send for any unknown file. Only exactly these texts are such defaults. */
const APACHE_DEFAULTS: ReadonlySet<string> = new Set([
  'text/plain',
  'text/plain; charset=ISO-8859-1',
  'text/plain; charset=iso-8859-1',
  'text/plain; charset=UTF-8',
]);

/** The beginnings of an HTML page. A space or `>` must follow all of them, except a comment. */
const HTML_START =
  /^<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\t\n\f\r >])/i;

/**
 * Finds the media type of a body by the MIME Sniffing Standard. This is the declared type, with three exceptions: there is no useful
 * declared type; the declared type is a server's default for unknown files; the declared type is HTML, but the body is a feed.
 * `X-Content-Type-Options: nosniff` is obeyed.
 *
 * To find more pages, this function differs from the Standard in some points. `application/octet-stream` and `binary/octet-stream` are no
 * useful types. A body is also HTML if it begins with `<meta` or `<link`, or with a byte order mark before the page. A sitemap is
 * recognised in the same way as a feed. Both are also recognised if the declared type is plain text. An archive may be an office
 * document.
 *
 * @param declared the media type, lower-case, without parameters; empty if unknown
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
  if (UNKNOWN.has(supplied)) return unknownType(content, head, !nosniff);
  if (nosniff) return supplied;
  if (OCTETS.has(supplied)) return head === '' ? supplied : unknownType(content, head, true);
  if (ARCHIVES.has(supplied)) return officeType(content) ?? supplied;
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

/** Returns the last media type in a `Content-Type` header, without parameters. Undefined: the header has no media type. */
function suppliedType(header: string): string | undefined {
  return headerValues(header)
    .map(mediaTypeOf)
    .findLast((type) => type !== undefined);
}

function unknownType(content: Uint8Array, head: string, scriptable: boolean): string {
  if (scriptable) {
    const start = head.replace(/^\xef\xbb\xbf/, '').replace(/^[\t\n\f\r ]+/, '');
    if (HTML_START.test(start) || /^<(?:meta|link)[\t\n\f\r />]/i.test(start)) return 'text/html';
    if (start.startsWith('<?xml')) return 'text/xml';
    const xml = xmlForCrawlers(head);
    if (xml !== undefined) return xml;
    if (head.startsWith('%PDF-')) return 'application/pdf';
  }
  if (hasTextMark(head)) return 'text/plain';
  return officeType(content) ?? mediaSignature(head) ?? textOrBinary(head);
}

function textOrBinary(head: string): string {
  if (hasTextMark(head)) return 'text/plain';
  return /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(head) ? 'application/octet-stream' : 'text/plain';
}

/** Whether a body begins with a byte order mark. Such a body is text even if it has NULs, which are frequent in UTF-16. */
function hasTextMark(head: string): boolean {
  return /^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)/.test(head);
}
