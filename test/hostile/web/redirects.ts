import { html, links, status, to } from './answers.js';
import { GOOD, REFUSED, all, range, type Behaviour } from '../behaviour.js';

const TEMP = 'redir_temp temp_moved';
const PERM = 'redir_perm moved';
const TOO_MANY = 'gone redirect_exceeded';

/** A redirect to a URL that no crawl may fetch. */
function nowhere(name: string, location: string): Behaviour {
  return {
    name: `redirect-to-${name}`,
    answer: () => to(location),
    ends: { '/': TEMP },
    counters: { redirect_invalid: 1 },
  };
}

/** A redirect to a private address. `there` is the target as the table has it. */
function inside(name: string, location: string, there: string): Behaviour {
  return {
    name: `redirect-to-${name}`,
    answer: ({ at }) =>
      `HTTP/1.1 302 Found\r\nLocation: ${location.startsWith('http') ? location : at(location, `/${name}`)}\r\nContent-Length: 0\r\n\r\n`,
    ends: { '/': TEMP, [there]: REFUSED },
    counters: { redirects_followed: 1 },
  };
}

/** An answer with this status, with or without a target. */
function odd(code: number, end: string, counters: Readonly<Record<string, number>>, location?: string): Behaviour {
  return {
    name: `status-${code}${location === undefined ? '-without-location' : ''}`,
    answer: ({ path }) => (path === '/' ? status(`${code} Odd`, location ? { Location: location } : {}) : html('end')),
    ends: { '/': end, ...(location && { [location]: GOOD }) },
    counters,
  };
}

const FOLLOWED = { redirects_followed: 1 };
const INVALID = { redirect_invalid: 1 };

