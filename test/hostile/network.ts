import { hangUp, html, links, OPEN, silence, endless } from './web/answers.js';
import { CUT, GOOD, LOST, REFUSED, UNSEEN, all, range, type Behaviour, type Ends } from './behaviour.js';

/** Chance decides which of the two limits is reached first. */
const SLOW = ['unfetched timeout', 'unfetched too_slow'];
const RESET = 'unfetched connection_reset';

/** A page that links to a subdomain with these DNS answers. */
function below(name: string, answers: readonly (readonly string[])[] | 'fails' | 'hangs', end: Ends): Behaviour {
  const host = `inside.dns-${name}.test`;
  return {
    name: `dns-${name}`,
    dns: { [host]: answers },
    answer: ({ host: asked, at }) => (asked === host ? html('inside') : links(at(host))),
    ends: { '/': GOOD, [`${host}/`]: end },
    requests: 3,
  };
}

/** A seed with these DNS answers. */
function seed(name: string, answers: readonly (readonly string[])[] | 'fails' | 'hangs', end: Ends): Behaviour {
  return {
    name: `dns-${name}`,
    dns: { [`dns-${name}.test`]: answers },
    answer: () => html('reached'),
    ends: { '/': end },
    good: end,
  };
}

/** A TLS host whose robots.txt cannot be read, and why. */
function tls(name: string, why: RegExp, more: Partial<Behaviour> = {}, code = 'tls_failed'): Behaviour {
  return {
    name: `tls-${name}`,
    tls: true,
    port: 'tls',
    ends: { '/': LOST(code) },
    good: LOST(code),
    holds: { '/': { why: why } },
    requests: 0,
    ...more,
  };
}

/** No host answers there: the address is unallocated, yet in the public range. */
const NOBODY = '3000::1';

/** Faults of names, connections and TLS. */
export const network: readonly Behaviour[] = [
  below('loopback', [['127.0.0.1']], REFUSED),
  below('loopback-v6', [['::1']], REFUSED),
  below('private-network', [['10.0.0.1']], REFUSED),
  below('metadata', [['169.254.169.254']], REFUSED),
  below('metadata-v6', [['fd00:ec2::254']], REFUSED),
  below('mapped', [['::ffff:127.0.0.1']], REFUSED),
  below('carrier', [['100.64.0.1']], REFUSED),
  below('public-and-private', [[NOBODY, '127.0.0.1']], REFUSED),
  // Three failed connections are an outcome. A slow run has time for them.
  below('rebinding', [[NOBODY], ['127.0.0.1']], LOST('connect_failed')),
  below('no-address', [[]], LOST('dns_failed')),
  seed('fails', 'fails', LOST('dns_failed')),
  seed('hangs', 'hangs', LOST('connect_failed')),
  seed('no-addresses-but-text', [['not an address', 'localhost']], LOST('dns_failed')),
  seed('thousands-of-addresses', [['127.0.0.2', '127.0.0.3', ...range(1, 5000, () => '127.0.0.1')]], GOOD),
  {
    name: 'nobody-listens',
    port: 'closed',
    ends: { '/': LOST('connect_failed') },
    good: LOST('connect_failed'),
    requests: 0,
  },
  {
    name: 'accepts-and-says-nothing',
    port: 'mute',
    ends: { '/': LOST('timeout', 'too_slow') },
    good: LOST('timeout', 'too_slow'),
    requests: 0,
  },
  {
    name: 'accepts-and-closes',
    port: 'shut',
    ends: { '/': LOST('connection_reset') },
    good: LOST('connection_reset'),
    requests: 0,
  },
  { name: 'never-answers', answer: silence, ends: { '/': SLOW } },
  { name: 'closes-without-an-answer', answer: hangUp, ends: { '/': RESET } },
  { name: 'resets-without-an-answer', answer: ({ socket }) => void socket.resetAndDestroy(), ends: { '/': RESET } },
  {
    name: 'resets-within-the-head',
    answer: ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nX-A', () => socket.resetAndDestroy()),
    ends: { '/': RESET },
  },
  {
    name: 'closes-within-the-head',
    answer: ({ socket }) => void socket.end('HTTP/1.1 200 OK\r\nX-A: b'),
    ends: { '/': RESET },
  },
  {
    name: 'resets-within-the-body',
    answer: ({ socket }) =>
      void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this`, () => socket.resetAndDestroy()),
    ends: { '/': CUT },
  },
  { name: 'trickles-the-body', answer: endless(OPEN, 'x', 50), ends: { '/': 'unfetched too_slow' } },
  { name: 'trickles-the-head', answer: endless('HTTP/1.1 200 OK\r\nX-Slow: ', 'x', 50), ends: { '/': SLOW } },
  { name: 'trickles-the-status-line', answer: endless('HTTP/1.1 200 O', 'K', 50), ends: { '/': SLOW } },
  { name: 'trickles-header-lines', answer: endless('HTTP/1.1 200 OK\r\n', 'X: y\r\n', 50), ends: { '/': SLOW } },
  {
    name: 'stops-within-the-body',
    answer: ({ socket }) => void socket.write(OPEN + 'then nothing'),
    ends: { '/': SLOW },
  },
  {
    name: 'drops-after-ten-requests',
    answer: ({ path, visit, socket }) => {
      if (visit > 10) return void socket.destroy();
      return path === '/' ? links(...range(1, 12, (n) => `/p${10 + n}`)) : html('one more');
    },
    ends: {
      ...all(GOOD, '/', ...range(1, 7, (n) => `/p${10 + n}`)),
      // SETTINGS allows only one failure in a row.
      ...all(RESET, '/p18', '/p19'),
      ...all(UNSEEN, '/p20', '/p21', '/p22'),
    },
    requests: 20,
  },
  {
    name: 'closes-every-connection',
    answer: ({ path, socket }) =>
      void socket.end(Buffer.concat([path === '/' ? links('/a', '/b', '/c', '/d') : html('x')])),
    ends: all(GOOD, '/', '/a', '/b', '/c', '/d'),
  },
  tls('valid', /^$/, { ends: { '/': GOOD }, good: GOOD, holds: { '/': { title: 'A good page' } }, requests: 3 }),
  tls('self-signed', /self.signed/i),
  tls('expired', /expired/i),
  tls('wrong-host', /altname|does not match/i),
  tls('handshake-never-ends', /./, { port: 'mute' }, 'connect_failed'),
  tls('spoken-to-plain-http', /./, { port: 'plain' }, 'connect_failed'),
  { ...tls('port-asked-in-plain-http', /./, {}, 'connection_reset'), tls: false },
];
