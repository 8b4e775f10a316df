import { html } from './answers.js';
import { CUT, GOOD, REFUSED, all, range, type Behaviour } from '../behaviour.js';

/** Maximum number of links stored of a page and of a sitemap; see SETTINGS of the crawl. */
export const KEPT = 20;
const IN_PART = { parsed_in_part: 1 };

/** A behaviour with one page. */
function page(name: string, body: string | Uint8Array, more: Partial<Behaviour> = {}): Behaviour {
  return {
    name,
    answer: ({ path }) => html(path === '/' ? body : 'a page that is linked'),
    ends: { '/': GOOD },
    ...more,
  };
}

/** A behaviour with one page of this content type. */
export function typed(
  name: string,
  type: string,
  body: string | Uint8Array,
  end: string,
  more: Partial<Behaviour> = {},
): Behaviour {
  const headers = { 'Content-Type': type };
  return {
    name,
    answer: ({ path }) => (path === '/' ? html(body, headers) : html('linked')),
    ends: { '/': end },
    ...more,
  };
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

/** HTML that attacks parsers, and wrong content types. */
export const pages: readonly Behaviour[] = [
  page('100000-links', range(1, 100_000, (n) => `<a href=/l${n}>`).join(''), {
    ends: { '/': GOOD, ...all(GOOD, ...range(1, KEPT, (n) => `/l${n}`)) },
    counters: { links_over_limit: 50_000 - KEPT, parsed_in_part: 1 },
  }),
  page('1000000-nested-tags', '<b>'.repeat(1_000_000), { ends: { '/': CUT }, counters: IN_PART }),
  page('nested-tables', '<table><tr><td>'.repeat(130_000), { counters: IN_PART }),
  page('nested-templates', '<template>'.repeat(200_000), { ends: { '/': GOOD }, counters: IN_PART }),
  page('nested-drawings', '<svg><desc>'.repeat(190_000), { counters: IN_PART }),
  page('links-within-links', '<a href=/l>x<object>'.repeat(100_000), { ends: all(GOOD, '/', '/l'), counters: IN_PART }),
  page('misnested-tags', '<b><p><i></b>'.repeat(150_000), { counters: IN_PART }),
  page('formatting-that-squares', `<p>${range(1, 4000, (n) => `<b id=${n}>`).join('')}${'<p>x'.repeat(4000)}`, {
    counters: IN_PART,
  }),
  page('1000000-attributes', `<title>a</title><a ${'x '.repeat(1_000_000)}href=/l>`, {
    ends: all(GOOD, '/', '/l'),
    holds: { '/': { title: 'a' } },
  }),
  page('300000-different-attributes', `<title>a</title><a ${range(0, 300_000, (n) => n.toString(36)).join(' ')}>`, {
    holds: { '/': { title: 'a' } },
  }),
  page('giant-attribute', `<title>a</title><a href="/${'x'.repeat(2_000_000)}">`, { holds: { '/': { outlinks: [] } } }),
  page('giant-text', `<title>a</title>${'word '.repeat(400_000)}`, { counters: IN_PART }),
  page('giant-title', `<title>${'title '.repeat(300_000)}</title>`, { counters: IN_PART }),
  page('giant-white-space', `<title>a</title>${' \n\t'.repeat(600_000)}end`, { holds: { '/': { text: 'a end' } } }),
  page('unclosed-comment', `<title>a</title><a href=/l></a><!-- ${'- '.repeat(500_000)}`, {
    ends: all(GOOD, '/', '/l'),
  }),
  page('unclosed-comments', `<title>a</title>${'<!--'.repeat(400_000)}`, { holds: { '/': { text: 'a' } } }),
  page('unclosed-script', `<title>a</title><script>${'<!--<script>'.repeat(100_000)}`, {
    holds: { '/': { text: 'a' } },
    counters: { needs_scripts: 1 },
  }),
  page('unclosed-cdata', `<title>a</title><svg><![CDATA[${']]'.repeat(500_000)}`, {}),
  page('unclosed-attribute', `<title>a</title><a href="${'<a href=x>'.repeat(150_000)}`),
  page('unclosed-title', `<title>${'<a href=/x>'.repeat(100_000)}`, { counters: IN_PART }),
  page(
    'entity-storm',
    `<title>a</title>${'&amp;&lt;&notanentity;&#x10ffff;&#0;&CounterClockwiseContourIntegral;'.repeat(20_000)}`,
    {},
  ),
  page('entities-of-many-digits', `<title>a</title>&#${'9'.repeat(1_000_000)};&#x${'f'.repeat(500_000)};`),
  page('nul-bytes', `<ti\0tle>a</title>\0\0<a href="/l\0">\0</a>${'\0'.repeat(100_000)}`, {
    ends: { '/': GOOD, '/l%EF%BF%BD': GOOD },
  }),
  page('lone-surrogates-and-noncharacters', Buffer.from('<title>a</title>\xed\xa0\x80\xef\xbf\xbf\xff\xfe', 'latin1')),
  page('metas-by-the-thousand', range(1, 40_000, (n) => `<meta name=m${n} content=x>`).join('')),
  page('json-ld-of-a-megabyte', `<title>a</title><script type=application/ld+json>${'['.repeat(1_000_000)}</script>`),
  page(
    'json-ld-with-proto',
    '<script type=application/ld+json>{"__proto__":{"x":1},"constructor":1,"name":"n"}</script>',
  ),
  page('srcset-of-a-megabyte', `<title>a</title><img srcset="${'a 1x,'.repeat(250_000)}">`),
  page('base-of-a-megabyte', `<base href="/${'x'.repeat(1_000_000)}"><a href=l>`, { ends: all(GOOD, '/', '/l') }),
  page(
    'metas-named-as-members-of-objects',
    '<title>a</title><meta name=__proto__ content=x><meta name=constructor content=y>',
    {
      holds: { '/': { pageMetadata: { constructor: 'y' } } },
    },
  ),
  page('queries-named-as-members-of-objects', '<a href="/?__proto__=1">a</a><a href="/?constructor=1">b</a>', {
    ends: all(GOOD, '/', '/?__proto__=1', '/?constructor=1'),
  }),
  page('links-with-credentials', '<a href="http://user:secret@links-with-credentials.test/x">x</a><a href=/l>l</a>', {
    ends: all(GOOD, '/', '/l'),
  }),
  page(
    'links-of-other-schemes',
    ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'ftp://x.test/', 'mailto:a@b']
      .map((url) => `<a href="${url}">`)
      .join('') + '<a href=/l>',
    {
      ends: all(GOOD, '/', '/l'),
    },
  ),
  page('links-with-control-characters', '<a href="/a\tb\nc">x</a><a href="/d&#27;[31m&#7;">y</a>', {
    ends: all(GOOD, '/', '/abc', '/d%1B%5B31m'),
  }),
  page('links-with-bidi', '<a href="/\u202egpj.exe\u2066">x</a>', {
    ends: all(GOOD, '/', '/%E2%80%AEgpj.exe%E2%81%A6'),
  }),
  page('link-of-a-megabyte', `<a href="/${'l'.repeat(1_000_000)}">x</a><a href=/l>l</a>`, {
    ends: all(GOOD, '/', '/l'),
  }),
  page('link-longer-than-the-filter-takes', `<a href="/${'l'.repeat(3000)}">x</a><a href=/l>l</a>`, {
    ends: all(GOOD, '/', '/l'),
    counters: { 'links_rejected_urlfilter-traps': 1 },
  }),
  page(
    'links-to-private-addresses',
    '<a href=http://10.0.0.1/p>a</a><a href=http://[::1]/p>b</a><a href=http://169.254.169.254/p>c</a>',
    {
      ends: { '/': GOOD, ...all(REFUSED, '10.0.0.1/p', '[::1]/p', '169.254.169.254/p') },
    },
  ),
  page('links-by-nofollow', '<a rel="external NoFollow" href=/hidden>x</a><a href=/l>', { ends: all(GOOD, '/', '/l') }),
  page('noindex-nofollow', '<meta name=robots content="NOINDEX, nofollow"><a href=/hidden>x</a>', {
    holds: { '/': { parseStatus: { noindex: true, nofollow: true }, outlinks: [] } },
  }),
  {
    name: 'base-elsewhere',
    answer: ({ at }) => html(`<base href="${at('x.base-elsewhere.test', '/d/')}"><a href=l>`),
    ends: { '/': GOOD, 'x.base-elsewhere.test/d/l': REFUSED },
    requests: 3,
  },
  page('base-of-another-scheme', '<base href="data:,x"><a href=/l>l</a><a href=m>m</a>', {
    ends: all(GOOD, '/', '/l', '/m'),
  }),
  page('canonical-elsewhere', '<link rel=canonical href=http://x.canonical-elsewhere.test/y><title>a</title>', {
    holds: { '/': { title: 'a', parseStatus: { canonical: 'http://x.canonical-elsewhere.test/y' } } },
  }),
  page('canonical-to-a-script', '<link rel=canonical href="javascript:0"><title>a</title>', {
    holds: { '/': { title: 'a' } },
  }),

  typed('charset-that-does-not-exist', 'text/html; charset=no-such-thing', '<title>gr\u00fcn</title>', GOOD, {
    holds: { '/': { title: 'gr\u00fcn' } },
  }),
  typed('charset-utf-7', 'text/html; charset=utf-7', '+ADw-script+AD4-<title>a</title>', GOOD, {
    holds: { '/': { text: '+ADw-script+AD4- a' } },
  }),
  typed('charset-of-the-replacement-kind', 'text/html; charset=iso-2022-kr', '<title>a</title><a href=/hidden>', GOOD, {
    holds: { '/': { outlinks: [] } },
  }),
  typed('utf-16-without-a-mark', 'text/html; charset=utf-16', utf16('<title>wide</title>'), GOOD, {
    holds: { '/': { title: 'wide' } },
  }),
  typed('utf-16-that-nobody-tells', 'text/html', utf16('<title>wide</title>'), GOOD, {}),
  typed('mark-against-header', 'text/html; charset=iso-8859-1', '\ufeff<title>gr\u00fcn</title>', GOOD, {
    holds: { '/': { title: 'gr\u00fcn', parseStatus: { charset: 'utf-8' } } },
  }),
  typed('charset-of-a-kilobyte', `text/html; charset="${'x'.repeat(1000)}"`, '<title>a</title>', GOOD),

  typed('html-as-plain-text', 'text/plain', '<title>a</title><a href=/hidden>', GOOD, {
    holds: { '/': { title: '' } },
  }),
  {
    name: 'html-as-plain-text-by-nosniff',
    answer: () =>
      html('<title>a</title><a href=/hidden>', { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' }),
    ends: { '/': GOOD },
    holds: { '/': { title: '', outlinks: [] } },
  },
  typed('image-as-html', 'text/html', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR<a href=/l>', GOOD, { ends: all(GOOD, '/', '/l') }),
  typed('html-as-octet-stream', 'application/octet-stream', '<!doctype html><title>a</title>', GOOD, {
    holds: { '/': { title: 'a' } },
  }),
  typed('html-as-image', 'image/png', '<!doctype html><a href=/hidden>', 'fetched success unsupported_type'),
  typed('type-of-nonsense', ';;;,,,=/', '<!doctype html><title>a</title>', GOOD, { holds: { '/': { title: 'a' } } }),
  typed('program', 'application/x-executable', '\x7fELF', 'fetched success unsupported_type'),
  page('empty-page', ''),
];
