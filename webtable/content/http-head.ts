/** Headers that are left out: cookies may be secret, and no reader of an archive needs them. */
const LEFT_OUT = /^set-cookie2?:/i;
/** These headers describe the body as it was sent, not as it is stored. */
const OF_TRANSFER = /^(?:content-encoding|transfer-encoding|content-length):/i;

/**
 * Returns the head of an answer in the form for the archive, up to the blank line: the status line and the header lines as received,
 * without cookies. The body is stored decoded. Therefore `Content-Length` is the length of the stored body, and headers on transfer get
 * other names, such as `X-Crawler-Content-Encoding`. With these headers, any reader decodes the body correctly.
 * @param head lines that end with CRLF
 * @param length bytes of the stored body; absent if an answer has no body
 */
export function archivedHead(head: string, length?: number): string {
  let archived = '';
  for (const line of head.split('\r\n')) {
    if (line === '' || LEFT_OUT.test(line)) continue;
    archived += `${length !== undefined && OF_TRANSFER.test(line) ? 'X-Crawler-' : ''}${line}\r\n`;
  }
  return `${archived}${length === undefined ? '' : `Content-Length: ${length}\r\n`}\r\n`;
}

/** Makes an HTTP head for {@link archivedHead}. A value cannot insert a line break. */
export function httpHead(statusLine: string, headers: Iterable<readonly [name: string, value: string]>): string {
  let head = `${oneLine(statusLine).trim()}\r\n`;
  for (const [name, value] of headers) head += `${oneLine(name)}: ${oneLine(value)}\r\n`;
  return head;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, ' ');
}
