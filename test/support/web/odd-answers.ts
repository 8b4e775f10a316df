/** The result for an odd answer: the page, or the code of the failure. */
export type OddExpectation =
  | {
      readonly status: number;
      readonly body: string;
      /** The body is known to be incomplete. */
      readonly cut?: boolean;
      /** Some of the expected headers. */
      readonly headers?: Readonly<Record<string, string | readonly string[]>>;
      /** Names of headers that must be absent. */
      readonly without?: readonly string[];
    }
  | { readonly failure: string };

/** An answer that no server should give, one character for each byte. The connection is closed after it. */
export interface OddAnswer {
  readonly name: string;
  readonly bytes: string;
  readonly expected: OddExpectation;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const FIVE = 'Content-Length: 5\r\n\r\nhello';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const HELLO = { status: 200, body: 'hello' };
const PROTOCOL = { failure: 'invalid_response' };
const RESET = { failure: 'connection_reset' };

const whole = (name: string, bytes: string, more: object = {}): OddAnswer => ({
  name,
  bytes,
  expected: { ...HELLO, ...more },
});
const cut = (name: string, bytes: string, body = 'hello'): OddAnswer => ({
  name,
  bytes,
  expected: { status: 200, body, cut: true },
});
const none = (name: string, bytes: string, expected: OddExpectation = PROTOCOL): OddAnswer => ({
  name,
  bytes,
  expected,
});

/**
 * The cases, by the section of RFC 9112 that they violate. `Fetch` is the Fetch Standard. Where only browsers are named, the RFC allows a
 * client to refuse.
 */
export const ODD_ANSWERS: readonly OddAnswer[] = [
  // No status line.
  { name: 'HTTP/0.9: a page at once (browsers)', bytes: '<html>hello', expected: { status: 200, body: '<html>hello' } },
  {
    name: 'HTTP/0.9 with blank lines and more lines: kept from the first markup',
    bytes: '\r\n <p>a\r\n\r\n<p>b\n',
    expected: { status: 200, body: '<p>a\r\n\r\n<p>b\n' },
  },
  {
    name: 'HTTP/0.9 with a byte order mark, which is kept',
    bytes: '\xef\xbb\xbf<p>é',
    expected: { status: 200, body: '\xef\xbb\xbf<p>é' },
  },
  none('HTTP/0.9 without markup: it could be anything', 'hello\r\n'),
  none('the greeting of another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'),
  none('another greeting', '220 mail.example ESMTP\r\n250 OK\r\n'),
  none('headers without status line', `Content-Type: text/html\r\n${FIVE}`),
  none('bytes of TLS', '\x15\x03\x01\0\x02\x02\x46'),

  // Status lines, section 4.
  whole('ICY in place of HTTP (browsers)', `ICY 200 OK\r\n${FIVE}`),
  whole('no reason (4)', `HTTP/1.1 200\r\n${FIVE}`),
  whole('no reason, with the blank (4)', `HTTP/1.1 200 \r\n${FIVE}`),
  whole('no minor version (browsers)', `HTTP/1 200 OK\r\n${FIVE}`),
  whole('no version (browsers)', `HTTP 200 OK\r\n${FIVE}`),
  whole('lower case (browsers)', `http/1.1 200 OK\r\n${FIVE}`),
  whole('version 1.2 (browsers)', `HTTP/1.2 200 OK\r\n${FIVE}`),
  whole('version 3.0 (browsers)', `HTTP/3.0 200 OK\r\n${FIVE}`),
  whole('two blanks before the status (4, may)', `HTTP/1.1  200 OK\r\n${FIVE}`),
  whole('tabs for blanks (4, may)', `HTTP/1.1\t200\tOK\r\n${FIVE}`),
  whole('a colon after the status (browsers)', `HTTP/1.1 200: OK\r\n${FIVE}`),
  whole('no status number (browsers)', `HTTP/1.1 OK\r\n${FIVE}`),
  whole('a reason in 8-bit characters', `HTTP/1.1 200 \xe9t\xe9\r\n${FIVE}`),
  whole('CRLF before the status line (2.2)', `\r\n\r\n${OK}${FIVE}`),
  whole('LF before the status line', `\n${OK}${FIVE}`),
  whole('four bytes of rubbish before it (Chromium)', `!!!!${OK}${FIVE}`),
  whole('a byte order mark before it', `\xef\xbb\xbf${OK}${FIVE}`),
  none('more rubbish before it', `!!!!!${OK}${FIVE}`),
  none('status 000', `HTTP/1.1 000 OK\r\n${FIVE}`),
  none('status 099', `HTTP/1.1 099 OK\r\n${FIVE}`),
  none('status 20', `HTTP/1.1 20 OK\r\n${FIVE}`),
  none('status 2000', `HTTP/1.1 2000 OK\r\n${FIVE}`),
  none('status 0200', `HTTP/1.1 0200 OK\r\n${FIVE}`),
  none('a word that begins with HTTP', `HTTPS/1.1 200 OK\r\n${FIVE}`),

  // Header lines, section 5.
  whole('a folded header is one value (5.2)', `${OK}X-A: one\r\n two\r\n\tthree\r\n${FIVE}`, {
    headers: { 'x-a': 'one two three' },
  }),
  whole('a fold of blanks only is no end of the head (5.2)', `${OK}X-A: one\r\n \r\n${FIVE}`, {
    headers: { 'x-a': 'one' },
  }),
  whole('a folded line without header is passed over (2.2)', `${OK} X-A: one\r\nX-B: b\r\n${FIVE}`, {
    headers: { 'x-b': 'b' },
    without: ['x-a'],
  }),
  whole('a fold after a line that is no header goes with it', `${OK}X-B: b\r\nrubbish\r\n two\r\n${FIVE}`, {
    headers: { 'x-b': 'b' },
  }),
  whole('LF alone ends lines (2.2)', `${OK}X-A: b\r\n${FIVE}`.replaceAll('\r\n', '\n'), { headers: { 'x-a': 'b' } }),
  whole('LF and CRLF mixed (2.2)', `${OK}X-A: b\n${FIVE}`, { headers: { 'x-a': 'b' } }),
  whole('CR CR LF ends lines', `${OK}X-A: b\r\n${FIVE}`.replaceAll('\r\n', '\r\r\n'), { headers: { 'x-a': 'b' } }),
  whole('a CR in a value is a blank (2.2)', `${OK}X-A: a\rb\r\n${FIVE}`, { headers: { 'x-a': 'a b' } }),
  whole('a NUL in a value is a blank (RFC 9110, 5.5)', `${OK}X-A: a\0b\r\n${FIVE}`, { headers: { 'x-a': 'a b' } }),
  whole('a control character in a value stays', `${OK}X-A: a\x01b\x7f\r\n${FIVE}`, {
    headers: { 'x-a': 'a\x01b\x7f' },
  }),
  whole('8-bit characters in a value stay', `${OK}X-A : a\xe9b\r\n${FIVE}`, { headers: { 'x-a': 'a\xe9b' } }),
  whole('blanks before the colon are dropped (5.1)', `${OK}X-A \t: b\r\nContent-Length : 5\r\n\r\nhello, you`, {
    headers: { 'x-a': 'b', 'content-length': '5' },
  }),
  whole('a line without colon is passed over (browsers)', `${OK}rubbish here\r\nX-A: b\r\n${FIVE}`, {
    headers: { 'x-a': 'b' },
  }),
  whole('a line without name is passed over', `${OK}: x\r\n${FIVE}`, { without: [''] }),
  whole('a blank within a name', `${OK}X A: b\r\n${FIVE}`, { without: ['x a', 'x-a', 'a'] }),
  whole('an 8-bit character in a name', `${OK}X-\xe9: b\r\n${FIVE}`, { without: ['x-\xe9'] }),
  whole('a NUL in a name', `${OK}X\0A: b\r\n${FIVE}`, { without: ['x\0a', 'x a'] }),
  whole('a name with a meaning of its own', `${OK}__proto__ : x\r\nconstructor: y\r\n${FIVE}`, {
    headers: { constructor: 'y' },
  }),
  whole('a repeated header keeps all values', `${OK}X-A : 1\r\nx-a: 2\r\nX-A:3\r\n${FIVE}`, {
    headers: { 'x-a': ['1', '2', '3'] },
  }),
  none('CR alone is no end of a line (2.2)', `${OK}${FIVE}`.replaceAll('\r\n', '\r'), RESET),

  // Content-Length, section 6.3.
  whole('Content-Length that is no number is none (Fetch)', `${OK}Content-Length: abc\r\n\r\nhello`),
  whole('Content-Length with a unit', `${OK}Content-Length: 3 bytes\r\n\r\nhello`),
  whole('a negative one', `${OK}Content-Length: -5\r\n\r\nhello`),
  whole('one with a plus', `${OK}Content-Length: +3\r\n\r\nhello`),
  whole('an empty one', `${OK}Content-Length: \r\n\r\nhello`),
  whole('one of 24 digits', `${OK}Content-Length: 999999999999999999999999\r\n\r\nhello`),
  whole('"5, 5" is 5 (6.3)', `${OK}Content-Length: 5, 5\r\n\r\nhello, you`),
  whole('twice alike is one (6.3)', `${OK}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello, you`),
  none('twice different is a lie (6.3, Fetch)', `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`),
  none('"5, 6" is a lie (6.3, Fetch)', `${OK}Content-Length: 5, 6\r\n\r\nhello`),
  none('a number and a word (Fetch)', `${OK}Content-Length: 5\r\nContent-Length: x\r\n\r\nhello`),
  cut('longer than the body: kept as cut (8)', `${OK}Content-Length: 50\r\n\r\nhello`),
  cut('the same, not kept alive', `${OK}Connection: close\r\nContent-Length: 50\r\n\r\nhello`),
  none('longer, and nothing came of the body', `${OK}Content-Length: 50\r\n\r\n`, RESET),
  {
    name: 'shorter than the body: the rest is not of it (6.3)',
    bytes: `${OK}X-A : b\r\nContent-Length: 3\r\n\r\nhello`,
    expected: { status: 200, body: 'hel' },
  },
  whole('rubbish after the answer is not read', `${OK}X-A : b\r\n${FIVE}RUBBISH\0\r\n\r\nHTTP/1.1 500 No\r\n\r\n`),

  // Transfer-Encoding, sections 6.1 and 7.
  whole(
    'Content-Length before chunked: chunked counts (6.3)',
    `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ),
  whole(
    'Content-Length after chunked',
    `${OK}Transfer-Encoding: Chunked\r\nContent-Length: 3\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ),
  whole(
    'lengths that differ, and chunked',
    `${OK}Content-Length: 3\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ),
  whole('identity, and a length (browsers)', `${OK}Transfer-Encoding: identity\r\n${FIVE}, you`),
  whole(
    'chunked in HTTP/1.0 and a strange word',
    'HTTP/1.0 200 OK\r\nX-A : b\r\nTransfer-Encoding: x, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  ),
  whole('blanks around the size of a chunk', `${CHUNKED} \t5 \t\r\nhello\r\n0\r\n\r\n`),
  whole('zeros before it', `${CHUNKED}0000000000000000000005 \r\nhello\r\n000\r\n\r\n`),
  whole('odd extensions', `${CHUNKED}2;=\x01;a="b\r\nhe\r\n3 ; x\r\nllo\r\n0;end\r\n\r\n`),
  whole('LF alone in chunks (7.1)', `${CHUNKED}5\nhello\n0\n\n`.replace('chunked\r\n\r\n', 'chunked\n\n')),
  whole('a trailer that is none', `${CHUNKED}5\r\nhello\r\n0\r\nrubbish here\r\n\r\n`),
  whole('a last chunk without its empty line', `${CHUNKED}5\r\nhello\r\n0\r\n`),
  cut('no last chunk: kept as cut (8)', `${CHUNKED}5\r\nhello\r\n`),
  cut('the same, not kept alive', CHUNKED.replace('OK\r\n', 'OK\r\nConnection: close\r\n') + '5\r\nhello\r\n'),
  cut('a chunk that ends early', `${CHUNKED}50\r\nhello`),
  cut('a size that is no number, after good chunks', `${CHUNKED}5\r\nhello\r\nzz\r\nyou\r\n`),
  cut('a chunk that is longer than its size', `${CHUNKED}5\r\nhello!!\r\n0\r\n\r\n`),
  cut('no line end after a chunk', `${CHUNKED}5\r\nhello0\r\n\r\n`),
  cut('a size that never ends', `${CHUNKED}5\r\nhello\r\n${'1'.repeat(70_000)}`),
  none('no chunks at all', `${CHUNKED}hello`, RESET),
  none('a size that is no number', `${CHUNKED}zz\r\nhello\r\n0\r\n\r\n`),
  none('a size with 0x', `${CHUNKED}0x5\r\nhello\r\n0\r\n\r\n`),
  none('a negative size', `${CHUNKED}-5\r\nhello\r\n0\r\n\r\n`),
  none('a size beyond all numbers', `${CHUNKED}ffffffffffffffffffff\r\nhello`),
  none('an empty size', `${CHUNKED}\r\nhello\r\n0\r\n\r\n`),

  // Interim answers and answers without body, sections 6.3 and 9.
  whole('100 Continue unasked', `HTTP/1.1 100 Continue\r\n\r\n${OK}${FIVE}`),
  whole(
    'several interim answers',
    `HTTP/1.1 100\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n${OK}X-A : b\r\n${FIVE}`,
    {
      without: ['link'],
    },
  ),
  whole('interim answers of no known number', `HTTP/1.1 150\r\n\r\nHTTP/1.1 199 X\r\n\r\n${OK}X-A : b\r\n${FIVE}`),
  none('101 unasked', `HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n${OK}${FIVE}`),
  none('101 without Upgrade', `HTTP/1.1 101 Switching\r\n\r\n${OK}${FIVE}`),
  none('an interim answer and no more', 'HTTP/1.1 100 Continue\r\n\r\n', RESET),
  { name: '204 with a body', bytes: `HTTP/1.1 204 No Content\r\n${FIVE}`, expected: { status: 204, body: '' } },
  {
    name: '204 with a body in chunks',
    bytes: 'HTTP/1.1 204 None\r\nX-A : b\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    expected: { status: 204, body: '' },
  },
  whole('HTTP/1.0 keep-alive without length', 'HTTP/1.0 200 OK\r\nX-A : b\r\nConnection: keep-alive\r\n\r\nhello'),
  {
    name: 'a status beyond 599',
    bytes: 'HTTP/1 600 What\r\n\r\nhello',
    expected: { status: 600, body: '' },
  },
  {
    name: 'a redirect with a folded Location',
    bytes: 'HTTP/1.1 302 Found\r\nLocation:\r\n /x\r\n\r\n',
    expected: { status: 302, body: '', headers: { location: '/x' } },
  },

  // Answers that end before the end of their head, section 8.
  none('an empty answer', '', RESET),
  none('nothing but line breaks', '\r\n\r\n', RESET),
  none('half a status line', 'HTTP/1.1 20', RESET),
  none('half a header', `${OK}Conte`, RESET),
  none('no end of the head', `${OK}X-A: b\r\n`, RESET),
  none('a page in the head', `${OK}<html>hello</html>`, RESET),
];

const PIECES = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  ':',
  '\0',
  '\xff',
  ',',
  ';',
  '<',
  'HTTP/1.1 ',
  '200',
  '0',
  '-',
  'chunked',
];

/** One of the odd answers, with some random changes; `random` is a number from 0 to 1. */
export function oddBytes(random: () => number): string {
  const pick = (below: number): number => Math.floor(random() * below);
  const answer = (): string => (ODD_ANSWERS[pick(ODD_ANSWERS.length)]?.bytes ?? '').slice(0, 300);
  let bytes = answer();
  for (let i = pick(4); i >= 0; i--) {
    const at = pick(bytes.length + 1);
    const before = bytes.slice(0, at);
    const changes = [
      () => (PIECES[pick(PIECES.length)] ?? '') + bytes.slice(at),
      () => bytes.slice(at + 1 + pick(9)),
      () => String.fromCharCode(pick(256)) + bytes.slice(at + 1),
      () => answer().slice(pick(100)),
      () => bytes.slice(at, at + 20).repeat(pick(500)) + bytes.slice(at),
    ];
    bytes = before + (changes[pick(changes.length)]?.() ?? '');
  }
  return bytes;
}
