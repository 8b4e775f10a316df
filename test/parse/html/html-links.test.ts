import { describe, expect, it } from 'vitest';
import { parsePage, type PageOptions } from '../../support/parsing/parse-page.js';
import { words } from '../../support/files/words.js';

const ALL = { parser: { htmlOutlinksIgnoreTags: [], htmlFormUseAction: true } };
const links = (html: string, options?: PageOptions) =>
  parsePage(html, options).outlinks.map(({ url, anchor }) => `${url.replace('http://h.com', '')} ${anchor}`.trim());

describe('the links of a page', () => {
  it('come from all elements that are not ignored, in order of appearance', () => {
    const html = `<head><link href=l rel=stylesheet><script src=s></script></head><a href=a>A</a><map><area href=ar alt=B></map>
      <iframe src=i></iframe><img src=im alt=C><video><source src=so></video><form action=f>D</form><svg><a xlink:href=x>E</a></svg>`;
    expect(links(html, ALL)).toEqual([
      ...['/d/l', '/d/s', '/d/a A', '/d/ar B', '/d/i', '/d/im C', '/d/so', '/d/f D', '/d/x E'],
    ]);
    expect(links(html)).toEqual(['/d/a A', '/d/ar B', '/d/i', '/d/x E']);
    expect(links(html, { parser: { htmlOutlinksIgnoreTags: ['A', 'area'] } })).toEqual([
      '/d/l',
      '/d/s',
      '/d/i',
      '/d/im C',
      '/d/so',
    ]);
    expect(links('<frameset><frame src=f></frameset>')).toEqual(['/d/f']);
  });

  describe('in link elements', () => {
    const head = `<!doctype html><html><head><title>t</title><link rel=stylesheet href=s.css><link rel="alternate stylesheet" hreflang=de href=s2.css>
      <link rel=alternate hreflang=de href=de><link rel="next prefetch" href=n><link rel=prev href=p><link rel=Previous href=pp>
      <link rel=alternate type=application/rss+xml href=rss><link rel=alternate type="Application/Atom+XML; charset=utf-8" href=atom>
      <link rel=alternate type=application/json href=json><link rel=alternate href=mobile><link rel=canonical href=c>
      <link rel="next nofollow" href=no><link rel=next href></head>`;
    const of = (...htmlOutlinksRelations: ('alternate' | 'next' | 'prev' | 'feed')[]) => ({
      parser: { htmlOutlinksRelations },
    });
    // The second can only be read from its tree.
    const bodies = ['<body><a href=a>A</a>', '<body><a href=a>A</a><b><i></b></i>'];

    it.each([
      [of(), []],
      [of('alternate'), ['/d/de']],
      [of('next'), ['/d/n']],
      [of('prev'), ['/d/p', '/d/pp']],
      [of('feed'), ['/d/rss', '/d/atom']],
      [of('feed', 'next', 'alternate', 'prev'), ['/d/de', '/d/n', '/d/p', '/d/pp', '/d/rss', '/d/atom']],
    ])('are chosen by their relations: %j', (options, expected) => {
      for (const body of bodies) expect(links(head + body, options), body).toEqual([...expected, '/d/a A']);
    });

    it('are all used if the setting does not ignore link', () => {
      for (const body of bodies)
        expect(links(head + body, { parser: { htmlOutlinksIgnoreTags: [] } })).toHaveLength(12);
    });

    it('have the anchor of another link to the same page', () => {
      expect(links('<link rel=next href=n><a href=n>on</a>', of('next'))).toEqual(['/d/n on']);
    });
  });

  it('of SVG are in href, and in xlink:href only without it', () => {
    expect(
      links('<svg><a xlink:href=old href=new>A</a><a href=n2 xlink:href=o2>B</a><a xlink:href=o3>C</a></svg>'),
    ).toEqual(['/d/new A', '/d/n2 B', '/d/o3 C']);
  });

  it('are absolute, without fragment, each once with its first non-empty anchor', () => {
    expect(links('<a href="x#1"></a><a href=" x ">one</a><a href=./x>two</a><a href=y>y</a>')).toEqual([
      '/d/x one',
      '/d/y y',
    ]);
    expect(links('<a href="#top">a</a><a href="">b</a>')).toEqual(['/d/p.html a']);
    expect(links('<a href="HTTP://H.com:80/%7Ea/../ä?ü">a</a>')).toEqual(['/%C3%A4?%C3%BC a']);
    expect(links('<a href="a\nb\tc">x</a><a href=&#x2f;e>y</a>')).toEqual(['/d/abc x', '/e y']);
  });

  it('do not include links that lead nowhere', () => {
    const nowhere = words`mailto:a@b javascript:x data:text/html,x tel:1 http:// http://[x ftp://a/ about:blank`;
    expect(links(nowhere.map((href) => `<a href="${href}">x</a>`).join(''))).toEqual([]);
    expect(links('<img src=""><iframe src=" "></iframe><a>x</a><a name=x>y</a>', ALL)).toEqual([]);
  });

  it('do not include those with rel=nofollow, alone or as one of several tokens', () => {
    const html = ['nofollow', 'noopener NoFollow', 'ugc', 'sponsored', 'xnofollow', 'nofollow-x', '']
      .map((rel, i) => `<a rel="${rel}" href=${i}>${i}</a>`)
      .join('');
    expect(links(html)).toEqual(['/d/2 2', '/d/3 3', '/d/4 4', '/d/5 5', '/d/6 6']);
    expect(links('<a rel=nofollow href=a>x</a><a href=a>y</a>')).toEqual(['/d/a y']);
  });

  it('include only forms that are sent by GET', () => {
    const html = ['get', 'GET', 'nonsense', 'POST', 'dialog']
      .map((m) => `<form method=${m} action=${m}>x</form>`)
      .join('');
    expect(links(html, ALL)).toEqual(['/d/get x', '/d/GET x', '/d/nonsense x']);
    expect(links(html)).toEqual([]);
  });

  it('have their text as anchor, or else the texts of their images', () => {
    expect(links('<a href=x> one <b>two</b><p>three<img alt=four></a>')).toEqual(['/d/x one two']);
    expect(links('<a href=x><img alt=" one "><img><img alt=two></a>')).toEqual(['/d/x one two']);
    expect(links('<a href=x>one<object><a href=y>two</a></object>three</a>')).toEqual(['/d/x one three', '/d/y two']);
    expect(links('<a href=x>one<div><a href=y>two</div>three')).toEqual(['/d/x one', '/d/y two']);
    expect(links('<a href=x>abcdef</a><a href=y><img alt=abcdef></a>', { db: { maxAnchorLength: 3 } })).toEqual([
      '/d/x abc',
      '/d/y abc',
    ]);
    expect(links('<a href=x>a</a>', { db: { maxAnchorLength: 0 } })).toEqual(['/d/x']);
  });

  it.each([
    ['<base href=http://o.org/q/>', 'http://o.org/q/x'],
    ['<base href=/q/r>', '/q/x'],
    ['<base target=a><base href=/1/><base href=/2/>', '/1/x'],
    ['<a href=x></a><p><base href=/q/>', '/q/x'],
    ['<base href="http://[">', '/d/x'],
    ['<base href="data:,x">', '/d/x'],
    ['<base href="javascript:x">', '/d/x'],
    ['<base href="">', '/d/x'],
    ['<template><base href=/q/></template>', '/d/x'],
    ['<svg><base href=/q/></svg>', '/d/x'],
  ])('are resolved with the first base: %s', (base, expected) => {
    expect(links(`${base}<a href=x>`)).toContain(expected);
  });

  it('are not resolved with a base of absurd length', () => {
    expect(links(`<base href="/${'a'.repeat(5000)}/"><a href=x>`)).toEqual(['/d/x']);
  });

  it('do not exist under nofollow', () => {
    expect(links('<a href=x><meta name=robots content=nofollow>')).toEqual([]);
    expect(links('<a href=x>', { headers: { 'x-robots-tag': 'nofollow' } })).toEqual([]);
  });

  it('in noscript count, because no script runs', () => {
    expect(links('<noscript><a href=x>y</a></noscript>')).toEqual(['/d/x y']);
    expect(links('<a href=x>y<template><a href=z></template>')).toEqual(['/d/x y']);
  });

  it('are dropped beyond the longest URL', () => {
    const db = { maxOutlinkLength: 'http://h.com/d/abc'.length };
    expect(links('<a href=abc></a><a href=abcd></a>', { db })).toEqual(['/d/abc']);
  });
});

