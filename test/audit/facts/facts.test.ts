import { describe, expect, it, vi } from 'vitest';
import { htmlDocument, type CrawledPage, type JsonValue } from '../../../packages/core/index.js';
import { flawOfHref, isOneEdit } from '../../../packages/audit/facts/link-facts.js';
import { FLAWS, MARKS, decodeFacts, encodeFacts, idHash, type PageFacts } from '../../../packages/audit/facts/facts.js';
import { LINK_KINDS } from '../../../packages/audit/facts/kinds.js';
import { auditFacts, factsOf } from '../../../packages/audit/facts/plugin.js';
import { saysNotFound } from '../../../packages/audit/not-found.js';
import { isHreflang } from '../../../packages/audit/rules/hreflang.js';
import { verdictOf } from '../../../packages/audit/verdict.js';

const URL_ = 'https://site.example/dir/page';

function pageOf(html: string, more: Partial<CrawledPage> = {}): CrawledPage {
  const content = Buffer.from(html);
  const settings = { parser: { timeout: 30, characterEncodingDefault: 'utf-8' } };
  return {
    url: URL_,
    contentType: 'text/html',
    headers: {},
    content,
    truncated: false,
    title: '',
    text: '',
    outlinks: [],
    metadata: {},
    robots: { noindex: false, nofollow: false, noarchive: false },
    document: () => htmlDocument({ content, contentType: 'text/html', charset: 'utf-8' }, settings as never),
    ...more,
  };
}

function linksOf({ links }: PageFacts): string[] {
  return links.map(({ to, kind, fragment, anchor, line, rel }) =>
    [to, LINK_KINDS[kind], fragment, anchor, line, rel].join(' '),
  );
}

