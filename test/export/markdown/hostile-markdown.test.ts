import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlDocument, mainContent } from '../../../packages/core/index.js';
import { readBlocks } from '../../../packages/export/markdown/read-blocks.js';
import { splitBlocks } from '../../../packages/export/markdown/split-blocks.js';
import { loadMarkdown } from '../../../packages/export/markdown/write-markdown.js';
import { openContext } from '../../../packages/webcrawl/internal.js';
import { fuzzed, runs } from '../../support/runs.js';
import { unsafeIn } from '../../support/unsafe-markdown.js';

const write = await loadMarkdown();
const { settings } = await openContext({ table: 'memory:' });

const HTML = '<img src=x onerror=alert(1)>';
const LINK = '[a](javascript:alert(1))';
const PROSE = 'The tide is high in the morning, and low in the evening, on every day of the year.';

const tex = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const annotated = (text: string, display = ''): string =>
  `<math${display}><semantics><mi>x</mi><annotation encoding="application/x-tex">${tex(text)}</annotation></semantics></math>`;

/** The HTML and the links of a page's Markdown, whole and in chunks, for a CommonMark parser without extensions. */
function unsafeOf(html: string): string[] {
  const document = htmlDocument(
    { content: Buffer.from(`<!doctype html><body>${html}`), contentType: 'text/html', charset: 'utf-8' },
    settings,
  )!;
  const body = mainContent({ url: 'http://a.com/page', document }, settings);
  const blocks = body ? readBlocks(body) : [];
  const chunks = splitBlocks(structuredClone(blocks), 20, write).map(({ text }) => text);
  return [write(blocks), ...chunks].flatMap((markdown) => unsafeIn(markdown).map((found) => `${found} in ${markdown}`));
}

describe('Markdown of a hostile page', () => {
  it.each([
    ['TeX in an annotation', annotated(HTML)],
    ['TeX on lines of its own', annotated(HTML, ' display="block"')],
    ['TeX with a link', annotated(LINK)],
    ['TeX with a comment, a declaration and a closing tag', annotated('<!-- </p> <?x <!x')],
    ['TeX in an alttext', `<math alttext="${tex(HTML)}"><mi>x</mi></math>`],
    ['TeX in a script', `<script type="math/tex">${HTML}</script>`],
    ['TeX of a display script', `<script type="math/tex; mode=display">a\n\n${HTML}\n\n${LINK}</script>`],
    ['a data-tex of the page', `<math data-tex="x&#10;&#10;${tex(HTML)}&#10;&#10;y"><mi>x</mi></math>`],
    ['a data-tex inside another formula', `<math><mrow><math data-tex="${tex(LINK)}"><mi>x</mi></math></mrow></math>`],
    ['a definition in TeX', annotated('- [a]: javascript:alert(1)', ' display="block"') + annotated('[a]')],
    ['a reference in TeX', annotated('- [a]: javascript:alert(1)', ' display="block"') + annotated('[b][a]')],
    ['a fence in TeX before code', `${annotated('~~~', ' display="block"')}<pre>~~~\n${tex(HTML)}</pre>`],
    ['a backtick fence in TeX before code', `${annotated('```', ' display="block"')}<pre>${tex(HTML)}</pre>`],
    ['a backtick in TeX before inline code', `${annotated('`')} <code>${tex(HTML)}</code>`],
    ['a link whose URL breaks out', `<a href="x> ${tex(HTML)}">a</a><a href="x)${tex(HTML)}">a</a>`],
    ['links with other schemes', '<a href="javascript:x">a</a><img src="data:text/html,x"><a href="vbscript:x">b</a>'],
    ['text that is Markdown', `${tex(HTML)} ${LINK} &amp;lt;b&gt;<br>[a]: javascript:x<br>&lt;javascript:x&gt;`],
    ['an alt that breaks out', `<img src="/a.png" alt="](javascript:x) ${tex(HTML)}">`],
    ['a language that breaks out', `<pre class="language-x\`\`\`${tex(HTML)}">a\n\`\`\`\n${tex(HTML)}</pre>`],
  ])('has no HTML and no script: %s', (_, html) => {
    expect(unsafeOf(`<p>${PROSE} ${html} ${PROSE}</p>`)).toEqual([]);
  });

  it('has no HTML and no script, for random pages', () => {
    const signs =
      '< > / ! ? [ ] ( ) : ` ~~~ ``` $ $$ \\ | * _ # - + = " \' & ; img a b javascript: http:// x@y.z {'.split(' ');
    const text = fc
      .array(fc.constantFrom(...signs, ' ', '\n', '\n\n', '\t', HTML, LINK, '<a@b.c>', '[a]: javascript:x'), {
        maxLength: 8,
      })
      .map((parts) => parts.join(''));
    const piece = fc
      .tuple(fc.integer({ min: 0, max: 14 }), text, text)
      .map(([kind, a, b]) => PIECES[kind]!(tex(a), tex(b)));
    const PIECES: readonly ((a: string, b: string) => string)[] = [
      (a) => annotated(a),
      (a) => annotated(a, ' display="block"'),
      (a, b) => `<math alttext="${a}" data-tex="${b}"><mi>x</mi></math>`,
      (a, b) => `<math data-tex="${a}"><mtext>${b}</mtext></math>`,
      (a) => `<script type="math/tex">${a.replaceAll('&lt;', '<')}</script>`,
      (a) => `<script type="math/tex; mode=display">${a.replaceAll('&lt;', '<')}</script>`,
      (a, b) => `<a href="${a}">${b}</a>`,
      (a, b) => `<img src="/${a}" alt="${b}">`,
      (a, b) => `<code>${a}</code>${b}<kbd>${a}</kbd>`,
      (a, b) => `<pre class="language-${a}">${b}\n${a}</pre>`,
      (a, b) => `<ul><li>${a}<li>${b}<pre>${a}</pre></ul>`,
      (a, b) => `<table><tr><th>${a}<th>b<tr><td>${annotated(b)}<td><code>${a}</code></table>`,
      (a, b) => `<h2>${a}</h2><blockquote>${b}</blockquote>`,
      (a, b) => `<ruby>${a}<rt>${b}</ruby><sup>${a}</sup><b>${b}</b>`,
      (a, b) => `<p>${a}<br>${b}</p>`,
    ];
    const page = fc.array(piece, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(page, (pieces) => {
        expect(unsafeOf(`<p>${PROSE}</p>${pieces.join('')}<p>${PROSE}</p>`)).toEqual([]);
      }),
      fuzzed(3, runs(300, 20_000)),
    );
  });
});
