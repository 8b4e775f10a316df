import { describe, expect, it } from 'vitest';
import { pageDump } from '../../../packages/webcrawl/internal.js';
import { loadBlocks } from '../../../packages/export/markdown/markdown-field.js';
import { pageView } from '../../../packages/export/stated/page-view.js';
import { testCrawl } from '../../support/test-crawl.js';

async function markdownOf(body: string, field: 'markdown' | 'mainText' = 'markdown'): Promise<string | undefined> {
  await using crawl = await testCrawl(undefined);
  const { dump } = await pageDump(crawl.settings, [field]);
  const html = `<!doctype html>${body.includes('<main') ? body : `<main>${body}</main>`}`;
  const row = { key: 'com.a:http/guide/page', content: Buffer.from(html), contentType: 'text/html' };
  return dump(row)[field] as string | undefined;
}

describe('Markdown', () => {
  it.each([
    [
      'angle brackets of text never become elements',
      '<p>Write &lt;div&gt; around it, never &lt;script&gt;alert(1)&lt;/script&gt;.</p>',
      'Write \\<div> around it, never \\<script>alert(1)\\</script>.',
    ],
    [
      'an item of an ordered list holds the lists in it',
      '<ol><li>One<ol><li>Inner</li></ol><ul><li>bullet</li></ul></li><li>Two</li></ol>',
      '1. One\n   1. Inner\n   * bullet\n2. Two',
    ],
    ['a line break at the end of bold is none of its signs', '<p><b>One<br>&nbsp;</b>two</p>', '**One**\\\n\u00a0two'],
    ['nor is one at the end of a paragraph', '<p>One<br>&nbsp;</p><p>&nbsp;</p><p>two</p>', 'One\n\ntwo'],
    [
      'a text that only a space keeps from being a list stays a text',
      '<p>&nbsp;- One</p><p>two</p>',
      '\u00a0- One\n\ntwo',
    ],
    ['and a sign at the end of a heading stays, too', '<h2>One #&nbsp;</h2>', '## One #\u00a0'],
    ['signs of bold stand where GitHub shows bold, too', '<p>\u2713<b>(One)</b>\u2122</p>', '\u2713(**One**)\u2122'],
    ['and beside struck text, too', '<p><s>\u20ac10</s><b>(\u20ac8)</b></p>', '~~\u20ac10~~(\u20ac**8)**'],
    [
      'cells of a matrix are never joined',
      '<p>The matrix <math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd></mtr></mtable></math>.</p>',
      'The matrix 1 2 3 .',
    ],
    ['two raised side by side are no one number', '<p>a<sup>1</sup><sup>2</sup></p>', 'a<sup>1</sup><sup>2</sup>'],
    ['a fence is longer than those in the code', '<pre>```\n# neither\n```</pre>', '````\n```\n# neither\n```\n````'],
    [
      'words of a cell are never joined',
      '<table><tr><th>First<br>special line</th><th>B</th></tr><tr><td><p>one</p><p>two</p></td><td><ul><li>red</li><li>blue</li></ul></td></tr></table>',
      '| First<br>special line | B |\n| - | - |\n| one<br>two | red<br>blue |',
    ],
    [
      'cells that span others leave blank ones',
      '<table><thead><tr><th colspan="2">Both</th><th>C</th></tr></thead><tbody><tr><td>1</td><td>2</td><td>3</td></tr><tr><td rowspan="2">r</td><td>4</td><td>5</td></tr><tr><td>6</td><td>7</td></tr></tbody></table>',
      '| Both | | C |\n| - | - | - |\n| 1 | 2 | 3 |\n| r | 4 | 5 |\n| | 6 | 7 |',
    ],
    [
      'a list begins with the number of its first item',
      '<ol start="5"><li>five</li><li>six</li></ol>',
      '5. five\n6. six',
    ],
    [
      'a link around blocks becomes links in them',
      '<a href="/card"><h3>Card title</h3><p>Card text here.</p></a>',
      '### [Card title](http://a.com/card)\n\n[Card text here.](http://a.com/card)',
    ],
    [
      'raised and lowered text stays apart',
      '<p>It has 10<sup>9</sup> bytes of H<sub>2</sub>O.</p>',
      'It has 10<sup>9</sup> bytes of H<sub>2</sub>O.',
    ],
    [
      'a formula is there once, in TeX',
      '<p>Energy <span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>E</mi><mo>=</mo><mi>m</mi></mrow><annotation encoding="application/x-tex">E=m</annotation></semantics></math></span><span class="katex-html" aria-hidden="true"><span>E</span><span>=</span><span>m</span></span></span> holds.</p>',
      'Energy $E=m$ holds.',
    ],
    [
      'addresses are those of the page',
      '<p><a href="/my_page_(draft)?a_b=c">x</a> <a href="other.html#part-2">part 2</a> <a href="#fn1">1</a></p>',
      '[x](http://a.com/my_page_\\(draft\\)?a_b=c) [part 2](http://a.com/guide/other.html#part-2) [1](http://a.com/guide/page#fn1)',
    ],
    [
      'a heading is one line, whatever is in it',
      '<h1><center><b>TITLE</b></center></h1><p>Text.</p>',
      '# **TITLE**\n\nText.',
    ],
    [
      'lines of code without a pre stay apart',
      '<p><code>npm install teapot<br>npm run boil</code></p>',
      '`npm install teapot`\\\n`npm run boil`',
    ],
    [
      'tasks have their state',
      '<ul><li><input type=checkbox checked disabled> Fill it</li><li><p><label><input type=checkbox> Boil it</label></p></li><li>[x] no task</li></ul>',
      '* [x] Fill it\n* [ ] Boil it\n* \\[x] no task',
    ],
    ['emphasis works within words', '<p>un<em>believ</em>able, <i>a</i>b</p>', 'un*believ*able, *a*b'],
  ])('%s', async (_, html, markdown) => {
    expect(await markdownOf(html)).toBe(markdown);
  });

  it('resolves links against the first base with an href', async () => {
    const html =
      '<!doctype html><head><base target="_blank"><base href="/other/"></head><main><p>See <a href="x">it</a>.</p></main>';
    expect(await markdownOf(html)).toBe('See [it](http://a.com/other/x).');
  });

  it.each([
    ['<pre><code class="language-js">a</code></pre>', 'js'],
    ['<div class="highlight highlight-source-shell"><pre>a</pre></div>', 'shell'],
    ['<div class="highlight-python3 notranslate"><div class="highlight"><pre>a</pre></div></div>', 'python3'],
    ['<pre class="brush: php; gutter: true">a</pre>', 'php'],
    ['<pre class="sourceCode haskell"><code>a</code></pre>', 'haskell'],
    ['<pre><code class="hljs cpp" data-lang="C++">a</code></pre>', 'c++'],
    ['<pre class="language-none"><code>a</code></pre>', ''],
  ])('names the language of code: %s', async (html, language) => {
    expect(await markdownOf(`<p>Code:</p>${html}`)).toBe(`Code:\n\n\`\`\`${language}\na\n\`\`\``);
  });

  it('has each formula once, for MathJax, MediaWiki and MathML without TeX', async () => {
    const mathJax =
      '<span class="MathJax_Preview">x2</span><span class="MathJax">x2</span><script type="math/tex; mode=display">x^2</script>';
    const wiki =
      '<span class="mwe-math-element"><span style="display:none"><math><semantics><mi>y</mi><annotation encoding="application/x-tex">{\\displaystyle y}</annotation></semantics></math></span><img alt="y" src="y.svg"></span>';
    const mathMl = '<math><msup><mn>10</mn><mn>9</mn></msup></math>';
    expect(await markdownOf(`<p>One ${mathJax} two ${wiki} three ${mathMl} four.</p>`)).toBe(
      'One\n\n$$\nx^2\n$$\n\ntwo $y$ three 10<sup>9</sup> four.',
    );
  });

  it('has the TeX of MathJax and not its rendering, and percent signs of formulas that are not comments', async () => {
    const shown =
      '<span class="MathJax"><nobr>x2</nobr><span class="MJX_Assistive_MathML"><math><mi>x</mi></math></span></span>';
    expect(await markdownOf(`<p>One ${shown}<script type="math/tex">x^2 % y\n+ 50\\% z\n%</script> two.</p>`)).toBe(
      'One $x^2 + 50\\% z %$ two.',
    );
  });

  it('has no control characters', async () => {
    const html =
      '<p>a\u001b[31m b\u0007 &#27; \u009bc <code>d\u001b</code> <img alt="e\u001b" src=x> <script type="math/tex">f\u001b</script></p><pre>g\u001b\n\th</pre>';
    const markdown = 'a\\[31m b c `d` ![e](http://a.com/guide/x) $f$\n\n```\ng\n\th\n```';
    expect(await markdownOf(html)).toBe(markdown);
    expect(await markdownOf(html, 'mainText')).toBe('a[31m b c d e f\ng\n\th');
  });

  it.each([
    ['blocks behind an item', `<ul><li>a</li><div>${'a<hr>'.repeat(90_000)}</div></ul>`],
    ['blocks in an item of a list that is layout', `<ul><li><h2>b</h2>${'a<hr>'.repeat(90_001)}</ul>`],
    ['blank lines before a text', `<p>${'&nbsp;<br>'.repeat(45_000)}${'a'.repeat(90_001)}`],
    ['blank lines in bold', `<p><b>${'&nbsp;<br>'.repeat(45_000)}${'a'.repeat(90_001)}</b>`],
    ['code in headings', `<h1>${'<pre>'.repeat(200)}${'a'.repeat(90_001)}`],
  ])('is written for %s', async (_, html) => {
    expect((await markdownOf(html))?.match(/a/g)).toHaveLength(90_001);
  });

  it('leaves out nothing of a page with more elements than one call can have', async () => {
    const breaks = await markdownOf(`<span>${'a<br>'.repeat(60_000)}</span>`);
    expect(breaks?.match(/a/g)).toHaveLength(60_000);
    const items = await markdownOf(`<ol>${'<li>a'.repeat(20_000)}</ol>`);
    expect(items).toMatch(/^20000[.)] a$/m);
  });

  it('is plain text in the field mainText, without joined words', async () => {
    const html =
      '<h1>Tides <em>today</em></h1><p>One<br>two 10<sup>9</sup>.</p><ul><li>a</li><li>b</li></ul><table><tr><th>k</th><th>v</th></tr><tr><td><p>x</p><p>y</p></td><td>z</td></tr></table>';
    expect(await markdownOf(html, 'mainText')).toBe('Tides today\nOne\ntwo 10^9.\na\nb\nk\tv\nx y\tz');
  });

  it('and plain text are made in one pass over the page', async () => {
    await using crawl = await testCrawl(undefined);
    const row = { key: 'com.a:http/', content: Buffer.from('<main><h1>Tides</h1><p>They go.</p></main>') };
    const { dump } = await pageDump(crawl.settings, ['markdown', 'mainText', 'author']);
    expect(dump(row)).toMatchObject({ markdown: '# Tides\n\nThey go.', mainText: 'Tides\nThey go.' });
    const view = pageView(row, crawl.settings);
    const read = await loadBlocks(crawl.settings);
    expect(read(view)).toBe(read(view));
  });
});
