import { describe, expect, it } from 'vitest';
import { parsePage } from '../support/parsing/parse-page.js';
import { words } from '../support/files/words.js';

function said(html: string, header?: string): string {
  const { robots } = parsePage(html, { headers: header === undefined ? {} : { 'x-robots-tag': header } });
  return Object.entries(robots)
    .filter(([, on]) => on)
    .map(([name]) => name)
    .join(' ');
}
const meta = (content: string, name = 'robots') => `<meta name="${name}" content="${content}">`;

describe('robots directives of a page', () => {
  it.each([
    [meta('noindex'), 'noindex'],
    [meta(' NOINDEX , NoFollow;noarchive'), 'noindex nofollow noarchive'],
    [meta('none'), 'noindex nofollow'],
    [meta('all'), ''],
    [meta('index,follow'), ''],
    [meta('max-snippet:-1, max-image-preview:none-such'), ''],
    [meta('noindexx xnofollow'), ''],
    [meta('noindex', ' ROBOTS '), 'noindex'],
    [meta('noindex', 'WebCrawl'), 'noindex'],
    [meta('noindex', 'googlebot'), ''],
    [meta('noindex') + meta('all') + meta('nofollow', 'webcrawl'), 'noindex nofollow'],
    [`<p>x${meta('noindex')}`, 'noindex'],
    ['<meta property=robots content=noindex>', 'noindex'],
    ['<svg><meta name=robots content=noindex>', 'noindex'],
    ['<template><meta name=robots content=noindex></template>', ''],
  ])('in %s', (html, expected) => expect(said(html)).toBe(expected));

  it.each([
    ['noindex', 'noindex'],
    ['NONE', 'noindex nofollow'],
    ['noindex, nofollow', 'noindex nofollow'],
    ['webcrawl: noindex, nofollow', 'noindex nofollow'],
    ['*: noindex', 'noindex'],
    ['otherbot: noindex, nofollow', ''],
    ['otherbot: noindex, WebCrawl : nofollow', 'nofollow'],
    ['noarchive, otherbot: noindex', 'noarchive'],
    ['unavailable_after: 25 Jun 2010 15:00:00 PST, noindex', 'noindex'],
    ['unavailable_after: Wed, 25 Jun 2036 15:00:00 GMT, noindex', 'noindex'],
    ['unavailable_after: Wednesday, 25-Jun-36 15:00:00 UTC, none', 'noindex nofollow'],
    ['unavailable_after: 2036-06-25T15:00:00+02:00, noarchive', 'noarchive'],
    ['unavailable_after: Jun 25 2036, 15:00, noindex', 'noindex'],
    ['unavailable_after: Wed, 25 Jun 2036 15:00:00 GMT, otherbot: noindex, nofollow', ''],
    ['otherbot: unavailable_after: Wed, 25 Jun 2036 15:00:00 GMT, noindex', ''],
    ['otherbot: noindex, webcrawl: unavailable_after: Wed, 25 Jun 2036 15:00:00 GMT, noindex', 'noindex'],
    ['max-snippet: 5, noindex', 'noindex maxSnippet'],
    [': noindex', ''],
    [',,:,', ''],
  ])('in the header %s', (header, expected) => expect(said('', header)).toBe(expected));

  it.each([
    ['', '', undefined],
    [meta('nosnippet'), '', 0],
    [meta('max-snippet:0'), '', 0],
    [meta('Max-Snippet : 50, nofollow'), '', 50],
    [meta('max-snippet:-1'), '', undefined],
    [meta('max-snippet:many, xmax-snippet:5, max-snippets:5'), '', undefined],
    [meta('nosnippet', 'googlebot'), '', undefined],
    [meta('max-snippet:80', 'webcrawl') + meta('max-snippet:20'), 'max-snippet: 30', 20],
    ['', 'otherbot: nosnippet, webcrawl: max-snippet: 5', 5],
    ['', 'nosnippet, max-snippet:7', 0],
  ])('%s and the header "%s" allow a snippet of %s characters', (html, header, most) => {
    expect(parsePage(html, { headers: { 'x-robots-tag': header } }).robots.maxSnippet).toBe(most);
  });

  it('add up', () => expect(said(meta('noindex'), 'nofollow, all')).toBe('noindex nofollow'));
});

const refresh = (content: string, more = '') =>
  parsePage(`${more}<meta http-equiv=Refresh content="${content}">`).refresh;

describe('a refresh', () => {
  it.each([
    ['0;url=/n', '/n'],
    ['0; URL = /n', '/n'],
    ["0; url='/n' x", '/n'],
    ['0; url=&quot;/n', '/n'],
    ['0,/n', '/n'],
    ['0 /n', '/n'],
    [" 0 ; '/n'", '/n'],
    ['0.9;url=/n', '/n'],
    ['.5;url=/n', '/n'],
    ['5;url=n#f', '/d/n'],
    ['0; urlx=1', '/d/urlx=1'],
  ])('leads on: %s', (content, expected) => {
    expect(refresh(content)?.url).toBe(`http://h.com${expected}`);
  });

  it('has a delay', () => expect(refresh('3.7; url=/n')).toEqual({ url: 'http://h.com/n', delay: 3 }));

  it.each([...words`0 0; 6;url=/n 9e9;url=/n url=/n ;url=/n -1;url=/n 0x;url=/n 0;url=p.html#a`, '', '0; url='])(
    'is ignored: %s',
    (content) => expect(refresh(content)).toBeUndefined(),
  );

  it.each(['0;url=javascript:x', '0;url=mailto:a@b.c', '0;url=http://['])('does not lead to %s', (content) => {
    expect(refresh(content)).toBeUndefined();
  });

  it('is resolved with the base', () => expect(refresh('0;url=n', '<base href=/b/>')?.url).toBe('http://h.com/b/n'));

  it('is the first valid one', () => {
    expect(
      refresh('0;url=/2', '<meta http-equiv=refresh content=x><meta http-equiv=refresh content="0;url=/1">')?.url,
    ).toBe('http://h.com/1');
  });

  it('does not count within noscript', () => {
    expect(parsePage('<noscript><meta http-equiv=refresh content="0;url=/n"></noscript>').refresh).toBeUndefined();
    expect(parsePage('<noscript></noscript><meta http-equiv=refresh content="0;url=/n">').refresh?.url).toContain('/n');
  });

  it('is a link if it is slow, from an element or a header', () => {
    const urls = (page: string, headers = {}) => parsePage(page, { headers }).outlinks.map(({ url }) => url);
    const slow = '<meta http-equiv=refresh content="6;url=/n">';
    expect(parsePage(slow).refresh).toBeUndefined();
    expect(urls(`${slow}<a href=/a>a</a>`)).toEqual(['http://h.com/n', 'http://h.com/a']);
    expect(urls('<a href=/a>a</a>', { refresh: '900; url=/n' })).toEqual(['http://h.com/n', 'http://h.com/a']);
    expect(parsePage(`${slow}<a href=/n>a</a>`).outlinks).toEqual([{ url: 'http://h.com/n', anchor: 'a' }]);
    expect(urls('<meta http-equiv=refresh content="5;url=/n">')).toEqual([]);
    expect(urls(`${slow}<meta name=robots content=nofollow>`)).toEqual([]);
    for (const content of ['6', '6;url=', '6;url=p.html#a', '6;url=mailto:a@b.c']) {
      expect(urls(`<meta http-equiv=refresh content="${content}">`), content).toEqual([]);
    }
  });

  it('may be a header', () => {
    expect(parsePage('', { headers: { refresh: '0; url=/n' } }).refresh?.url).toBe('http://h.com/n');
  });
});
