import { html, links } from './answers.js';
import { GOOD, REFUSED, UNSEEN, all, range, type Behaviour } from '../behaviour.js';

/** The depth of the crawl; see SETTINGS. */
const DEPTH = 6;
const FACETS = ['colour', 'make', 'price', 'size', 'year'];
/** Maximum number of query parameters that the trap filter accepts; see SETTINGS. */
const PARAMETERS = 3;
const REJECTED = 'links_rejected_urlfilter-traps';

function calendar(n: number): string {
  return `/month?m=${(n % 12) + 1}&y=${2024 + Math.floor(n / 12)}`;
}

function facetLinks(path: string): string[] {
  const chosen = new URL(path, 'http://x.test').searchParams;
  return FACETS.filter((name) => !chosen.has(name)).map((name) => query([...chosen.keys(), name]));
}

const query = (names: readonly string[]): string =>
  `/?${[...names]
    .sort()
    .map((name) => `${name}=1`)
    .join('&')}`;

/** All choices of this number of facets. */
function choices(size: number): string[] {
  const sets = range(0, 2 ** FACETS.length - 1, (bits) => FACETS.filter((_, i) => bits & (1 << i)));
  return sets.filter((names) => names.length === size).map(query);
}

const sessionId = (n: number): string => n.toString(16).padStart(32, '0');

/** Sites without an end. */
export const traps: readonly Behaviour[] = [
  {
    name: 'calendar',
    seeds: [calendar(0)],
    answer: ({ path }) => {
      const { searchParams } = new URL(path, 'http://x.test');
      const n = (Number(searchParams.get('y')) - 2024) * 12 + Number(searchParams.get('m')) - 1;
      return links(calendar(n + 1));
    },
    ends: { ...all(GOOD, ...range(0, DEPTH, calendar)), [calendar(DEPTH + 1)]: UNSEEN },
    counters: { refused: 1 },
  },
  {
    name: 'facets',
    answer: ({ path }) => links(...facetLinks(path)),
    ends: { '/': GOOD, ...all(GOOD, ...range(1, PARAMETERS, choices).flat()) },
    // There are ten choices of three facets; each leads to two of four.
    counters: { [REJECTED]: 20 },
  },
  {
    name: 'session-ids-in-the-query',
    answer: ({ visit }) => links(`/a?PHPSESSID=${sessionId(visit)}`, `/b?x=1&sid=${sessionId(visit)}`),
    ends: all(GOOD, '/', '/a', '/b?x=1'),
  },
  {
    name: 'session-ids-in-the-path',
    answer: ({ visit }) => links(`/a;jsessionid=${sessionId(visit)}`),
    ends: all(GOOD, '/', '/a'),
  },
  {
    name: 'session-ids-of-its-own',
    answer: ({ visit }) => links(`/visit/${visit}`),
    // Requests for robots.txt and /good count as visits, too.
    ends: { '/': GOOD, ...all(GOOD, ...[2, 4, 5, 6, 7, 8].map((n) => `/visit/${n}`)), '/visit/9': UNSEEN },
    counters: { refused: 1 },
  },
  {
    name: 'deeper-path',
    answer: () => html('<a href=a/>deeper</a>'),
    ends: all(GOOD, '/', '/a/', '/a/a/'),
    counters: { [REJECTED]: 1 },
  },
  {
    name: 'deeper-path-of-two',
    answer: ({ path }) => html(`<a href=${path.endsWith('/b/') || path === '/' ? 'a' : 'b'}/>deeper</a>`),
    ends: all(GOOD, '/', '/a/', '/a/b/', '/a/b/a/', '/a/b/a/b/'),
    counters: { [REJECTED]: 1 },
  },
  {
    name: 'deeper-path-without-repeats',
    answer: ({ path }) => html(`<a href=d${path.split('/').length}/>deeper</a>`),
    ends: {
      ...all(GOOD, ...range(0, DEPTH, deeper)),
      [deeper(DEPTH + 1)]: UNSEEN,
    },
    counters: { refused: 1 },
  },
  {
    name: 'ever-more-slashes',
    answer: ({ visit }) => links(`/a${'/'.repeat(visit)}b`),
    ends: all(GOOD, '/', '/a/b'),
  },
  {
    name: 'slashes-that-lead-elsewhere',
    answer: () => links('//////slashes.local', '\\\\\\backslashes.local\\'),
    ends: { '/': GOOD, ...all(REFUSED, 'slashes.local/', 'backslashes.local/') },
    requests: 3,
  },
  {
    name: 'dots-in-the-path',
    answer: () => html('<a href="./././">x</a><a href="a/../">y</a><a href="%2e%2e/%2e/">z</a><a href="/.//./">w</a>'),
    ends: { '/': GOOD },
  },
  {
    name: 'ever-longer-query',
    answer: ({ path }) => links(`${path}${path.includes('?') ? '&' : '?'}page=next`),
    ends: all(GOOD, '/', '/?page=next', '/?page=next&page=next', '/?page=next&page=next&page=next'),
    counters: { [REJECTED]: 1 },
  },
  {
    name: 'fragments',
    answer: ({ visit }) => links(...range(1, 1000, (n) => `#part-${visit}-${n}`)),
    ends: { '/': GOOD },
    requests: 3,
  },
  {
    name: 'escapes-of-one-page',
    answer: () => links('/%70age', '/p%61ge', '/page', '/%70%61%67%65'),
    ends: all(GOOD, '/', '/page'),
  },
  {
    name: 'refreshes-without-end',
    answer: ({ path }) => html(`<meta http-equiv=refresh content="0;url=/${Number(path.slice(1)) + 1}">`),
    ends: { '/': GOOD, ...all(GOOD, ...range(1, DEPTH, (n) => `/${n}`)), [`/${DEPTH + 1}`]: UNSEEN },
    counters: { refused: 1 },
  },
  {
    name: 'hosts-below-hosts',
    answer: ({ host, at }) => links(at(`a.${host}`), at(`b.${host}`)),
    ends: {
      '/': GOOD,
      'a.hosts-below-hosts.test/': REFUSED,
      'b.hosts-below-hosts.test/': REFUSED,
    },
    requests: 3,
  },
];

function deeper(n: number): string {
  return `/${range(1, n, (at) => `d${at + 1}/`).join('')}`;
}
