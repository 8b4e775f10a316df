import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { CHUNKED, OPEN, andClose, endless, html, pour, tenGigabytes } from './answers.js';
import { CUT, GOOD, type Behaviour } from '../behaviour.js';

const PAGE = '<title>Inside</title><p>text';
const INSIDE = { '/': { title: 'Inside' } };

/** A page with this `Content-Encoding`. */
function coded(name: string, coding: string, body: Uint8Array | string, more: Partial<Behaviour> = {}): Behaviour {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    name,
    answer: () => html(bytes, { 'Content-Encoding': coding }),
    ends: { '/': GOOD },
    holds: INSIDE,
    ...more,
  };
}

const UNREADABLE: Partial<Behaviour> = { ends: { '/': 'unfetched unsupported_coding' }, holds: {} };

/** An answer with its own head, after which the connection is closed. */
function lying(name: string, head: string, body: string, end: string, more: Partial<Behaviour> = {}): Behaviour {
  const bytes = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${head}\r\n\r\n${body}`;
  return { name, answer: andClose(bytes), ends: { '/': end }, ...more };
}

function times<T>(n: number, value: T, step: (value: T) => T): T {
  return n === 0 ? value : times(n - 1, step(value), step);
}

const zip = (body: Uint8Array): Buffer => gzipSync(body, { level: 9 });
const HUNDRED_MEGABYTES = zip(Buffer.alloc(100_000_000));
const BROTLI_BOMB = brotliCompressSync(Buffer.alloc(64 << 20), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 },
});
/** The head of a gzip file that announces a file name. */
const GZIP_WITH_NAME = Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]);
const GZIPPED = zip(Buffer.from(PAGE));

/** Bodies, codings and lengths. `http.contentLimit` has its default, 2 MiB. */
export const bodies: readonly Behaviour[] = [
  { name: 'gzip-bomb-of-10-gb', answer: tenGigabytes, ends: { '/': CUT }, counters: { parsed_in_part: 1 } },
  coded('nested-gzip-bomb', 'gzip, gzip, gzip', times(2, HUNDRED_MEGABYTES, zip), { ends: { '/': CUT }, holds: {} }),
  coded('nested-as-deep-as-believed', 'gzip, gzip, gzip, gzip', times(3, GZIPPED, zip)),
  coded('nested-deeper-than-believed', Array(40).fill('gzip').join(', '), times(39, GZIPPED, zip), UNREADABLE),
  coded('coding-that-nobody-decodes', 'compress', PAGE, UNREADABLE),
  coded('brotli-bomb', 'br', BROTLI_BOMB, { ends: { '/': CUT }, holds: {} }),
  coded('deflate-without-header', 'deflate', deflateRawSync(PAGE)),
  coded('deflate-with-header', 'deflate', deflateSync(PAGE)),
  coded('coding-that-lies', 'gzip', PAGE),
  coded('brotli-that-lies', 'br', PAGE),
  coded('unknown-coding', 'utf-8', PAGE),
  coded('coding-of-nothing', 'gzip', '', { holds: {} }),
  coded('gzip-that-ends-early', 'gzip', zip(Buffer.from(PAGE + ' more'.repeat(5000))).subarray(0, 60), {
    ends: { '/': CUT },
  }),
  coded('gzip-with-a-tail', 'gzip', Buffer.concat([GZIPPED, Buffer.from('and something else')])),
  coded('gzip-with-a-wrong-sum', 'gzip', Buffer.concat([GZIPPED.subarray(0, -8), Buffer.alloc(8)])),
  coded('gzip-of-50000-members', 'gzip', Buffer.concat([...Array<Buffer>(50_000).fill(zip(Buffer.alloc(0))), GZIPPED])),
  coded('gzip-with-a-name-without-end', 'gzip', Buffer.concat([GZIP_WITH_NAME, Buffer.alloc(1_000_000, 'n')]), {
    holds: { '/': { title: '' } },
  }),
  {
    name: 'body-without-end',
    answer: endless(OPEN, 'word '.repeat(4000)),
    ends: { '/': CUT },
    counters: { parsed_in_part: 1 },
  },
  {
    name: 'chunks-without-end',
    answer: endless(CHUNKED, `4e20\r\n${'word '.repeat(4000)}\r\n`),
    ends: { '/': CUT },
    counters: { parsed_in_part: 1 },
  },
  {
    name: 'one-byte-chunks-without-end',
    answer: endless(CHUNKED, '1\r\nx\r\n'.repeat(10_000)),
    ends: { '/': CUT },
    counters: { parsed_in_part: 1 },
  },
  {
    name: 'chunk-extension-without-end',
    answer: endless(`${CHUNKED}5;`, 'x'.repeat(10_000), 20),
    ends: { '/': ['unfetched too_slow', 'unfetched invalid_response', 'unfetched timeout'] },
  },
  {
    name: 'trailers-without-end',
    answer: endless(`${CHUNKED}5\r\nhello\r\n0\r\n`, `X-Trailer: ${'x'.repeat(1000)}\r\n`, 5),
    ends: { '/': ['unfetched headers_too_large', 'unfetched too_slow', 'unfetched timeout'] },
  },
  {
    name: 'chunk-of-no-size',
    answer: andClose(`${CHUNKED}zz\r\nhello\r\n0\r\n\r\n`),
    ends: { '/': 'unfetched invalid_response' },
  },
  {
    name: 'chunk-of-16-exabytes',
    answer: andClose(`${CHUNKED}fffffffffffffffff\r\nhello`),
    ends: { '/': 'unfetched invalid_response' },
  },
  { name: 'chunks-that-end-early', answer: andClose(`${CHUNKED}5\r\nhello\r\n`), ends: { '/': CUT } },
  lying('length-too-long', 'Content-Length: 1000', PAGE, CUT, { holds: INSIDE }),
  lying('length-of-an-exabyte', 'Content-Length: 1000000000000000000', PAGE, GOOD, { holds: INSIDE }),
  lying('length-beyond-numbers', `Content-Length: ${'9'.repeat(40)}`, PAGE, GOOD, { holds: INSIDE }),
  lying('length-too-short', 'Content-Length: 21', PAGE, GOOD, { holds: INSIDE }),
  lying('length-that-is-no-number', 'Content-Length: many', PAGE, GOOD, { holds: INSIDE }),
  lying('length-below-zero', 'Content-Length: -1', PAGE, GOOD, { holds: INSIDE }),
  lying('length-twice', 'Content-Length: 28\r\nContent-Length: 5', PAGE, 'unfetched invalid_response'),
  lying('length-and-chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked', `1c\r\n${PAGE}\r\n0\r\n\r\n`, GOOD, {
    holds: INSIDE,
  }),
  lying('coding-of-transfer-unknown', 'Transfer-Encoding: rot13', PAGE, GOOD, { holds: INSIDE }),
  {
    name: 'an-answer-behind-the-answer',
    answer: ({ path, socket }) => {
      if (path !== '/') return html('<title>its own</title>');
      const uncalled = html('<title>smuggled</title>');
      return void socket.write(Buffer.concat([html('<a href=/next>next</a>'), uncalled]));
    },
    ends: { '/': GOOD, '/next': GOOD },
    holds: { '/next': { title: 'its own' }, '/good': { title: 'A good page' } },
  },
  {
    name: 'gigabytes-with-a-stated-length',
    answer: ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 5000000000\r\n\r\n');
      pour(socket, Buffer.alloc(100_000), 50_000);
    },
    ends: { '/': 'fetched success(cut) unsupported_type' },
  },
];
