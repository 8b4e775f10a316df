import fc from 'fast-check';
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { describe, expect, it } from 'vitest';
import { differences } from '../../../bench/lib/rendered-markdown.js';
import { countWords } from '../../../packages/export/markdown/count-words.js';
import { readBlocks } from '../../../packages/export/markdown/read-blocks.js';
import { splitBlocks } from '../../../packages/export/markdown/split-blocks.js';
import { loadMarkdown } from '../../../packages/export/markdown/write-markdown.js';
import { fuzzed, runs } from '../../support/runs.js';

const write = await loadMarkdown();

/** Words, and text that Markdown could read as syntax. */
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('one', 'two', 'Three', 'x1', '潮汐', 'café', 'snake_case', 'É.') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '*',
      '_',
      '`',
      '#',
      '-',
      '+',
      '1.',
      '2)',
      '>',
      '=',
      '[x]',
      '(y)',
      '!',
      '\\',
      '|',
      '~',
      '$5',
      '&amp;amp;',
      '&lt;b&gt;',
      ':',
      '---',
      '***',
      'a*b',
      '__init__',
      '&nbsp;',
      '“',
    ),
  },
);
const text = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '', '\n')), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.flat().join(''));
export const { inline, blocks } = fc.letrec<{
  inline: string;
  inlines: string;
  block: string;
  blocks: string;
  item: string;
  cell: string;
}>((tie) => ({
  inline: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc
      .tuple(fc.constantFrom('b', 'i', 'em', 'strong', 'del', 'span', 'sup', 'sub', 'q', 'font'), tie('inlines'))
      .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
    tie('inlines').map(
      (inner) => `<a href="http://a.com/x_(y)?a=1&amp;b=2#c">${inner.replace(/<\/?a[^>]*>/g, '')}</a>`,
    ),
    fc.constant('<br>'),
    fc.constant('<img src="http://a.com/i.png" alt="an *image*">'),
  ),
  inlines: fc.array(tie('inline'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  block: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('inlines'),
    fc
      .tuple(fc.constantFrom('p', 'div', 'h2', 'dt', 'dd', 'center'), tie('inlines'))
      .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
    fc
      .tuple(fc.constantFrom('div', 'blockquote', 'section', 'figure'), tie('blocks'))
      .map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
    fc
      .tuple(fc.constantFrom('<ul>', '<ol>', '<ol start="7">'), fc.array(tie('item'), { minLength: 1, maxLength: 3 }))
      .map(([tag, items]) => `${tag}${items.join('\n')}</${tag.slice(1, 3)}>`),
    fc
      .array(fc.array(tie('cell'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((rows) => `<table>${rows.map((cells) => `<tr>${cells.join('')}</tr>`).join('')}</table>`),
    text.map((code) => `<pre><code class="language-js">\n${code}\n  ${code}</code></pre>`),
    fc.constant('<hr>'),
  ),
  blocks: fc.array(tie('block'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('\n')),
  item: tie('blocks').map((inner) => `<li>${inner}</li>`),
  cell: fc
    .tuple(
      fc.constantFrom('<td>', '<th>', '<td colspan="2">', '<td rowspan="2">'),
      fc.oneof(tie('inlines'), tie('blocks')),
    )
    .map(([tag, inner]) => `${tag}${inner}</${tag.slice(1, 3)}>`),
}));

export function bodyOf(html: string): Tree.Element {
  const root = parse(`<!doctype html><body>${html}`).childNodes.at(-1) as Tree.Element;
  return root.childNodes.at(-1) as Tree.Element;
}

describe('Markdown, as another program renders it', () => {
  it('has the words, links, items, cells and code of random HTML', () => {
    fc.assert(
      fc.property(fc.oneof(blocks, inline), (html) => {
        const markdown = write(readBlocks(bodyOf(html)));
        expect(differences(bodyOf(html), markdown), `${html}\n\n${markdown}`).toEqual([]);
      }),
      fuzzed(1, runs(60, 5000)),
    );
  });

  it('is cut into chunks that lose no word and obey the limit', () => {
    fc.assert(
      fc.property(blocks, fc.integer({ min: 1, max: 12 }), (html, most) => {
        const read = readBlocks(bodyOf(html));
        const chunks = splitBlocks(read, most, write);
        for (const chunk of chunks)
          expect(countWords(chunk.text), `${most}: ${html}\n\n${chunk.text}`).toBeLessThanOrEqual(most);
      }),
      fuzzed(2, runs(100, 3000)),
    );
  });
});
