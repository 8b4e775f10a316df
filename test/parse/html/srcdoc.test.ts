import { describe, expect, it } from 'vitest';
import { htmlParser } from '../../../packages/parse/index.js';
import { PARSE_SETTINGS, parsePage } from '../../support/parsing/parse-page.js';

const escape = (html: string) => html.replace(/&/g, '&amp;').replace(/"/g, '&quot;');
const frame = (srcdoc: string, more = '') => `<iframe srcdoc="${escape(srcdoc)}"${more}>old</iframe>`;
const links = (html: string) => parsePage(html).outlinks.map(({ url }) => url.replace('http://h.com', ''));

describe('the document in the srcdoc of an iframe', () => {
  it('is part of the page, in its place, and replaces src', () => {
    const page = parsePage(`a<a href=1>b</a>${frame('<p>c <a href=2>d</a>', ' src=/no')}e<a href=3>f</a>`);
    expect(page.text).toBe('ab c d ef');
    expect(page.outlinks.map(({ url, anchor }) => `${url} ${anchor}`)).toEqual([
      'http://h.com/d/1 b',
      'http://h.com/d/2 d',
      'http://h.com/d/3 f',
    ]);
    expect(links('<iframe src=/yes srcdoc></iframe><iframe src=/s></iframe>')).toEqual(['/s']);
  });

  it('gives the same result whether the page is scanned or read from its tree', () => {
    const html = `<p>a${frame('<p>b<a href=x>c</a><b><i>d</b>')}e</p>`;
    expect(parsePage(`<b><i></b></i>${html}`)).toEqual(parsePage(html));
  });

  it('is not part of a link or heading around it', () => {
    const page = parsePage(`<h2>a <a href=1>b${frame('<h3>no</h3><a href=2>c</a>')}d</a> e</h2>`);
    expect(page.text).toBe('a b no c d e');
    expect(page.headings).toEqual(['a b d e']);
    expect(page.outlinks.map(({ anchor }) => anchor)).toEqual(['b d', 'c']);
  });

  it('has the base URL of the page, or its own', () => {
    expect(links(`${frame('<a href=1></a>')}<base href=/b/>`)).toEqual(['/b/1']);
    expect(links(`<base href=/b/>${frame('<a href=1></a><base href=c/><a href=2>')}<a href=3>`)).toEqual([
      '/b/c/1',
      '/b/c/2',
      '/b/3',
    ]);
    expect(links(`<base href=/b/>${frame(frame('<a href=1>') + '<base href=c/>')}`)).toEqual(['/b/c/1']);
    expect(links(frame('<base href="mailto:x"><a href=1>'))).toEqual(['/d/1']);
  });

  it('contains no metadata of the page, only its own robots directives', () => {
    const head =
      '<html lang=de><base href=/no/><link rel=canonical href=/no><meta name=description content=no>' +
      '<meta http-equiv=refresh content="0;url=/no"><meta charset=gbk>';
    const page = parsePage(`<title>T</title>${frame(`${head}<title>x</title>y`)}<a href=1></a>`);
    expect(page).toMatchObject({ title: 'T', text: 'T x y', metadata: {}, charset: 'utf-8' });
    expect(page.canonical ?? page.refresh ?? page.language).toBeUndefined();
    expect(page.outlinks).toEqual([{ url: 'http://h.com/d/1', anchor: '' }]);
    const robots = (content: string) => parsePage(frame(`<meta name=robots content=${content}>a<a href=1>b</a>`));
    expect(robots('noindex')).toMatchObject({ text: '', robots: { noindex: false }, outlinks: [{ anchor: 'b' }] });
    expect(robots('nofollow')).toMatchObject({ text: 'ab', robots: { nofollow: false }, outlinks: [] });
  });

  it('may contain others, three deep', () => {
    const nested = (depth: number): string => (depth === 1 ? '1' : `${depth}${frame(nested(depth - 1))}`);
    expect(parsePage(nested(4))).toMatchObject({ text: '4 3 2 1' });
    expect(parsePage(nested(4)).truncated).toBeUndefined();
    expect(parsePage(nested(6))).toMatchObject({ text: '6 5 4 3', truncated: true });
  });

  it('may have shadow roots', () => {
    expect(parsePage(frame('<div><template shadowrootmode=open>in</template></div>')).text).toBe('in');
  });

  it('counts towards the limits of the page', () => {
    const page = parsePage(frame('abc').repeat(3), { parser: { textLimit: 7 } });
    expect(page).toMatchObject({ text: 'abc abc', truncated: true });
    const square = `<p>${Array.from({ length: 250 }, (_, i) => `<b id=${i}>`).join('')}${'<p>x'.repeat(250)}`;
    const many = parsePage(frame(square).repeat(5));
    expect(many.truncated).toBe(true);
    expect(parsePage(frame(square)).truncated).toBeUndefined();
  });

  it('fails the page when the time is over', () => {
    let now = 0;
    const parser = htmlParser(PARSE_SETTINGS, () => (now += 20_000));
    const content = Buffer.from(`a${frame('<b><p>'.repeat(5000))}`);
    const input = { url: 'http://h.com/', content, contentType: 'text/html', headers: {} };
    expect(parser.parse(input)).toMatchObject({ kind: 'failed', code: 'timeout' });
  });
});
