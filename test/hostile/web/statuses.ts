import { andClose, endless, html, status } from './answers.js';
import { CUT, GOOD, UNSEEN, all, range, type Behaviour } from '../behaviour.js';

/** A page that ends with this status. */
function ends(line: string, end: string, headers: Record<string, string> = {}, name?: string): Behaviour {
  return { name: name ?? `status-${line.slice(0, 3)}`, answer: () => status(line, headers), ends: { '/': end } };
}

/** A host whose Retry-After is longer than a run waits. */
function busy(name: string, line: string, retryAfter: string): Behaviour {
  const end = line.startsWith('429') ? 'unfetched throttled' : 'unfetched unavailable';
  return { ...ends(line, end, { 'Retry-After': retryAfter }, name), good: UNSEEN, requests: 2 };
}

/** An answer of exactly these bytes. */
function raw(name: string, bytes: string, end: string, more: Partial<Behaviour> = {}): Behaviour {
  return { name, answer: andClose(bytes), ends: { '/': end }, ...more };
}

const PAGE = '<title>Head</title>';
const BODY = `Content-Length: ${PAGE.length}\r\n\r\n${PAGE}`;
const TYPED = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n`;
const HEAD = { '/': { title: 'Head' } };
const PROTOCOL = 'unfetched invalid_response';
const ERROR = 'unfetched http_error';

/** Unusual status lines and headers. */
export const statuses: readonly Behaviour[] = [
  ends('400 Bad Request', 'gone gone'),
  ends('401 Unauthorized', 'gone unauthorized', { 'WWW-Authenticate': 'Basic realm="you"' }),
  ends('402 Payment Required', ERROR),
  ends('403 Forbidden', 'unfetched forbidden'),
  ends('404 Not Found', 'gone not_found'),
  { name: 'not-found-but-200', answer: () => html('<title>Not found</title>'), ends: { '/': GOOD } },
  ends('410 Gone', 'gone gone'),
  ends('418 I am a teapot', ERROR),
  ends('451 Unavailable For Legal Reasons', ERROR),
  ends('429 Too Many Requests', 'unfetched throttled'),
  busy('status-429-for-two-hours', '429 Too Many Requests', '7200'),
  busy('status-429-for-ever', '429 Slow', '9'.repeat(400)),
  ends('429 Slow', 'unfetched throttled', { 'Retry-After': '-1, soon' }, 'status-429-for-nonsense'),
  ends('503 Unavailable', 'unfetched unavailable'),
  busy('status-503-for-ever', '503 Unavailable', 'Fri, 31 Dec 9999 23:59:59 GMT'),
  ends('500 Error', ERROR),
  ends('304 Not Modified', ERROR),
  ends('999 Request denied', ERROR),
  ends('600 Beyond', ERROR),
  raw('status-099', `HTTP/1.1 099 Early\r\n${BODY}`, PROTOCOL),
  raw('status-of-four-digits', `HTTP/1.1 2000 OK\r\n${BODY}`, PROTOCOL),
  raw('status-204-with-a-body', `HTTP/1.1 204 No Content\r\n${BODY}`, GOOD),
  raw('status-204', 'HTTP/1.1 204 No Content\r\nContent-Type: text/html\r\n\r\n', GOOD),
  raw('status-205', 'HTTP/1.1 205 Reset Content\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n', GOOD),
  {
    name: 'status-206-unasked',
    answer: () => html(PAGE, { 'Content-Range': 'bytes 0-18/9000' }, '206 Partial Content'),
    ends: { '/': CUT },
    holds: HEAD,
  },
  raw('status-101-unasked', 'HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n', PROTOCOL),
  raw('status-100-then-fine', `HTTP/1.1 100 Continue\r\n\r\n${TYPED}${BODY}`, GOOD, { holds: HEAD }),
  raw('status-103-then-fine', `HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${TYPED}${BODY}`, GOOD, { holds: HEAD }),
  {
    name: 'status-103-without-end',
    answer: endless('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n'.repeat(20), 10),
    ends: { '/': 'unfetched headers_too_large' },
  },
  raw('http-before-1', PAGE, GOOD, { holds: HEAD }),
  raw('http-2-in-text', `HTTP/2.0 200 OK\r\n${BODY}`, GOOD),
  raw('icy', `ICY 200 OK\r\n${BODY}`, GOOD, { holds: HEAD }),
  raw('speaks-ssh', 'SSH-2.0-OpenSSH_9.6\r\n', PROTOCOL),
  raw('http-1-without-length', `HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n${PAGE}`, GOOD, { holds: HEAD }),
  raw('lines-that-end-in-lf', `${TYPED}${BODY}`.replaceAll('\r\n', '\n'), GOOD, { holds: HEAD }),
  raw('folded-header', `HTTP/1.1 200 OK\r\nContent-Type: text/html;\r\n charset=utf-8\r\n${BODY}`, GOOD, {
    holds: HEAD,
  }),
  raw('header-without-a-colon', `${TYPED}nonsense\r\n${BODY}`, GOOD, { holds: HEAD }),
  raw('header-with-a-space-before-the-colon', `${TYPED}X-A : b\r\n${BODY}`, GOOD, { holds: HEAD }),
  raw('header-with-a-control-character', `${TYPED}X-A: b\x01\x07c\r\n${BODY}`, GOOD, { holds: HEAD }),
  raw('header-with-nul', `${TYPED}X-A: b\0c\r\n${BODY}`, GOOD, { holds: HEAD }),
  raw('header-with-a-lone-cr', `${TYPED}X-A: b\rX-B: c\r\n${BODY}`, GOOD, { holds: HEAD }),
  raw('header-of-a-megabyte', `${TYPED}X-A: ${'x'.repeat(1_000_000)}\r\n${BODY}`, 'unfetched headers_too_large'),
  {
    name: 'header-without-end',
    answer: endless(`${TYPED}X-A: `, 'x'.repeat(10_000)),
    ends: { '/': 'unfetched headers_too_large' },
  },
  {
    name: 'headers-without-end',
    answer: endless(TYPED, 'X-A: x\r\n'.repeat(1000)),
    ends: { '/': 'unfetched headers_too_large' },
  },
  raw('10000-headers', `${TYPED}${'a:\r\n'.repeat(10_000)}${BODY}`, GOOD, { holds: HEAD }),
  raw('10000-cookies', `${TYPED}${'Set-Cookie: a=b\r\n'.repeat(10_000)}${BODY}`, 'unfetched headers_too_large'),
  {
    name: 'reason-with-an-escape-sequence',
    answer: andClose('HTTP/1.1 404 \x1b]0;owned\x07\r\nContent-Length: 0\r\n\r\n'),
    ends: { '/': 'gone not_found' },
    holds: { '/': { protocolStatus: { message: /^[ -~]*$/ } } },
  },
  raw('content-type-twice', `${TYPED}Content-Type: image/png\r\n${BODY}`, GOOD, {
    ends: { '/': 'fetched success unsupported_type' },
  }),
  raw(
    'headers-named-as-members-of-objects',
    `${TYPED}__proto__: polluted\r\nconstructor: x\r\ntoString: y\r\nhasOwnProperty: z\r\n${BODY}`,
    GOOD,
    { holds: { '/': { title: 'Head', headers: { constructor: 'x', tostring: 'y', hasownproperty: 'z' } } } },
  ),
  raw('names-in-bytes-beyond-ascii', `${TYPED}X-\xe4: b\r\n${BODY}`, GOOD, { holds: HEAD }),
  raw(
    'keep-alive-of-nonsense',
    `${TYPED}Keep-Alive: timeout=-1, max=1e99, timeout=${'9'.repeat(99)}\r\n${BODY}`,
    GOOD,
    {
      holds: HEAD,
    },
  ),
  raw('keep-alive-of-no-time', `${TYPED}Connection: keep-alive\r\nKeep-Alive: timeout=0, max=0\r\n${BODY}`, GOOD),
  {
    name: 'validators-of-nonsense',
    answer: () => html(PAGE, { ETag: `"${'x'.repeat(30_000)}"`, 'Last-Modified': 'Tue, 99 Foo 99999 99:99:99' }),
    ends: { '/': GOOD },
    holds: HEAD,
  },
  {
    name: 'x-robots-tag-none',
    answer: () => html('<a href=/hidden>x</a>', { 'X-Robots-Tag': 'none' }),
    ends: { '/': GOOD },
    holds: { '/': { parseStatus: { noindex: true, nofollow: true } } },
    requests: 3,
  },
  {
    name: 'x-robots-tag-for-another',
    answer: ({ path }) => html(path === '/' ? '<a href=/seen>x</a>' : 'x', { 'X-Robots-Tag': 'otherbot: none' }),
    ends: all(GOOD, '/', '/seen'),
  },
  {
    name: 'x-robots-tag-of-5000-lines',
    answer: () =>
      html('<a href=/hidden>x</a>', { 'X-Robots-Tag': [...range(1, 5000, () => 'all'), 'nofollow'].join(',') }),
    ends: { '/': GOOD },
  },
  {
    name: 'link-header-with-many-canonicals',
    answer: () => html(PAGE, { Link: range(1, 1500, (n) => `</${n}>; rel=canonical`).join(', ') }),
    ends: { '/': GOOD },
    holds: HEAD,
  },
];