describe('the links of a page that is not in UTF-8', () => {
  const page = (charset: string, html: string) =>
    parsePage(Buffer.concat([Buffer.from(`<meta charset=${charset}>`), Buffer.from(html, 'latin1')]));
  const urls = (charset: string, html: string) =>
    page(charset, html).outlinks.map(({ url }) => url.replace('http://h.com', ''));

  it('have the query in the encoding of the page, and the path in UTF-8', () => {
    expect(urls('gbk', '<a href="/\xc4\xe3?q=\xc4\xe3&amp;x=%41#\xc4\xe3">')).toEqual(['/%E4%BD%A0?q=%C4%E3&x=%41']);
    expect(urls('windows-1251', '<a href="?\xef">')).toEqual(['/d/p.html?%EF']);
    expect(urls('windows-1251', '<a href="http://h.com?\xef">')).toEqual(['/?%EF']);
    expect(urls('euc-kr', '<a href="#?\xb0\xa1">')).toEqual(['/d/p.html']);
    expect(urls('shift_jis', '<a href="/\x83A">')).toEqual(['/%E3%82%A2']);
    expect(urls('utf-8', '<a href="?\xc3\xa9">')).toEqual(['/d/p.html?%C3%A9']);
  });

  it('write characters that the encoding lacks as numbers', () => {
    expect(urls('windows-1251', '<a href="?&eacute;&#x1f600;">')).toEqual(['/d/p.html?%26%23233%3B%26%23128512%3B']);
  });

  it('lose white space as in UTF-8', () => {
    expect(urls('windows-1252', '<a href=" /a?\n\xe9\t b \n ">')).toEqual(['/a?%E9%20b']);
    expect(urls('windows-1252', '<a href="/a? \n">')).toEqual(['/a?']);
  });

  it('are in UTF-8 if the page is in UTF-16', () => {
    const html = Buffer.from('\ufeff<a href="?\u00e9">x</a>', 'utf16le');
    expect(parsePage(html).outlinks[0]?.url).toBe('http://h.com/d/p.html?%C3%A9');
  });

  it('all do so: base, canonical, refresh, images, frames and their documents', () => {
    const head =
      '<base href="/b/?\xe9"><link rel=canonical href="?\xe9"><meta http-equiv=refresh content="0;url=?r\xe9">';
    const found = page('iso-8859-1', head);
    expect([found.canonical, found.refresh?.url]).toEqual(['http://h.com/b/?%E9', 'http://h.com/b/?r%E9']);
    expect(
      urls('latin1', '<area href="?\xe9"><iframe src="?2\xe9"></iframe><iframe srcdoc="<a href=?3\xe9>"></iframe>'),
    ).toEqual(['/d/p.html?%E9', '/d/p.html?2%E9', '/d/p.html?3%E9']);
  });
});
