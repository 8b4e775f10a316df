import { headerValues, mediaTypeOf } from '../../util/index.js';
import { officeType } from './office-type.js';

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

/** Content that may precede the root element: white space, comments, declarations and instructions. */
const BEFORE_ROOT = /^(?:\xef\xbb\xbf)?(?:[\t\n\f\r ]|<!--[^]*?-->|<!(?!--)[^>]*>|<\?[^]*?\?>)*/;

/** Matches the start of a sitemap or of a sitemap index. The name may have a prefix. */
const SITEMAP = /^<(?:[\w.-]+:)?(?:urlset|sitemapindex)[\t\n\f\r />]/i;

/**
 * Finds the real type of a feed or a sitemap that is declared as HTML or text. A feed is recognised by the rules of the MIME Sniffing
 * Standard for mislabelled feeds. A sitemap is recognised in the same way, by its root element. Undefined: the body is neither of these.
 * @param head the first bytes, as Latin-1
 */
function xmlForCrawlers(head: string): string | undefined {
  const root = head.replace(BEFORE_ROOT, '');
  if (root.startsWith('<rss')) return 'application/rss+xml';
  if (root.startsWith('<feed')) return 'application/atom+xml';
  if (SITEMAP.test(root.slice(0, 100))) return 'application/xml';
  const isRss =
    root.startsWith('<rdf:RDF') &&
    root.includes('http://purl.org/rss/1.0/') &&
    root.includes('http://www.w3.org/1999/02/22-rdf-syntax-ns#');
  return isRss ? 'application/rss+xml' : undefined;
}

/** Media types by the first bytes of a body. The bytes are Latin-1 characters, and `?` means any byte. */
const SIGNATURES: readonly (readonly [signature: string, type: string])[] = [
  ['%!PS-Adobe-', 'application/postscript'],
  ['\0\0\x01\0', 'image/x-icon'],
  ['\0\0\x02\0', 'image/x-icon'],
  ['BM', 'image/bmp'],
  ['GIF87a', 'image/gif'],
  ['GIF89a', 'image/gif'],
  ['RIFF????WEBPVP', 'image/webp'],
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff', 'image/jpeg'],
  ['FORM????AIFF', 'audio/aiff'],
  ['ID3', 'audio/mpeg'],
  ['OggS\0', 'application/ogg'],
  ['MThd\0\0\0\x06', 'audio/midi'],
  ['RIFF????AVI ', 'video/avi'],
  ['RIFF????WAVE', 'audio/wave'],
  ['\x1f\x8b\x08', 'application/x-gzip'],
  ['PK\x03\x04', 'application/zip'],
  ['Rar \x1a\x07\0', 'application/x-rar-compressed'],
];

/**
 * The type of an image, audio, video, archive or PostScript body, by the tables of the MIME Sniffing Standard. Undefined: the body is of
 * another type.
 * @param head the first bytes, as Latin-1
 */
function mediaSignature(head: string): string | undefined {
  for (const [signature, type] of SIGNATURES) if (matches(head, signature)) return type;
  if (isMp4(head)) return 'video/mp4';
  return isWebm(head) ? 'video/webm' : undefined;
}

function matches(head: string, signature: string): boolean {
  if (head.length < signature.length) return false;
  for (let i = 0; i < signature.length; i++) {
    if (signature.charAt(i) !== '?' && signature.charAt(i) !== head.charAt(i)) return false;
  }
  return true;
}

/** Whether a body begins with an `ftyp` box, and this box names a brand of MP4. */
function isMp4(head: string): boolean {
  if (head.length < 12 || head.slice(4, 8) !== 'ftyp') return false;
  const size = Buffer.from(head.slice(0, 4), 'latin1').readUInt32BE();
  if (size > head.length || size % 4 !== 0) return false;
  if (head.startsWith('mp4', 8)) return true;
  for (let at = 16; at + 3 <= size; at += 4) if (head.startsWith('mp4', at)) return true;
  return false;
}

/** Whether a body is EBML, and its document type is `webm`. */
function isWebm(head: string): boolean {
  if (!head.startsWith('\x1a\x45\xdf\xa3')) return false;
  const at = head.slice(0, 38).indexOf('\x42\x82', 4);
  // The length of the name is before the name, and there may be padding between them.
  return at !== -1 && /^\x42\x82[^\0]{1,4}\0*webm/s.test(head.slice(at, at + 38));
}
