/** Somebody's key perhaps, and of no use to a page. */
const LEFT_OUT = /^set-cookie2?:/i;
/** They speak of the body as it was sent, which is not as it is stored. */
const OF_TRANSFER = /^(?:content-encoding|transfer-encoding|content-length):/i;

/**
 * The head of an answer as it is archived, up to the blank line: the status line and the header lines as received, but
 * without cookies. The body is stored with its codings undone, so what the server said of them is kept under another name,
 * `X-Crawler-Content-Encoding` and the like, and the length is that of the stored body: a reader that believes the headers
 * gets the body right.
 * @param head lines that end in CRLF
 * @param length bytes of the stored body; absent where an answer has none
 */
export function archivedHead(head: string, length?: number): string {
  let archived = '';
  for (const line of head.split('\r\n')) {
    if (line === '' || LEFT_OUT.test(line)) continue;
    archived += `${length !== undefined && OF_TRANSFER.test(line) ? 'X-Crawler-' : ''}${line}\r\n`;
  }
  return `${archived}${length === undefined ? '' : `Content-Length: ${length}\r\n`}\r\n`;
}

/** A head as {@link archivedHead} takes it, of which no part can break a line. */
export function httpHead(statusLine: string, headers: Iterable<readonly [name: string, value: string]>): string {
  let head = `${oneLine(statusLine).trim()}\r\n`;
  for (const [name, value] of headers) head += `${oneLine(name)}: ${oneLine(value)}\r\n`;
  return head;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, ' ');
}