describe('the facts of a page', () => {
  it('include every link with its element, fragment, anchor, line and rel', () => {
    const html =
      '<a href="one#part">One <b>link</b></a>\n<a href="/two" rel="nofollow ugc"><img src="i.png" alt="a picture"></a>\n' +
      '<a href="#here" aria-label="named"></a>\n<video poster="p.jpg"></video><form action="/send" method="post"></form>';
    const outlinks = [{ url: 'https://site.example/dir/one', anchor: 'One link' }];
    expect(linksOf(factsOf(pageOf(html, { outlinks })))).toEqual([
      '0 a part  1 0',
      'https://site.example/two a  a picture 2 3',
      'https://site.example/dir/i.png img  a picture 2 0',
      `${URL_} a here named 3 0`,
      'https://site.example/dir/p.jpg poster   4 0',
    ]);
  });

  it('have the lines of links in which & is escaped', () => {
    const html = '<a href="?a=1&amp;b=2">1</a>\n<a href="?a=1&b=3">2</a>\n<a href="&amp;amp;">3</a>';
    expect(factsOf(pageOf(html)).links.map(({ line }) => line)).toEqual([1, 2, 3]);
  });

  it('have lines for values without quotes, and for a page that starts with links whose lines are unknown', () => {
    const html = `${'<a href="/&#120;">x</a>\n'.repeat(5)}<a href=/y>y</a>\n"/z" <a href='/z?a&b'>z</a>`;
    expect(factsOf(pageOf(html)).links.map(({ line }) => line)).toEqual([0, 6, 7]);
  });

  it.each([
    ['values without quotes', (n: number) => `<a href=a?b&c${n}>x</a>\n`, `"a?b&"'a?b&'`.repeat(20_000), 3_000],
    ['values that are not found', (n: number) => `<a href="/&#120;${n}">x</a>\n`, '', 0],
  ])('cost a search of a few times the length of the page: %s', (_, link, rest, line) => {
    const page = pageOf(Array.from({ length: 3_000 }, (_, n) => link(n)).join('') + rest);
    let searched = 0;
    const { prototype } = Buffer as unknown as { readonly prototype: Buffer };
    const search = prototype.indexOf as (this: Buffer, value: unknown, from: number) => number;
    vi.spyOn(prototype, 'indexOf').mockImplementation(function (this: Buffer, value: unknown, from: unknown) {
      const found = search.call(this, value, from as number);
      searched += (found === -1 ? this.length : found) - (from as number);
      return found;
    });
    expect(factsOf(page).links.at(-1)!.line).toBe(line);
    vi.restoreAllMocks();
    expect(searched).toBeLessThan(12 * page.content.length);
  });

  it('are read as they were stored', () => {
    const html =
      '<html><head><title>T</title><meta name="description" content="D"><link rel="canonical" href="/c"><link rel="alternate" hreflang="de" href="/de">' +
      '<script type="application/ld+json">{</script></head><body><h1 id="a">H</h1><a name="b" href="htp://x">bad</a><img src="i.png"></body></html>';
    const facts = factsOf(pageOf(html));
    expect(decodeFacts(JSON.parse(JSON.stringify(encodeFacts(facts))) as never)).toEqual(facts);
    expect(facts).toMatchObject({
      titles: 1,
      description: 'D',
      headings: '1',
      h1: 'H',
      canonicals: [{ url: 'https://site.example/c', place: 'head' }],
      alternates: [{ tag: 'de', url: 'https://site.example/de', place: 'head' }],
      imagesWithoutAlt: 1,
      badJsonLd: 1,
    });
    expect([...facts.ids]).toEqual([idHash('a'), idHash('b')]);
    expect(facts.bad.map(({ raw, anchor }) => [raw, anchor])).toEqual([['htp://x', 'bad']]);
    expect(decodeFacts(undefined)).toBeUndefined();
    expect(decodeFacts({ v: 0 })).toBeUndefined();
  });

  it('name a statement that the row has, and do not repeat it', () => {
    const html =
      '<html><head><meta name="description" content="About tides"><link rel="canonical" href="/c">' +
      '<link rel="canonical" href="/other"><link rel="alternate" hreflang="de" href="/de"></head><body><h1>The  tides</h1></body></html>';
    const row = {
      canonical: 'https://site.example/c',
      headings: ['Menu', 'The tides'],
      metadata: { description: 'About tides', 'hreflang:de': 'https://site.example/de' },
    };
    const page = { ...pageOf(html), ...row };
    const { audit } = auditFacts().onPage!(page) as { readonly audit: never };
    expect(JSON.stringify(audit)).not.toMatch(/About|tides|example\/c|example\/de/);
    expect(audit).toMatchObject({
      c: [
        [0, 'head'],
        ['https://site.example/other', 'head'],
      ],
    });
    expect(decodeFacts(audit, row)).toEqual(factsOf(page));
    // Facts that were stored with their statements are read as they are.
    expect(decodeFacts(encodeFacts(factsOf(page)) as never, row)).toEqual(factsOf(page));
  });

  it('are cut if a page has more than a row can hold, and count what is missing', () => {
    const many = Array.from(
      { length: 6_000 },
      (_, n) => `<a id="i${n}" href="https://other.example/a/path/of/some/length/${n}">l</a>`,
    );
    const stored = auditFacts().onPage!(pageOf(many.join(''))) as { readonly audit: never };
    expect(Buffer.byteLength(JSON.stringify(stored.audit))).toBeLessThanOrEqual(48_000);
    const facts = decodeFacts(stored.audit)!;
    expect(facts.ids.length + facts.cutIds).toBe(6_000);
    expect(facts.links.length + facts.cutLinks).toBe(6_000);
    expect([facts.cutIds, facts.cutLinks].every((n) => n > 0)).toBe(true);
    // So none of its fragments is checked.
    expect(facts.marks & MARKS.truncated).toBe(MARKS.truncated);
  });

  it('have only the number of links to existing places of the page itself', () => {
    const html =
      '<h1 id="a">A</h1><h2 id="ü">B</h2><a href="#a">1</a><a href="page#%C3%BC">2</a><a href="">3</a><a href="#a:~:text=x">4</a>' +
      '<a href="#lost">5</a><a href="other#a">6</a><img src="page">';
    const facts = factsOf(pageOf(html));
    expect(linksOf(facts).map((link) => link.split(' ', 3).join(' '))).toEqual([
      `${URL_} a lost`,
      'https://site.example/dir/other a a',
      `${URL_} img `,
    ]);
    expect(facts.ownPlaces).toBe(2);
  });

  it('lose anchors before links', () => {
    const html = Array.from({ length: 700 }, (_, n) => `<a href="${n}">${'anchor '.repeat(10)}</a>`).join('');
    const { links, cutLinks } = decodeFacts((auditFacts().onPage!(pageOf(html)) as { readonly audit: never }).audit)!;
    expect([links.length, cutLinks, links[0]!.anchor]).toEqual([700, 0, '']);
  });

  it('count overlong links only within the host, and do not check overlong fragments', () => {
    const long = 'x'.repeat(2_500);
    const html = `<a href="https://play.example/?code=${long.slice(0, 600)}">1</a><a href="/${long}">2</a><a href="/b#${long}">3</a>`;
    const facts = factsOf(pageOf(html));
    expect(facts.cutLinks).toBe(1);
    expect(linksOf(facts)).toEqual(['https://site.example/b a  3 1 0']);
  });

  it('recognise walls, apps and sitemaps', () => {
    expect(factsOf(pageOf('<title>Just a moment...</title>')).marks).toBe(MARKS.wall);
    expect(factsOf(pageOf('', { headers: { 'cf-mitigated': 'challenge' } })).marks).toBe(MARKS.wall);
    expect(factsOf(pageOf('<div id="__next"></div><script>1</script>')).marks).toBe(MARKS.app | MARKS.scripts);
    const sitemap =
      '<?xml version="1.0"?><urlset xmlns:x="y"><url><loc>l</loc><x:link rel="alternate" hreflang="de" href="h"/></url></urlset>';
    const xml = { contentType: 'application/xml', document: () => undefined };
    expect(factsOf(pageOf(sitemap, xml)).marks).toBe(MARKS.sitemap | MARKS.alternates);
    expect(factsOf(pageOf('<rss><channel/></rss>', xml)).marks).toBe(0);
  });
});

