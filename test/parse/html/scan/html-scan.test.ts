import { describe, expect, it } from 'vitest';
import { scanHtml } from '../../../../packages/parse/html/scan/html-scan.js';
import { parseTree, readTree } from '../../../../packages/parse/html/html-tree.js';
import { PageBody } from '../../../../packages/parse/html/page-body.js';
import { PageHead } from '../../../../packages/parse/html/head/page-head.js';
import { RobotsReader } from '../../../../packages/parse/shared/robots-directives.js';
import { randomNumbers } from '../../../support/web/fake-web.js';
import { PARSE_SETTINGS } from '../../../support/parsing/parse-page.js';

function begin() {
  const robots = new RobotsReader('webcrawl', undefined);
  const head = new PageHead(robots);
  return { robots, head, body: new PageBody(PARSE_SETTINGS, head, (srcdoc, into) => into.text.add(srcdoc)) };
}

/** All data of a page, in both ways of reading. */
function seen({ robots, head, body }: ReturnType<typeof begin>) {
  const { metas, metadata, links, base, refresh, runsScripts, encodingLabel } = head;
  return {
    title: body.title,
    text: body.text.toString(),
    ranges: body.ranges(Infinity),
    headings: body.headings,
    links: body.links.resolve('http://h.com/d/p.html'),
    robots: robots.directives,
    head: { metas, metadata, links, language: head.languageOf(), base, refresh, runsScripts, encodingLabel },
  };
}

function fromTree(text: string) {
  const read = begin();
  readTree(
    parseTree(text, 200_000, () => false)!,
    read.body,
  );
  return seen(read);
}

/** Undefined if the scanner gave up. */
function fromScan(text: string) {
  const read = begin();
  return scanHtml(Buffer.from(text), read.body, 200_000) ? seen(read) : undefined;
}

const NAMES =
  'a b i div p span ul li ol dl dt dd table tr td th tbody thead caption col colgroup h1 h2 form button pre textarea title script style noscript br hr img input link meta base body html head select option optgroup svg g path text circle address center object label iframe xmp nav section font em main article header aside footer'.split(
    ' ',
  );
const TEXTS = [
  'x',
  ' ',
  'y z',
  '\n',
  '\r\n',
  '&amp;',
  '&lt',
  '&#x41;',
  '<',
  '</',
  '< ',
  '&nbsp;',
  '</ x>',
  'é😀',
  'ü',
  '日本 \u3000語',
];
const PIECES = [
  '<!-- c -->',
  '<svg a=b/>',
  '<svg width="1" a=\'b\' />',
  '<svg><rect a=b"c/></svg>',
  '<svg><path d="a=b"/><g /></svg>',
  '<svg><circle a="x" b="="/></svg>',
  '<!doctype html>',
  '<!x>',
  '<?p?>',
  '</>',
  '<!---->',
  '<!-->',
  '<!-- a --!> b -->',
  '<![CDATA[x]]>',
  '<img src=i alt="al t">',
  '<meta name=robots content=nofollow>',
  '<meta charset=gbk>',
  '<meta http-equiv=content-type content="text/html; charset=big5">',
  '<iframe src=/f srcdoc="<p>in&amp;side">old</iframe>',
  '<div><template shadowrootmode=open>s<slot></slot></template>l</div>',
  '<meta name="description" content="a &amp; b">',
  '<base href=/b/>',
  '<link rel=canonical href=/c>',
  '<html lang=en>',
  '<path d="x"/>',
  '<use a=b/>',
  '<svg><path/><text>t</text></svg>',
  '<select><option>1<option>2</select>',
  '<script><!-- <script> --></script>',
  '<script>if (a</b>)</script>',
  '<style>a > b</style >',
  '<a href="/1"href=2 class=\'x\' / >l</a>',
  "<a title='>' href = /3 >m</a>",
  '<a href=/4/>n</a>',
  '<table><tr><td>1<td>2<tr><td>3</table>',
  '<p>a<p>b',
  '</p>',
  '<a href="/é" title=ü>日</a>',
  '<DIV CLASS=x>',
  '<li>1<li>2',
  '<div data-nosnippet>n',
  '<span class="a"data-nosnippet = x>n</span>',
  '<span DATA-NOSNIPPET>',
  '<section data-name=a data-nosnippet/>n</section>',
  '<div data-nosnippe>n',
  '<div role=main>r',
  '<div class="a" ROLE="MAIN x">r</div>',
  "<div a=b role = ' main'>r",
  '<div role="x main" title="role=main data-nosnippet">r</div>',
  'A sentence that is long enough for prose, as it has sixty letters and more.',
  '<p>日本語の文章はここにあります、とても長いのでこれは本文として数えられるはずです。',
];