/** Redirects. `fetcher.maxRedirects` is 5. */
export const redirects: readonly Behaviour[] = [
  {
    name: 'redirects-without-end',
    answer: ({ path }) => to(`/${Number(path.slice(1)) + 1}`),
    ends: { ...all(TEMP, '/', ...range(1, 4, (n) => `/${n}`)), '/5': TOO_MANY },
    counters: { redirects_followed: 5 },
  },
  {
    name: 'redirects-without-end-over-hosts',
    answer: ({ host, at }) => to(at(`x.${host}`)),
    ends: { '/': TEMP, 'x.redirects-without-end-over-hosts.test/': REFUSED },
    counters: FOLLOWED,
  },
  {
    name: 'redirect-to-itself',
    answer: () => to('/'),
    ends: { '/': TEMP },
    counters: { redirect_to_itself: 1 },
    requests: 3,
  },
  {
    name: 'redirect-to-itself-by-fragment',
    answer: () => to('/#again', '301 Moved'),
    ends: { '/': PERM },
    counters: { redirect_to_itself: 1 },
    requests: 3,
  },
  {
    name: 'redirect-loop-of-two',
    answer: ({ path }) => to(path === '/' ? '/b' : '/'),
    ends: all(TEMP, '/', '/b'),
    counters: { redirects_followed: 1, redirect_known: 1 },
  },
  {
    name: 'redirect-loop-of-four',
    answer: ({ path }) => to(`/${(Number(path.slice(1)) + 1) % 4 || ''}`),
    ends: all(TEMP, '/', '/1', '/2', '/3'),
    counters: { redirects_followed: 3, redirect_known: 1 },
  },
  {
    name: 'redirect-loop-of-twenty',
    answer: ({ path }) => to(`/${(Number(path.slice(1)) + 1) % 20 || ''}`, '308 Permanent Redirect'),
    ends: { ...all(PERM, '/', ...range(1, 4, (n) => `/${n}`)), '/5': TOO_MANY },
    counters: { redirects_followed: 5 },
  },
  {
    name: 'redirect-by-links-in-a-ring',
    answer: ({ path }) => (path === '/' ? links('/a', '/b') : to(path === '/a' ? '/b' : '/a')),
    ends: { '/': GOOD, ...all(TEMP, '/a', '/b') },
    counters: { redirect_known: 2 },
  },
  nowhere('ftp', 'ftp://redirect-to-ftp.test/file'),
  nowhere('javascript', 'javascript:alert(1)'),
  nowhere('data', 'data:text/html,<a href=/x>x</a>'),
  nowhere('file', 'file:///etc/passwd'),
  nowhere('credentials', 'http://user:secret@redirect-to-credentials.test/'),
  nowhere('a-broken-address', 'http://[::1/'),
  nowhere('an-empty-location', '   '),
  {
    name: 'redirect-to-a-path-trap',
    answer: () => to('/a/a/a/a/x'),
    ends: { '/': TEMP },
    counters: { 'redirect_rejected_urlfilter-traps': 1 },
  },
  {
    name: 'redirect-to-30000-characters',
    answer: () => to(`/${'long'.repeat(7500)}`),
    ends: { '/': TEMP },
    counters: { 'redirect_rejected_urlfilter-traps': 1 },
  },
  {
    name: 'redirect-to-a-mail-server',
    answer: () => to('http://mail.redirect-to-a-mail-server.test:25/'),
    ends: { '/': TEMP },
    counters: { 'redirect_rejected_urlfilter-port': 1 },
  },
  inside('metadata', 'http://169.254.169.254/latest/meta-data/', '169.254.169.254/latest/meta-data/'),
  inside('loopback-in-hex', '0x7f.1', '127.0.0.1/loopback-in-hex'),
  inside('loopback-as-a-number', '2130706433', '127.0.0.1/loopback-as-a-number'),
  inside('loopback-in-octal', '0177.0.0.1', '127.0.0.1/loopback-in-octal'),
  inside('loopback-mapped', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]/loopback-mapped'),
  inside('loopback-in-full-width', '１２７．０．０．１', '127.0.0.1/loopback-in-full-width'),
  inside('zero', '0', '0.0.0.0/zero'),
  inside(
    'a-private-name',
    'inside.redirect-to-a-private-name.test',
    'inside.redirect-to-a-private-name.test/a-private-name',
  ),
  {
    name: 'status-300-without-location',
    answer: ({ path }) =>
      path === '/' ? html('<title>Choose</title><a href=/choice>', {}, '300 Multiple Choices') : html('end'),
    ends: { '/': GOOD, '/choice': GOOD },
    holds: { '/': { title: 'Choose' } },
  },
  odd(300, PERM, FOLLOWED, '/choice'),
  odd(302, TEMP, INVALID),
  odd(303, TEMP, FOLLOWED, '/see'),
  {
    name: 'status-305',
    answer: () => status('305 Use Proxy', { Location: '/proxy' }),
    ends: { '/': 'unfetched http_error' },
  },
  odd(306, PERM, INVALID),
  odd(399, PERM, FOLLOWED, '/odd'),
  {
    name: 'two-locations',
    answer: ({ path }) =>
      path === '/'
        ? 'HTTP/1.1 302 Found\r\nLocation: /first\r\nLocation: /second\r\nContent-Length: 0\r\n\r\n'
        : html(''),
    ends: { '/': TEMP, '/first': GOOD },
    counters: FOLLOWED,
  },
  {
    name: 'redirect-with-an-endless-body',
    answer: ({ path, socket }) => {
      if (path !== '/') return html('reached');
      socket.write('HTTP/1.1 302 Found\r\nLocation: /there\r\n\r\n');
      const timer = setInterval(() => socket.write('x'.repeat(10_000)), 20);
      socket.on('close', () => clearInterval(timer));
    },
    ends: { '/': TEMP, '/there': GOOD },
    counters: FOLLOWED,
  },
  {
    name: 'cookie-wall',
    answer: ({ headers }) =>
      headers.cookie === undefined ? to('/', '302 Found', { 'Set-Cookie': 'seen=1' }) : html('behind the wall'),
    ends: { '/': TEMP },
    counters: { redirect_to_itself: 1 },
    requests: 3,
  },
  {
    name: 'cookie-wall-by-way-of-a-login',
    answer: ({ path, headers }) => {
      if (headers.cookie !== undefined) return html('behind the wall');
      return path === '/' ? to('/login?next=/') : to('/', '302 Found', { 'Set-Cookie': 'seen=1' });
    },
    ends: all(TEMP, '/', '/login?next=/'),
    counters: { redirects_followed: 1, redirect_known: 1 },
  },
  {
    name: 'refresh-loop',
    answer: ({ path }) => html(`<meta http-equiv=refresh content="0;url=${path === '/' ? '/b' : '/'}">`),
    ends: all(GOOD, '/', '/b'),
  },
  {
    name: 'refresh-to-itself',
    answer: () => html('<meta http-equiv=refresh content=0><title>again</title>'),
    ends: { '/': GOOD },
    requests: 3,
  },
  {
    name: 'refresh-to-a-script',
    answer: () => html('<meta http-equiv=refresh content="0;url=javascript:alert(1)">', { Refresh: '0;url=data:,x' }),
    ends: { '/': GOOD },
  },
  {
    name: 'refresh-to-metadata',
    answer: () => html('<meta http-equiv=refresh content="0;url=http://169.254.169.254/refresh">'),
    ends: { '/': GOOD, '169.254.169.254/refresh': REFUSED },
  },
];
