import { answer } from '../../support/web/raw-server.js';
import { OPEN, endless, hangUp, html, links, silence, status, tenGigabytes, to } from './answers.js';
import { GOOD, REFUSED, LOST, UNSEEN, all, range, type Answer, type Behaviour, type Ends } from '../behaviour.js';

const PAGES = { '/': GOOD, '/private': GOOD };
const page: Answer = ({ path }) => (path === '/' ? links('/private') : html('private'));
const DENIED = 'gone robots_denied';
const RULES = 'User-agent: *\nDisallow: /private\n';

/** A robots.txt that allows every page. */
function open(name: string, robots: Answer, more: Partial<Behaviour> = {}): Behaviour {
  return { name: `robots-${name}`, robots, answer: page, ends: PAGES, requests: 12, ...more };
}

/** A robots.txt that denies pages, however it is written. */
function denying(name: string, robots: Answer, more: Partial<Behaviour> = {}): Behaviour {
  return { name: `robots-${name}`, robots, answer: page, ends: { ...PAGES, '/private': DENIED }, requests: 3, ...more };
}

/** A robots.txt that is not available, so no page may be fetched. */
function missing(name: string, robots: Answer, why?: RegExp, end: Ends = UNSEEN): Behaviour {
  return {
    name: `robots-${name}`,
    robots,
    answer: page,
    ends: { '/': end },
    good: end,
    ...(why && { holds: { '/': { why: why } } }),
    requests: 6,
  };
}

const text = (body: string): Uint8Array => answer('200 OK', { 'Content-Type': 'text/plain' }, body);