describe('the scanner', () => {
  it.each([
    [
      'a page of today',
      '<!doctype html><html lang="de"><head><title>T &amp; t</title><link rel=canonical href=/c></head><body><p>a<a href=x>b</a></p></body></html>',
    ],
    [
      'no head, no body, no end tags',
      '<title>T</title><p>a<ul><li>b<li>c<a href=x>d</a></ul><table><tr><td>e<td>f</table>',
    ],
    [
      'ends of paragraphs that are closed',
      '<p>a<ul><li>b</ul>c</p>d</p><button>e</p>f</button><table><tr><td>g</p>h</table>',
    ],
    [
      'names in capitals and of no element',
      '<DIV><SPAN>a</span><X-Y>b</x-Y><É>c</É></div><A HREF=x REL=nofollow>d</A>',
    ],
    [
      'more than ASCII, in text, attributes and titles',
      '<title>é😀&amp;ü</title><p title="ß">日本 \u00a0 語<a href="/ö?ü=😀" class=é>ä</a><img alt="ñ" src=é><é>x</é></p>é',
    ],
    ['lists of lists', '<ul><li>a<ul><li>b</ul><li>c</ul><dl><dt>d<dd>e<dt>f</dl>'],
    [
      'a form with choices',
      '<form><select name=s><optgroup label=g><option>1<option>2</select><input type=hidden></form>',
    ],
    ['an icon', '<a href=x><svg viewBox="0 0 1 1"><g><path d="M0"/></g></svg> home</a>'],
    [
      'scripts, styles and comments',
      '<script>"</p>"</script><style>p{}</style><!-- <p> -->a<noscript><img src=i></noscript>',
    ],
    [
      'comments that end at once, or late',
      'a<!-->b<!--->c<!---!>d-->e<!--f--!>g<!--h<!-->i<!----!>j<!>k</>l<!-m>n<!--o',
    ],
    [
      'attributes that are stated again',
      '<a href=/1 HREF=/2 rel=x rel=nofollow>a</a><img alt=b ALT=c src=/3 src=/4><a href="/5&amp;6&copy=7&lt">d</a>',
    ],
  ])('knows %s', (_, page) => {
    expect(fromScan(page)).toEqual(fromTree(page));
  });

  it.each([
    ['misnested formatting', '<p><b>a</p>b</b>'],
    ['text between cells', '<table>a<tr><td>b</table>'],
    ['a link in a link', '<a href=1>a<a href=2>b</a>'],
    ['a stray end tag', 'a</div>b'],
    ['the end of a paragraph in a drawing', '<svg></p></svg>'],
    ['a section of CDATA in a drawing', '<svg><text><![CDATA[<p>]]></text></svg>'],
    ['ruby', '<ruby>a<rt>b</ruby>'],
    ['mathematics', '<math><mi>x</math>'],
    ['a template', '<template><p>a</template>'],
    ['NUL', 'a\0b'],
    ['great depth', '<span>'.repeat(600)],
  ])('leaves %s to the tree', (_, page) => {
    expect(fromScan(page)).toBeUndefined();
  });

  it('never sees anything else than the tree has, in random pages', () => {
    const limit = performance.now() + 1000 * Number(process.env['WEBCRAWL_FUZZ_SECONDS'] ?? 0);
    let sure = 0;
    for (let seed = 1; seed <= 20_000 || performance.now() < limit; seed++) {
      const random = randomNumbers(seed);
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
      let page = random() < 0.5 ? '<!doctype html>' : '';
      for (let left = 1 + random() * 14; left > 0; left--) {
        const name = pick(NAMES);
        page += pick([`<${name}>`, `<${name}>`, `</${name}>`, `<${name}>q</${name}>`, pick(TEXTS), pick(PIECES)]);
      }
      const scanned = fromScan(page);
      if (!scanned) continue;
      sure++;
      expect(scanned, `seed ${seed}: ${JSON.stringify(page)}`).toEqual(fromTree(page));
    }
    expect(sure).toBeGreaterThan(2000);
  });

  it('knows whether a drawing closes itself if the slash may belong to a value', () => {
    const drawings = [
      '<svg a=b/>',
      '<svg width=10/>',
      '<svg a=b />',
      '<svg a/>',
      '<svg a=""/>',
      '<svg a= "/" b = c / >',
      '<svg =/>',
    ];
    for (const drawing of [
      ...drawings,
      '<svg/>',
      '<svg / />',
      '<svg><rect a=b"c/>',
      '<svg><g x=y"=\'/>',
      "<svg><g a='/' b/>",
    ]) {
      const page = `<!doctype html><body><div>${drawing}<text>a</svg>b</text>`;
      const form = `<!doctype html><body><div>${drawing}<form action="/x"></form><text>x</text><title>T</title></div>`;
      for (const each of [page, form]) {
        const scanned = fromScan(each);
        if (scanned) expect(scanned, each).toEqual(fromTree(each));
      }
    }
    const page = '<!doctype html><svg w=1 /><svg a=b/><g a=\'/\' b/></svg><form action="/x"></form>';
    expect(fromScan(page)).toEqual(fromTree(page));
  });

  it('counts the end of a line as one character in a block of JSON-LD', () => {
    const block = `{"name":"n",${'\r\n'.repeat(60_000)}"headline":"h"}`;
    const page = `<!doctype html><script type="application/ld+json">${block}</script>`;
    expect(fromScan(page)?.head.metadata).toEqual({ 'jsonld:name': 'n', 'jsonld:headline': 'h' });
    expect(fromScan(page)).toEqual(fromTree(page));
  });

  it('reads a drawing with millions of attributes', () => {
    const read = begin();
    expect(scanHtml(Buffer.from(`<svg${' a'.repeat(4_000_000)}/><p>t`), read.body, 200_000)).toBe(true);
    expect(read.body.text.toString()).toBe('t');
  });

  it.each([
    ['text', 'q<!doctype html>'],
    ['a start tag', '<div><!doctype html>'],
    ['a list of choices', '<select><!doctype html></select>'],
    ['another doctype', '<!doctype x><!doctype html>'],
  ])('ignores a doctype after %s: there a table may be in a paragraph', (_, before) => {
    expect(fromScan(`${before}<p><table></table><a href="/1">x<div>y</div>z</a>`)).toBeUndefined();
  });

  it('uses the first doctype, if no text is before it', () => {
    const page = '\n<!-- c --><!doctype html><!doctype x><p><table></table><a href="/1">x<div>y</div>z</a>';
    expect(fromScan(page)).toEqual(fromTree(page));
  });

  it('gives up where parse5 differs from the Standard, or ends an element early', () => {
    for (const part of ['<ul><li><search><a href=/1>t<li>u</li></a></search></ul>', '<table><colgroup><col><style>']) {
      expect(fromScan(`<!doctype html><body>${part}`), part).toBeUndefined();
    }
  });

  it('takes linear time', () => {
    // With each of these, a search that starts again at every piece would read all of the rest, which takes many minutes.
    for (const piece of ['<!-- -->', '<!x', '</ ', '<a href="', '<script>', '</scrip', '<div><span>', '<p>', '<']) {
      const page = piece.repeat(Math.ceil(1_000_000 / piece.length));
      scanHtml(Buffer.from(page), begin().body, 200_000);
    }
  }, 60_000);
});
