import fc from 'fast-check';
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { htmlParser, textParser } from '../../packages/parse/index.js';
import { parseTree } from '../../packages/parse/html/html-tree.js';
import { PARSE_SETTINGS, parsePage } from '../support/parsing/parse-page.js';
import { words } from '../support/files/words.js';

const ALL = { parser: { htmlOutlinksIgnoreTags: [], htmlFormUseAction: true } };

/** Each of these stalls a careless parser, fills the memory, or overflows the stack. */
const BOMBS: Record<string, string> = {
  'deep blocks': '<div>'.repeat(300_000),
  'deep formatting elements': '<b>'.repeat(100_000),
  'deep links': '<a href=x>y<object>'.repeat(50_000),
  'a tree with the square of the page': `<p>${Array.from({ length: 4000 }, (_, i) => `<b id=${i}>`).join('')}${'<p>x'.repeat(4000)}`,
  'content put before a table': '<br>'.repeat(50_000) + '<table>' + '<tr>x'.repeat(50_000),
  'misnested elements': '<b><p>'.repeat(30_000) + '</b>'.repeat(60_000),
  'one element with many attributes': `<a ${Array.from({ length: 50_000 }, (_, i) => `a${i}`).join(' ')} href=x>`,
  'short links on a long base': `<base href=/${'d/'.repeat(1900)}>${Array.from({ length: 60_000 }, (_, i) => `<a href=${i}>`).join('')}`,
  'broken links': Array.from({ length: 30_000 }, (_, i) => `<a href="http://[${i}">`).join(''),
  'white space': `a${' '.repeat(1_000_000)}b`,
  'a long attribute': `<meta http-equiv=refresh content="${'1'.repeat(1_000_000)}"><html lang=${'a'.repeat(1_000_000)}>`,
  'many metas': Array.from({ length: 50_000 }, (_, i) => `<meta name=x${i} content=y>`).join(''),
  'many titles': '<title>x</title>'.repeat(50_000),
  unfinished: '<'.repeat(500_000),
  'unfinished comments': '<!--'.repeat(200_000),
  'comments that end as none should': '<!--x--!>'.repeat(200_000),
  'comments that may end anywhere': `<!--${'-'.repeat(1_000_000)}`,
  'a drawing of equals signs': `<svg><path ${'='.repeat(1_000_000)}></svg><svg><path ${'=/'.repeat(500_000)}/></svg>`,
  'a link with many attributes': `<p><a ${Array.from({ length: 300_000 }, (_, i) => i.toString(36)).join(' ')} href=x>y</a>`,
  'many frames': '<iframe srcdoc="<b><p>x">'.repeat(50_000),
  'the square of the page in many frames':
    `<iframe srcdoc="${Array.from({ length: 4000 }, (_, i) => `<b id=${i}>`).join('')}${'<p>x'.repeat(4000)}">`.repeat(
      30,
    ),
  'frames in frames': Array.from({ length: 12 }).reduce<string>(
    (inner) => `<b><i></b></i><iframe srcdoc="${inner.replace(/&/g, '&amp;').replace(/"/g, '&quot;')}"></iframe>`,
    'x'.repeat(100_000),
  ),
  'frames with long bases': `<iframe srcdoc="<base href=/${'d/'.repeat(1900)}><a href=x>">`.repeat(500),
  'deep shadow roots': '<div><template shadowrootmode=open>'.repeat(40_000),
  'many shadow roots': '<p><template shadowrootmode=open><slot></slot></template>x'.repeat(30_000),
  'many slots': `<div><template shadowrootmode=open>${'<slot name=a></slot>'.repeat(40_000)}</template>${'<i slot=b></i>'.repeat(40_000)}`,
  'unfinished scripts': '<script><!--<script>'.repeat(50_000),
};