/** Hostile robots.txt files. */
export const robotsFiles: readonly Behaviour[] = [
  denying('stream-of-5-gb', endless(OPEN + RULES, `Disallow: /${'x'.repeat(90)}\n`.repeat(1000))),
  denying('of-one-line-without-end', endless(`${OPEN}${RULES}Disallow: /`, 'x'.repeat(100_000))),
  denying('of-6-megabytes', ({ socket }) => void socket.end(text(RULES + 'Disallow: /a\n'.repeat(500_000)))),
  open('gzip-bomb-of-10-gb', tenGigabytes),
  open('that-is-html', () => html('<html><title>Welcome</title>Disallow: / everything')),
  open('that-is-an-image', () => answer('200 OK', { 'Content-Type': 'image/png' }, '\x89PNG\r\n\x1a\n\0\0\0\rIHDR')),
  denying('with-byte-order-mark-and-lone-cr', () => text(`\ufeff${RULES.replaceAll('\n', '\r')}`)),
  denying('with-nul-bytes', () => text(`\0\0\n${RULES}\0`)),
  open('that-redirects-to-itself', () => to('/robots.txt')),
  open('that-redirects-to-nowhere', () => to('javascript:0')),
  open('that-redirects-six-times', ({ path }) => to(`/robots.txt?${Number(path.split('?')[1] ?? 0) + 1}`), {
    answer: ({ path }) =>
      path === '/'
        ? links('/private')
        : path.startsWith('/robots')
          ? to(`/robots.txt?${Number(path.split('?')[1]) + 1}`)
          : html(''),
  }),
  denying('that-redirects-five-times', ({ path }) => (path === '/robots.txt' ? to('/r1') : text(RULES)), {
    answer: (ask) => {
      const hop = /^\/r(\d)$/.exec(ask.path)?.[1];
      if (hop === undefined) return page(ask);
      return hop === '5' ? text(RULES) : to(`/r${Number(hop) + 1}`);
    },
    requests: 8,
  }),
  missing(
    'that-redirects-to-a-private-host',
    ({ at }) => to(at('elsewhere.robots-that-redirects-to-a-private-host.test')),
    /redirected to elsewhere.*loopback/,
  ),
  {
    name: 'robots-that-redirects-to-another-host',
    seeds: ['/', 'rules.robots-that-redirects-to-another-host.test/'],
    robots: ({ host, at }) => (host.startsWith('rules.') ? text(RULES) : to(at(`rules.${host}`, '/robots.txt'))),
    answer: (ask) => (ask.host.startsWith('rules.') ? html('') : page(ask)),
    ends: { ...PAGES, '/private': DENIED, 'rules.robots-that-redirects-to-another-host.test/': GOOD },
  },
  missing('that-redirects-to-metadata', () => to('http://169.254.169.254/robots'), /redirected to 169\.254\.169\.254/),
  open('that-is-404', () => status('404 Not Found')),
  open('that-is-401', () => status('401 Unauthorized')),
  open('that-is-403', () => status('403 Forbidden')),
  open('that-is-empty', () => answer('204 No Content')),
  missing('that-is-500', () => status('500 Error'), /HTTP 500/),
  missing('that-is-503-for-ever', () => status('503 No', { 'Retry-After': '9'.repeat(300) }), /HTTP 503/),
  missing('that-is-429', () => status('429 Slow'), /HTTP 429/),
  missing('that-is-304', () => answer('304 Not Modified'), /HTTP 304/),
  missing('that-never-comes', silence, undefined, LOST('timeout', 'too_slow')),
  missing('that-hangs-up', hangUp, undefined, LOST('connection_reset')),
  missing('that-trickles', endless(`${OPEN}User-agent: *`, ' ', 50), /ms/, LOST('timeout', 'too_slow')),
  {
    name: 'robots-against-a-backtracking-matcher',
    robots: () => text(`User-agent: *\n${`Disallow: /${'*a'.repeat(60)}b$\n`.repeat(8000)}`),
    answer: ({ path }) => (path === '/' ? links(`/${'a'.repeat(1900)}`) : html('x')),
    // The patterns would have to search 15 million characters for this URL, so it is denied.
    ends: { '/': GOOD, [`/${'a'.repeat(1900)}`]: DENIED },
  },
  {
    name: 'robots-of-one-long-pattern',
    robots: () => text(`User-agent: *\nDisallow: /${'*a'.repeat(250_000)}b\n`),
    answer: ({ path }) => (path === '/' ? links(`/${'a'.repeat(1900)}`) : html('x')),
    ends: all(GOOD, '/', `/${'a'.repeat(1900)}`),
  },
  {
    name: 'robots-of-20000-groups',
    robots: () => text('User-agent: x\nAllow: /\n'.repeat(20_000) + 'User-agent: *\nDisallow: /private'),
    answer: page,
    ends: { ...PAGES, '/private': DENIED },
  },
  {
    name: 'robots-with-a-delay-of-30-years',
    robots: () => text('User-agent: *\nCrawl-delay: 1000000000'),
    ends: { '/': 'gone crawl_delay_too_long' },
    good: 'gone crawl_delay_too_long',
    requests: 1,
  },
  open('with-delays-of-nonsense', () => text('User-agent: *\nCrawl-delay: 1e9\nCrawl-delay: -5\nCrawl-delay: NaN')),
  {
    name: 'robots-that-deny-everything',
    robots: () => text('User-agent: *\nDisallow: /'),
    ends: { '/': DENIED },
    good: DENIED,
    requests: 1,
  },
  {
    name: 'robots-with-5000-sitemaps',
    robots: ({ host, at }) => text(range(1, 5_000, (n) => `Sitemap: ${at(host, `/${n}`)}`).join('\n')),
    answer: () => html('no sitemap at all'),
    ends: all(GOOD, '/', ...range(1, 100, (n) => `/${n}`)),
    counters: { sitemaps_added: 100, sitemaps_over_limit: 4_900, not_a_sitemap: 100 },
  },
  {
    name: 'robots-with-sitemaps-of-others',
    robots: () => text('Sitemap: http://169.254.169.254/map.xml\nSitemap: file:///etc/passwd\nSitemap: /own.xml'),
    answer: () => html('a page'),
    ends: { '/': GOOD, '169.254.169.254/map.xml': REFUSED, '/own.xml': GOOD },
    counters: { sitemaps_added: 2, sitemaps_invalid: 1, not_a_sitemap: 1 },
  },
];
