import { describe, expect, it } from 'vitest';
import { parsePage } from '../support/parsing/parse-page.js';

const metadata = (html: string) => parsePage(html).metadata;
const jsonLd = (json: string) => metadata(`<script type="application/ld+json">${json}</script>`);

describe('Open Graph', () => {
  it('is metadata', () => {
    expect(metadata('<meta property="og:title" content=" A  b "><meta property="OG:type" content="article">')).toEqual({
      'og:title': 'A b',
      'og:type': 'article',
    });
  });

  it('may share an element with another name', () => {
    expect(metadata('<meta name="twitter:title" property="og:title" content="x">')).toEqual({
      'twitter:title': 'x',
      'og:title': 'x',
    });
  });
});

describe('JSON-LD', () => {
  it('gives type, names and dates', () => {
    expect(
      jsonLd(
        '{"@type":["NewsArticle","x"],"headline":"H","name":"N","datePublished":"2024-05-01","dateModified":"2024-05-02","author":{"name":"A"}}',
      ),
    ).toEqual({
      'jsonld:type': 'NewsArticle',
      'jsonld:headline': 'H',
      'jsonld:name': 'N',
      'jsonld:datepublished': '2024-05-01',
      'jsonld:datemodified': '2024-05-02',
    });
  });

  it('may be a list or a graph; its first item with data counts', () => {
    expect(jsonLd('[{"@type":"A"},{"@type":"B","name":"b"}]')).toEqual({ 'jsonld:type': 'A', 'jsonld:name': 'b' });
    expect(jsonLd('{"@graph":[{"@type":"A"},{"headline":"h"}]}')).toEqual({
      'jsonld:type': 'A',
      'jsonld:headline': 'h',
    });
  });

  it('gives the date of the article before that of its page', () => {
    const page = '{"@type":"WebPage","datePublished":"2020-01-01","name":"N"}';
    const article = '{"@type":"NewsArticle","datePublished":"2024-05-01"}';
    for (const json of [`[${page},${article}]`, `{"@graph":[${page},${article}]}`]) {
      expect(jsonLd(json)).toEqual({
        'jsonld:type': 'NewsArticle',
        'jsonld:datepublished': '2024-05-01',
        'jsonld:name': 'N',
      });
    }
  });

  it('counts before other metadata, however much there is', () => {
    const metas = Array.from({ length: 64 }, (_, n) => `<meta name="m${n}" content="x">`).join('');
    const found = metadata(`${metas}<script type="application/ld+json">{"datePublished":"2024-05-01"}</script>`);
    expect([found['jsonld:datepublished'], Object.keys(found).length]).toEqual(['2024-05-01', 64]);
  });

  it.each([
    '',
    'x',
    '{"@type":',
    'null',
    '17',
    '"a"',
    '[]',
    '[[]]',
    '{"@type":{"a":1},"name":5,"headline":""}',
    '{"__proto__":{"name":"x"}}',
    '['.repeat(90_000),
    `${'['.repeat(40_000)}${']'.repeat(40_000)}`,
    `{"name":"${'a'.repeat(1_000_000)}"}`,
  ])('that is invalid gives nothing: %#', (json) => expect(jsonLd(json)).toEqual({}));

  it('has a limit', () => {
    expect(jsonLd(`{"name":"${'a'.repeat(5000)}"}`)['jsonld:name']).toHaveLength(1000);
    const late = '<script type="application/ld+json">{}</script>'.repeat(100);
    expect(metadata(`${late}<script type="application/ld+json">{"name":"x"}</script>`)).toEqual({});
    expect(jsonLd(`[${'{},'.repeat(1000)}{"name":"x"}]`)).toEqual({});
  });

  it('is not text, and other scripts are not JSON-LD', () => {
    expect(parsePage('<script type="Application/LD+JSON; a=b">{"name":"x"}</script>')).toMatchObject({
      text: '',
      metadata: { 'jsonld:name': 'x' },
    });
    expect(metadata('<script type="application/json">{"name":"x"}</script><script>{"name":"x"}</script>')).toEqual({});
  });
});

