/** How far white space is skipped, and bytes are looked at to tell text from binary data. */
const SNIFF_BYTES = 1445;

/** What servers send when they do not know. */
const UNKNOWN: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'application/unknown',
  'unknown/unknown',
  '*/*',
]);

/** How an HTML page may begin; all but the comment must be followed by a space or `>`. */
const HTML_START =
  /^<(?:!--|(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link)[\t\n\f\r />])/i;

/**
 * The media type of a body: as declared, unless that says nothing; then `text/html`, `application/pdf` or `text/plain`
 * by its first bytes, else `application/octet-stream`. This is the least that finds pages of servers that state no
 * type; it never overrules one that is stated.
 */
export function sniffContentType(content: Uint8Array, declared: string): string {
  if (!UNKNOWN.has(declared)) return declared;
  const bytes = content.subarray(0, SNIFF_BYTES);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (head.startsWith('%PDF-')) return 'application/pdf';
  const start = head.replace(/^\u00ef\u00bb\u00bf/, '').trimStart();
  if (HTML_START.test(start)) return 'text/html';
  if (head === '' && declared !== '') return declared;
  return isText(head) ? 'text/plain' : 'application/octet-stream';
}

function isText(head: string): boolean {
  // UTF-16 is full of NULs; its byte order mark says that it is text all the same.
  if (head.startsWith('\u00fe\u00ff') || head.startsWith('\u00ff\u00fe')) return true;
  return !/[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/.test(head);
}