describe('a hostile page', () => {
  it.each(Object.entries(BOMBS))('is survived: %s', (_, html) => {
    const page = parsePage(html, ALL);
    expect(page.outlinks.length).toBeLessThanOrEqual(50_000);
    expect(page.outlinks.reduce((sum, { url }) => sum + url.length, 0)).toBeLessThanOrEqual(16_000_000);
    expect(page.text.length).toBeLessThanOrEqual(PARSE_SETTINGS.parser.textLimit);
  });

  it('is read up to the limit of elements', () => {
    const tree = parseTree('<i>a</i><i>b</i><i>c</i>', 5, () => false);
    expect(tree?.truncated).toBe(true);
    expect(
      JSON.stringify(tree?.document, (key, value: unknown) => (key === 'parentNode' ? undefined : value)),
    ).toContain('"b"');
    expect(parsePage(`<title>t</title>${'<i>'.repeat(250_000)}x`)).toMatchObject({
      title: 't',
      text: 't',
      truncated: true,
    });
  });

  it('fails at its time limit', () => {
    let now = 0;
    const parser = htmlParser(PARSE_SETTINGS, () => (now += 20_000));
    const content = Buffer.from('<b><p>'.repeat(5000));
    expect(parser.parse({ url: 'http://h.com/', content, contentType: 'text/html', headers: {} })).toMatchObject({
      kind: 'failed',
      code: 'timeout',
    });
  });

  it('never makes a parser throw, and its links are absolute', () => {
    const tag = fc.constantFrom(
      ...'a area b base body br div em form frame frameset h1 head html i iframe img li link math meta noscript option p plaintext'.split(
        ' ',
      ),
      ...'pre script select span style svg table td template textarea title tr ul xmp !-- !doctype ?xml'.split(' '),
    );
    const name = fc.constantFrom(...words`href src action rel name content http-equiv lang alt method`);
    const value = fc.oneof(
      fc.constantFrom(...words`/a ../b #c ?d //e/f http://g mailto:h nofollow robots none refresh`),
      fc.constantFrom('0;url=/i', 'canonical', 'http://[', 'javascript:j', '\\\\k', '\ud800'),
      fc.string(),
    );
    const attribute = fc.tuple(name, fc.constantFrom('=', '="', "='", ''), value).map((parts) => parts.join(''));
    const piece = fc.oneof(
      fc
        .tuple(
          fc.constantFrom('<', '</', '<<'),
          tag,
          fc.array(attribute, { maxLength: 3 }),
          fc.constantFrom('>', '/>', '">', ''),
        )
        .map(([open, element, attributes, close]) => `${open}${element} ${attributes.join(' ')}${close}`),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(' ', 'text', '&amp;', '&#0;', ']]>', '-->', '<![CDATA['),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.dictionary(
          fc.constantFrom('link', 'x-robots-tag', 'refresh', 'content-type', 'content-language'),
          fc.string(),
        ),
        (pieces, headers) => {
          const html = pieces.join('');
          const page = parsePage(html, { ...ALL, headers });
          for (const url of [...page.outlinks.map((link) => link.url), page.canonical, page.refresh?.url]) {
            if (url === undefined) continue;
            expect(new URL(url).href).toBe(url);
            expect(url).toMatch(/^https?:\/\/[^#]+$/);
          }
          expect(new Set(page.outlinks.map(({ url }) => url)).size).toBe(page.outlinks.length);
          for (const text of [page.text, page.title, ...page.outlinks.map(({ anchor }) => anchor)]) {
            expect(text).toBe(text.replace(/\s+/g, ' ').trim());
          }
        },
      ),
      { seed: 20_240_601, numRuns: 1500 },
    );
  });

  it('never makes a parser throw, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.string(), (content, type) => {
        const input = { url: 'http://h.com/', content, contentType: '', headers: { 'content-type': type } };
        expect(htmlParser(PARSE_SETTINGS).parse(input)).toMatchObject({ kind: 'success' });
        expect(textParser(PARSE_SETTINGS).parse(input)).toMatchObject({ kind: 'success' });
      }),
      { seed: 20_240_602, numRuns: 500 },
    );
  });
});

describe('parseTree', () => {
  it('returns the tree of the HTML Standard', () => {
    const html = '<title>a</title><table>b<tr><td>c<p>d<b>e<p>f</b>g</table>';
    const plain = (tree: unknown) =>
      JSON.stringify(tree, (key, value: unknown) => (key === 'parentNode' ? undefined : value));
    expect(plain(parseTree(html, 100, () => false)?.document)).toBe(plain(parse(html, { scriptingEnabled: false })));
  });
});
