import { describe, expect, it } from 'vitest';
import { parsePage } from '../../support/parsing/parse-page.js';

const text = (html: string, textLimit = -1) => parsePage(html, { parser: { textLimit } }).text;

describe('the text of a page', () => {
  it.each([
    ['a<b>b</b><span>c</span>d', 'abcd'],
    ['<p>a<p>b<div>c</div>d', 'a b c d'],
    ['a<br>b<hr>c', 'a b c'],
    ['<ul><li>a<li>b</ul><dl><dt>c<dd>d</dl>', 'a b c d'],
    ['<table><tr><td>a<td>b<tr><th>c</table>', 'a b c'],
    ['<select><option>a<option>b</select>c', 'a b c'],
    [' \t\r\n\f a \u00a0\u2003 b&nbsp;&nbsp;c ', 'a b c'],
    ['a<wbr>b<custom-tag>c</custom-tag>', 'abc'],
    ['a<a>b</a>c<a>d</a><span><a>e</a></span>f', 'abcd ef'],
    ['a&amp;b &lt;i> &#x41;', 'a&b <i> A'],
    ['a<script>x</script><style>x</style><template>x</template><!-- x -->b', 'ab'],
    ['a<iframe>x</iframe><noframes>x</noframes><noembed>x</noembed>b', 'a b'],
    ['a<noscript>b <i>c</i></noscript>', 'ab c'],
    ['<svg><title>a</title><style>x</style><text>b</text></svg>', 'ab'],
    ['<textarea>a</textarea>b<pre>\n c\n</pre>d', 'a b c d'],
    ['<h2>a<a href="#a">¶</a></h2>b', 'a b'],
    ['<h2><a href="#a">#</a> a</h2>', 'a'],
    ['a <a href="/x#b">§</a><a href="#c">🔗</a>b', 'a b'],
    ['<a href="/x">#</a> <a href="#a">#1</a>', '# #1'],
    ['<a href="#a"><div>¶</div></a>b', '¶ b'],
    ['', ''],
    ['\ud83d', '\ufffd'],
  ])('%j is %j', (html, expected) => expect(text(html)).toBe(expected));

  it('begins with the first title', () => {
    const page = parsePage('<title> one \n <b>1</b></title><body>two<title>three</title><svg><title>4</title></svg>');
    expect(page.title).toBe('one <b>1</b>');
    expect(page.text).toBe('one <b>1</b> two three 4');
    expect(parsePage('<svg><title>4</title></svg>').title).toBe('');
    expect(parsePage('<p>x<title>late</title>').title).toBe('late');
  });

  it('is cut at the limit, between characters', () => {
    expect(text('<p>ab<p>cd', 5)).toBe('ab cd');
    expect(text('<p>ab<p>cd', 4)).toBe('ab c');
    expect(text('<p>ab<p>cd', 3)).toBe('ab');
    expect(text('<p>a😀b', 3)).toBe('a😀');
    expect(text('<p>a😀b', 2)).toBe('a');
    expect(text('<p>ab', 0)).toBe('');
    expect(text('x'.repeat(200_000), 1000)).toHaveLength(1000);
    expect(text(' '.repeat(200_000) + 'x' + ' '.repeat(200_000) + 'y')).toBe('x y');
  });
});

describe('metadata of a page', () => {
  it('is stored by name in lower case, the first value of a name, up to a limit', () => {
    const many = Array.from({ length: 200 }, (_, i) => `<meta name=k${i} content=v>`).join('');
    const page = parsePage(`<meta name=Description content=" a  b ">
      <meta name=description content=c><meta property="og:title" content="x"><meta name="__proto__" content=y>
      <meta name=long content="${'z'.repeat(5000)}"><meta name="${'n'.repeat(100)}" content=y>
      <meta name=empty><meta name="a b" content=x>${many}`);
    expect(page.metadata['description']).toBe('a b');
    expect(page.metadata['og:title']).toBe('x');
    expect(page.metadata['long']).toHaveLength(1000);
    expect(Object.keys(page.metadata)).toHaveLength(64);
    expect(Object.keys(page.metadata).every((name) => /^(description|og:title|long|k\d+)$/.test(name))).toBe(true);
  });

  it.each([
    ['<html lang=de-AT>', {}, 'de-AT'],
    ['<html xml:lang=fr>', {}, 'fr'],
    ['<html lang="not a tag"><meta http-equiv=Content-Language content=it>', {}, 'it'],
    ['<p lang=de>', { 'content-language': 'pt' }, 'pt'],
    ['<p>', { 'content-language': 'pt, en' }, undefined],
  ])('states its language: %s', (html, headers, expected) => {
    expect(parsePage(html, { headers }).language).toBe(expected);
  });

  it('states no language of absurd length', () => {
    expect(parsePage(`<html lang="${'a-'.repeat(5000)}a">`).language).toBeUndefined();
  });

  it('has its canonical URL in a link or in a header', () => {
    const header = { link: '</style.css>; rel=preload, </a,b>; title="x, <y>; rel=canonical"; rel="up Canonical"' };
    expect(parsePage('<link rel="x CANONICAL" href=../c#f>').canonical).toBe('http://h.com/c');
    expect(parsePage('<base href=/e/><link rel=canonical href=c>').canonical).toBe('http://h.com/e/c');
    expect(parsePage('', { headers: header }).canonical).toBe('http://h.com/a,b');
    expect(parsePage('<link rel=canonical href=c>', { headers: header }).canonical).toBe('http://h.com/d/c');
    expect(parsePage('<link rel=canonical href="javascript:x">', { headers: header }).canonical).toBe(
      'http://h.com/a,b',
    );
    expect(parsePage('<link rel=canonical href="mailto:x">').canonical).toBeUndefined();
    for (const link of ['<', '<>', '<a>;rel', '<a', '<'.repeat(60_000), '<a>;"'.repeat(10_000)]) {
      expect(parsePage('', { headers: { link } }).canonical).toBeUndefined();
    }
  });

  it.each([
    ['</c>; rel="canonical"; anchor="http://h.com/d/p.html"', 'http://h.com/c'],
    ['</c>; rel=canonical; anchor=""', 'http://h.com/c'],
    ['</c>; rel="canonical"; anchor="/other"', undefined],
    ['</c>; anchor="#part"; rel="canonical"', undefined],
    ['</c>; anchor="http://["; rel="canonical"', undefined],
    ['</c>; title="; rel=canonical"', undefined],
    ['</c>; title="say \\"; rel=canonical; \\""; rel=next', undefined],
    ['</c>; rel=next; rel=canonical', undefined],
    ['</c>; xrel=canonical', undefined],
    ['</c>; title="a"; REL = "next Canonical"', 'http://h.com/c'],
    ["</c> ; title*=UTF-8'de'x ; rel=canonical", 'http://h.com/c'],
    ['</a>; rel=canonical; anchor="/x", </c>; rel=canonical', 'http://h.com/c'],
  ])('reads the header Link: %s', (link, expected) => {
    expect(parsePage('', { headers: { link } }).canonical).toBe(expected);
  });

  it('states the encoding', () => {
    expect(parsePage(Buffer.from('<meta charset=gbk>\xc4\xe3', 'latin1'))).toMatchObject({
      charset: 'gbk',
      text: '你',
    });
  });
});