describe('hreflang', () => {
  it('is metadata, absolute', () => {
    expect(
      metadata(`<base href="/b/"><link rel="alternate" hreflang="DE" href="de"><link rel=alternate hreflang=x-default href="/">
        <link rel=alternate hreflang=de href=second><link rel=alternate hreflang="d e" href=x><link rel=alternate hreflang=fr>
        <link rel=alternate hreflang=es href="javascript:x"><link hreflang=it href=x><link rel=alternate href=feed>`),
    ).toEqual({ 'hreflang:de': 'http://h.com/b/de', 'hreflang:x-default': 'http://h.com/' });
  });

  it('has a limit', () => {
    const html = Array.from({ length: 100 }, (_, i) => `<link rel=alternate hreflang=a-${i} href=/${i}>`).join('');
    expect(Object.keys(metadata(html))).toHaveLength(64);
  });
});

describe('srcset', () => {
  const links = (html: string, ignored: string[] = []) =>
    parsePage(html, { parser: { htmlOutlinksIgnoreTags: ignored } }).outlinks.map(({ url }) =>
      url.slice('http://h.com/d/'.length),
    );

  it.each([
    ['a 1x, b 2x', ['a', 'b']],
    [' ,a, b 100w ,, c', ['a', 'b', 'c']],
    ['a,b 1x', ['a,b']],
    ['a (x,y) 1x, b', ['a', 'b']],
    ['a,,, b', ['a', 'b']],
    ['a (', ['a']],
    ['data:image/png;base64,x= 1x, b', ['b']],
    [',,,', []],
    ['', []],
  ])('%j', (srcset, expected) => expect(links(`<img srcset="${srcset}">`)).toEqual(expected));

  it('counts with its element', () => {
    const html = '<picture><source srcset="a"><img src="b" srcset="c" alt="d"></picture>';
    expect(links(html)).toEqual(['a', 'c', 'b']);
    expect(links(html, ['img'])).toEqual(['a']);
    expect(links(html, ['source', 'img'])).toEqual([]);
  });

  it('has a limit', () => {
    expect(links(`<img srcset="${'a,'.repeat(500_000)}">`)).toEqual([]);
    expect(links(`<img srcset="${Array.from({ length: 60_000 }, (_, i) => `${i} 1x`).join()}">`)).toHaveLength(50_000);
  });
});

describe('X-Robots-Tag', () => {
  it('addresses a robot up to the end of the line', () => {
    const robots = (tag: string) => parsePage('', { headers: { 'x-robots-tag': tag } }).robots;
    expect(robots('otherbot: noindex, nofollow\nnoarchive')).toEqual({
      noindex: false,
      nofollow: false,
      noarchive: true,
    });
    expect(robots('noarchive\notherbot: noindex')).toEqual({ noindex: false, nofollow: false, noarchive: true });
  });
});

describe('the title', () => {
  it.each([
    ['<title>T</title><meta property="og:title" content=O><h1>H</h1>', 'T'],
    ['<title> </title><meta property="og:title" content=" O  o "><h1>H</h1>', 'O o'],
    ['<meta property="og:title" content=""><h2>2</h2><h1> </h1><h1>H <b>h</b></h1><h1>I</h1>', 'H h'],
    ['<h2>2</h2><p>text', ''],
    ['<meta name="twitter:title" content=X>', ''],
  ])('of %s', (html, title) => {
    expect(parsePage(html).title).toBe(title);
    expect(parsePage(html, { contentType: 'application/xhtml+xml' }).title).toBe(title);
  });

  it('that is not stated is not in the text twice', () => {
    expect(parsePage('<meta property="og:title" content=O><h1>H</h1>x').text).toBe('H x');
  });
});

describe('the language', () => {
  it.each([
    ['<html lang="en_US">', 'en-US'],
    ['<html lang="de"><meta property="og:locale" content=en_US>', 'de'],
    ['<html lang=""><meta http-equiv=content-language content="pt_BR">', 'pt-BR'],
    ['<html lang="en, de"><meta property="og:locale" content=fr_FR>', 'fr-FR'],
    ['<meta property="og:locale" content="not a locale">', undefined],
  ])('of %s', (html, language) => expect(parsePage(html).language).toBe(language));

  it('of the header precedes og:locale', () => {
    const headers = { 'content-language': 'it' };
    expect(parsePage('<meta property="og:locale" content=en_US>', { headers }).language).toBe('it');
  });
});
