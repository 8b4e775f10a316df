import { html } from './answers.js';
import { CUT, GOOD, REFUSED, UNSEEN, all, range, type Behaviour } from '../behaviour.js';
import { KEPT, typed } from './pages.js';

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const LAUGHS = `<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "ha">${range(1, 30, (n) => `<!ENTITY ${'a'.repeat(n + 1)} "${`&${'a'.repeat(n)};`.repeat(10)}">`).join('')}<!ENTITY x SYSTEM "file:///etc/passwd">]>`;

/** Sitemaps and feeds. */
export const xmlFiles: readonly Behaviour[] = [
  typed(
    'sitemap-of-100000-urls',
    'application/xml',
    `<urlset ${NS}>${range(1, 100_000, (n) => `<url><loc>/u${n}</loc></url>`).join('')}</urlset>`,
    CUT,
    {
      ends: { '/': CUT, ...all(GOOD, ...range(1, KEPT, (n) => `/u${n}`)) },
      counters: { links_over_limit: 50_000 - KEPT, parsed_in_part: 1 },
    },
  ),
  {
    name: 'sitemap-index-loop',
    answer: ({ path }) =>
      html(
        `<sitemapindex ${NS}><sitemap><loc>${path === '/' ? '/b' : '/'}</loc></sitemap><sitemap><loc>${path}</loc></sitemap></sitemapindex>`,
        {
          'Content-Type': 'text/xml',
        },
      ),
    ends: all(GOOD, '/', '/b'),
  },
  {
    name: 'sitemap-indexes-without-end',
    answer: ({ path }) =>
      html(`<sitemapindex ${NS}><sitemap><loc>/${Number(path.slice(1)) + 1}</loc></sitemap></sitemapindex>`, {
        'Content-Type': 'text/xml',
      }),
    ends: { '/': GOOD, ...all(GOOD, ...range(1, 6, (n) => `/${n}`)), '/7': UNSEEN },
    counters: { refused: 1 },
  },
  typed(
    'billion-laughs',
    'application/xml',
    `${LAUGHS}<urlset ${NS}><url><loc>/&aaaaaaaaaaaa;</loc></url><url><loc>/l</loc></url></urlset>`,
    GOOD,
    {
      // Entities are not expanded, so there is no URL.
      ends: all(GOOD, '/', '/l'),
    },
  ),
  typed('external-entity', 'application/xml', `${LAUGHS}<urlset ${NS}><url><loc>/&x;</loc></url></urlset>`, GOOD, {
    ends: all(GOOD, '/'),
  }),
  typed(
    'sitemap-for-another-host',
    'application/xml',
    `<urlset ${NS}><url><loc>http://169.254.169.254/sitemap</loc></url></urlset>`,
    GOOD,
    {
      ends: { '/': GOOD, '169.254.169.254/sitemap': REFUSED },
    },
  ),
  typed('xml-nested-too-deep', 'application/xml', `<urlset ${NS}>${'<x>'.repeat(500_000)}`, GOOD, {
    counters: { parsed_in_part: 1 },
  }),
  typed(
    'rss-that-is-broken',
    'application/rss+xml',
    '<rss><channel><item><title>a & b</title><link>/l</link></item></rss><item><link>/m',
    GOOD,
    {
      ends: all(GOOD, '/', '/l'),
    },
  ),
  typed(
    'xml-of-attributes',
    'application/xml',
    `<urlset ${NS} ${range(1, 90_000, (n) => `a${n}="" `).join('')}>`,
    GOOD,
  ),
  typed(
    'xml-named-as-members-of-objects',
    'application/xml',
    `<urlset ${NS} __proto__="x" constructor="y"><__proto__/><url><loc __proto__="z">/l</loc></url></urlset>`,
    GOOD,
    { ends: all(GOOD, '/', '/l') },
  ),
  ...Object.entries({ comment: '<!--', 'cdata-section': '<![CDATA[', instruction: '<?x ', attribute: '<loc a="' }).map(
    ([name, start]) =>
      typed(
        `xml-with-an-unclosed-${name}`,
        'application/xml',
        `<urlset ${NS}><url><loc>/l</loc></url>${start}${'<x> '.repeat(300_000)}`,
        GOOD,
        { ends: all(GOOD, '/', '/l') },
      ),
  ),
  typed(
    'xml-with-an-unclosed-doctype',
    'application/xml',
    `<urlset ${NS}><url><loc>/l</loc></url><!DOCTYPE x [${'<x> '.repeat(300_000)}`,
    GOOD,
    { ends: all(GOOD, '/', '/l'), counters: { parsed_in_part: 1 } },
  ),
  typed(
    'rss-with-a-page-in-every-title',
    'application/rss+xml',
    `<rss><channel>${`<item><title><![CDATA[${'<b>'.repeat(1000)}]]></title></item>`.repeat(400)}</channel></rss>`,
    GOOD,
  ),
  typed(
    'text-sitemap-of-100000-lines',
    'text/plain',
    range(1, 100_000, (n) => `http://10.0.0.2/${n}`).join('\n'),
    CUT,
    {
      ends: { '/': CUT, ...all(REFUSED, ...range(1, KEPT, (n) => `10.0.0.2/${n}`)) },
      counters: { links_over_limit: 50_000 - KEPT, parsed_in_part: 1 },
    },
  ),
];
