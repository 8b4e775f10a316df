/** What a page states about itself. What it does not state is absent. */
export interface Statements {
  readonly title?: string;
  readonly description?: string;
  readonly language?: string;
  readonly canonical?: string;
  readonly versions?: Readonly<Record<string, string>>;
  readonly feeds?: readonly string[];
  readonly h1?: string;
  /** A day or a time in ISO 8601. */
  readonly published?: string;
  readonly modified?: string;
  /** Number of JSON-LD blocks that are read, and of blocks that are not valid. */
  readonly blocks?: number;
  readonly invalid?: number;
  readonly siteName?: string;
  readonly image?: string;
  /** The target of the refresh. */
  readonly refresh?: string;
  /** The target of the link in the body. */
  readonly link?: string;
}

export interface StatedPage {
  readonly name: string;
  readonly head: string;
  /** Absent: {@link BODY}. */
  readonly body?: string;
  /** Attributes of the `html` element. */
  readonly root?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  /** Absent: UTF-8. */
  readonly encode?: (html: string) => Uint8Array;
  readonly states: Statements;
}

export const SITE = 'https://a.com/';
const DIR = `${SITE}d/`;
export const BODY = '<p>Words of the page.';
const jsonLd = (text: string): string => `<script type="application/ld+json">${text}</script>`;
const article = (properties: string): string => jsonLd(`{"@type":"Article",${properties}}`);
const shadow = (content: string): string => `<div><template shadowrootmode=open>${content}</template></div>`;
const canonical = (href: string): string => `<link rel=canonical href="${href}">`;

/** Statements that do not count where they are. */
const FOREIGN = `<title>no</title><meta name=description content=no>${canonical('/no')}<link rel=alternate hreflang=fr href=/no>${article('"datePublished":"2001-01-01"')}`;