describe('links that lead nowhere', () => {
  it.each([
    ['http://[bad', 'not a URL'],
    ['https://https://x.example/', 'two schemes'],
    ['http://https//x.example/', 'two schemes'],
    ['htp://x.example/', 'a misspelt scheme'],
    ['htpps://x.example/', 'a misspelt scheme'],
    ['https://undefined/x', 'no host name'],
    ['//null/x', 'no host name'],
    ['/{{ url }}', 'a template left over'],
    ['<%= x %>', 'a template left over'],
    ['/a%7B%7Bid%7D%7D', 'a template left over'],
    ['/a?x=1&id=%7B%7B%20id%20%7D%7D', 'a template left over'],
  ])('%s: %s', (raw, flaw) => expect(FLAWS[flawOfHref(raw, URL_)!]).toBe(flaw));

  it.each([
    '',
    '#',
    '?q=1',
    '/null',
    'undefined',
    'mailto:a@b',
    'javascript:f(`${x}`)',
    'tel:1',
    'shttp://x/',
    'https://play.example/?code=println!(%22%7B%7B2764%7D%7D%22)',
    'HTTPS://x.example/',
    'ftp://x/',
  ])('not %s', (raw) => expect(flawOfHref(raw, URL_)).toBeUndefined());

  it('are recognised by one edit', () => {
    for (const word of ['htp', 'http2', 'htttp', 'hhtp', 'hxtp', 'ttp', 'thtp'])
      expect(isOneEdit(word, 'http'), word).toBe(true);
    for (const word of ['http', 'ftp', 'tel', 'httpxx']) expect(isOneEdit(word, 'http'), word).toBe(false);
  });
});

describe('verdicts', () => {
  it.each([
    [200, 'ok'],
    [304, 'ok'],
    [301, 'redirect'],
    [404, 'broken'],
    [410, 'broken'],
    [400, 'broken'],
    [500, 'failing'],
    [503, 'failing'],
    [519, 'failing'],
    ...[202, 401, 402, 403, 405, 406, 407, 408, 421, 425, 429, 430, 451, 999, 520, 530].map(
      (http) => [http, 'blocked'] as const,
    ),
  ] as const)('%d is %s', (http, verdict) => expect(verdictOf({ code: 'x', http })).toBe(verdict));

  it('depend on the code without an answer or a request', () => {
    expect(verdictOf(undefined)).toBe('unchecked');
    for (const code of ['robots_denied', 'private_address', 'host_backoff'])
      expect(verdictOf({ code })).toBe('unchecked');
    for (const code of ['dns_failed', 'timeout', 'connection_reset', 'tls_failed'])
      expect(verdictOf({ code })).toBe('failing');
  });
});

describe('the meaning of titles and tags', () => {
  it.each([
    '404',
    '404 Not Found',
    'Error 404',
    'Page not found',
    'Not Found',
    'Page not found | Site',
    'Site – Seite nicht gefunden',
    'Página no encontrada',
    'ページが見つかりません',
  ])('not found: %s', (title) => expect(saysNotFound(title, '')).toBe(true));
  it.each([
    '',
    'How to design a page not found screen',
    '404 errors and how to find them',
    'Lost and found',
    'Room 404b',
    'The 404 page: a history',
  ])('a page: %s', (title) => expect(saysNotFound(title, '')).toBe(false));
  it('languages of hreflang', () => {
    for (const tag of ['en', 'EN-gb', 'zh-Hant', 'zh-Hant-TW', 'x-default', 'es-419'])
      expect(isHreflang(tag), tag).toBe(true);
    for (const tag of ['en-UK', 'en_US', 'cn', 'english', 'en-GB-x', '', 'gb'])
      expect(isHreflang(tag), tag).toBe(false);
  });
});

describe('facts of a hostile page', () => {
  it('have a maximum size, whatever the page has most of', async () => {
    const long = 'ü'.repeat(180);
    const versions = Array.from({ length: 300 }, (_, i) => `<link rel=alternate hreflang=de href="/${i}${long}">`).join(
      '',
    );
    const canonicals = Array.from({ length: 300 }, (_, i) => `<link rel=canonical href="/${i}${long}">`).join('');
    const bad = Array.from(
      { length: 300 },
      (_, i) => `<a href="htp://${i}${'漢'.repeat(300)}">${'漢'.repeat(99)}</a>`,
    ).join('');
    const links = Array.from({ length: 3000 }, (_, i) => `<a id="i${i}" href="/l${i}">link</a>`).join('');
    const found = (await auditFacts().onPage!(pageOf(versions + canonicals + bad + links))) as { audit: JsonValue };
    expect(Buffer.byteLength(JSON.stringify(found))).toBeLessThan(48_100);
    expect(decodeFacts(found.audit)!.cutLinks).toBeGreaterThan(0);
  });
});