export const STATED_PAGES: readonly StatedPage[] = [
  { name: 'an empty page', head: '', states: {} },
  {
    name: 'upper case and no quotes',
    head: '<TITLE>T</TITLE><META NAME=Description CONTENT=D><LINK REL=Canonical HREF=/c><META PROPERTY=OG:Site_Name CONTENT=S>',
    root: 'LANG=de',
    states: { title: 'T', description: 'D', canonical: `${SITE}c`, siteName: 'S', language: 'de' },
  },
  {
    name: 'several relations in one attribute',
    head: '<link rel="  next\n canonical " href="/c"><link rel="alternate nofollow" hreflang=fr href=/fr>',
    states: { canonical: `${SITE}c`, versions: { fr: `${SITE}fr` } },
  },
  {
    name: 'an empty canonical before another',
    head: canonical('') + canonical('/c'),
    states: { canonical: `${SITE}c` },
  },
  {
    name: 'a canonical that no crawl can fetch before another',
    head: canonical('javascript:x()') + canonical('/c') + canonical('/d'),
    states: { canonical: `${SITE}c` },
  },
  { name: 'white space around a URL', head: canonical('\n /c\t#part '), states: { canonical: `${SITE}c` } },
  { name: 'a canonical in the body', head: '<p>Words', body: canonical('/c'), states: { canonical: `${SITE}c` } },
  {
    name: 'a canonical and a version in the header',
    head: '',
    headers: {
      link: '</x>; rel=preload, <../c>; rel="canonical", </fr>; rel=alternate; hreflang=fr, </x>; rel=alternate; hreflang=""',
    },
    states: { canonical: `${SITE}c`, versions: { fr: `${SITE}fr` } },
  },
  {
    name: 'a base after the links',
    head: `${canonical('c')}<link rel=alternate hreflang=fr href=fr><base href="/b/">`,
    body: '<a href=x>x</a>',
    states: { canonical: `${SITE}b/c`, versions: { fr: `${SITE}b/fr` }, link: `${SITE}b/x` },
  },
  {
    name: 'a base without a URL before another',
    head: `<base target=_top><base href=/b/><base href=/no/>${canonical('c')}`,
    body: '<a href=x>x</a>',
    states: { canonical: `${SITE}b/c`, link: `${SITE}b/x` },
  },
  {
    name: 'a base that is no URL',
    head: `<base href="https://"><base href=/no/>${canonical('c')}`,
    body: '<a href=x>x</a>',
    states: { canonical: `${DIR}c`, link: `${DIR}x` },
  },
  {
    name: 'an empty description before another',
    head: '<meta name=description content=" "><meta name=description content=D><meta name=description content=E>',
    states: { description: 'D' },
  },
  { name: 'a description as a property', head: '<meta property=description content=D>', states: { description: 'D' } },
  {
    name: 'white space and references in values',
    head: '<title>\n A &amp;\tB </title><meta name=" description " content="\n A&nbsp;\tB &quot;C&quot; ">',
    states: { title: 'A & B', description: 'A B "C"' },
  },
  { name: 'a language as a locale', head: '', root: 'lang=de_DE', states: { language: 'de-DE' } },
  {
    name: 'a list of languages before one language',
    head: '<meta http-equiv=content-language content="de, en"><meta http-equiv=Content-Language content=fr>',
    states: { language: 'fr' },
  },
  {
    name: 'a language only in og:locale',
    head: '<meta property=og:locale content=pt_BR>',
    states: { language: 'pt-BR' },
  },
  {
    name: 'versions beside style sheets, feeds and values that are no language',
    head:
      '<link rel="alternate stylesheet" hreflang=de href=/s><link rel=alternate hreflang=de type="application/rss+xml" href=/rss>' +
      '<link rel=alternate hreflang="de, at" href=/no><link rel=alternate hreflang=" DE " href=/de><link rel=alternate hreflang=de href=/de2>' +
      '<link rel=alternate hreflang=x-default href="">' +
      '<link rel=alternate hreflang=X-Default href=/all><link rel=alternate hreflang=en_GB href="mailto:x"><link rel=alternate hreflang=en-GB href=/gb>',
    states: {
      versions: { de: `${SITE}de`, 'x-default': `${SITE}all`, 'en-gb': `${SITE}gb` },
      feeds: [`${SITE}rss`],
    },
  },
  {
    name: 'feeds of all types, and one type that is no feed',
    head:
      '<link rel=alternate type="Application/Atom+XML; charset=utf-8" href=/atom><link rel=alternate type=application/feed+json href=/json>' +
      '<link rel=alternate type=application/json href=/api><link rel=home type=application/rss+xml href=/no>',
    states: { feeds: [`${SITE}atom`, `${SITE}json`] },
  },
  {
    name: 'JSON-LD in a comment, with a raw line end',
    head: jsonLd('<!-- {"@type":"NewsArticle","headline":"New\nline","datePublished":"2024-05-01T10:00:00Z"} -->'),
    states: { published: '2024-05-01T10:00:00Z', blocks: 1 },
  },
  {
    name: 'JSON-LD that is not valid before valid JSON-LD',
    head: `${jsonLd('{"@type":"Article",}')}${article('"datePublished":"2024-05-01","dateModified":"2024-05-02"')}`,
    states: { published: '2024-05-01', modified: '2024-05-02', blocks: 1, invalid: 1 },
  },
  {
    name: 'a list of dates in JSON-LD, of which the first is empty',
    head: article('"datePublished":["","2024-05-01"]'),
    states: { published: '2024-05-01', blocks: 1 },
  },
  {
    name: 'the date of creation in JSON-LD',
    head: article('"dateCreated":"2024-05-01"'),
    states: { published: '2024-05-01', blocks: 1 },
  },
  {
    name: 'dates in microdata of the head',
    head: '<meta itemprop=datePublished content=2024-05-01><meta itemprop=dateModified content=2024-05-02>',
    states: { published: '2024-05-01', modified: '2024-05-02' },
  },
  {
    name: 'a date of change for browsers',
    head: '<meta http-equiv=last-modified content="Wed, 01 May 2024 10:00:00 GMT">',
    states: { modified: '2024-05-01T10:00:00Z' },
  },
  {
    name: 'an empty date before another',
    head: '<meta property=article:published_time content=""><meta property=article:published_time content=2024-05-01>',
    states: { published: '2024-05-01' },
  },
  {
    name: 'statements in a noscript, where only the refresh does not count',
    head: `<noscript><meta http-equiv=refresh content="0;url=/no">${canonical('/c')}<meta name=description content=D></noscript>`,
    states: { canonical: `${SITE}c`, description: 'D' },
  },
  {
    name: 'a refresh whose first value is not valid',
    head: '<meta http-equiv=refresh content=soon><meta http-equiv=Refresh content="0; URL=\'/r\'"><meta http-equiv=refresh content="0;/no">',
    states: { refresh: `${SITE}r` },
  },
  { name: 'statements in a template', head: `<title>T</title><template>${FOREIGN}</template>`, states: { title: 'T' } },
  { name: 'statements in a comment', head: `<title>T</title><!-- ${FOREIGN} -->`, states: { title: 'T' } },
  {
    name: 'statements in a shadow tree',
    head: '<title>T</title>',
    body: shadow(`${FOREIGN}<p>Words</p>`),
    states: { title: 'T' },
  },
  {
    name: 'statements in an inner document',
    head: '<title>T</title>',
    body: `<iframe srcdoc='${FOREIGN.replaceAll('<title>no</title>', '')}'></iframe><p>Words`,
    states: { title: 'T' },
  },
  {
    name: 'names of drawings',
    head: '',
    body: '<svg><title>Icon</title><link rel="canonical" href="/no"/></svg><h1>Top</h1><p>Words',
    states: { title: 'Top', h1: 'Top' },
  },
  {
    name: 'two titles, of which the first is in the body',
    head: '<p>Words',
    body: '<title>One</title><title>Two</title>',
    states: { title: 'One' },
  },
  {
    name: 'a heading with markup and a permalink, after an empty one',
    head: '<title>T</title>',
    body: '<h1> <img src=i.png></h1><h1>In<b>tro</b><br>duction<a class=headerlink href="#intro">¶</a></h1><p>Words',
    states: { title: 'T', h1: 'Intro duction', link: `${DIR}page` },
  },
  {
    name: 'a page that is not in UTF-8',
    head: `<meta charset=windows-1251><title>Ж</title>${canonical('/c?q=Ж')}`,
    body: '<a href="x?q=Ж">x</a>',
    encode: (html) => Buffer.from(html.replaceAll('Ж', '\u00c6'), 'latin1'),
    states: { title: 'Ж', canonical: `${SITE}c?q=%C6`, link: `${DIR}x?q=%C6` },
  },
  {
    name: 'a page in XHTML',
    root: 'xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"',
    head: '<title>T</title><meta name="description" content="D"/><link rel="canonical" href="/c"/>',
    body: '<p>Words</p>',
    contentType: 'application/xhtml+xml',
    states: { title: 'T', description: 'D', canonical: `${SITE}c`, language: 'de' },
  },
  {
    name: 'a property and a name in one element',
    head: '<meta property=og:image name=twitter:image content=i.png><meta property=og:site_name content=S><meta property=og:title content=O>',
    states: { title: 'O', image: `${DIR}i.png`, siteName: 'S' },
  },
];
