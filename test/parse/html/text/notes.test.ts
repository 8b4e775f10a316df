import { describe, expect, it } from 'vitest';
import { parsePage } from '../../../support/parsing/parse-page.js';

const text = (html: string) => parsePage(html).text;

describe('ruby', () => {
  it.each([
    [
      '<p><ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby><ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>を学ぶ人</p>',
      '漢字を学ぶ人 かん じ',
    ],
    ['<p><ruby>漢<rt>かん</rt>字<rt>じ</rt></ruby>を</p><p>学ぶ</p>', '漢字を かんじ 学ぶ'],
    ['<ul><li><ruby>漢<rt>かん</ruby><li><ruby>字<rt>じ</ruby></ul>', '漢 かん 字 じ'],
    ['<p><ruby><rb>漢</rb><rb>字</rb><rtc><rt>かん</rt><rt>じ</rt></rtc></ruby>を</p>', '漢字を かん じ'],
    ['<ruby>漢<rt>かん</rt></ruby>字', '漢字 かん'],
    ['<p><ruby>a<rt><ruby>b<rt>c</rt></ruby>d</rt></ruby>e</p>f', 'ae bd f c'],
    ['<p>a<rt>b</rt><rp>(</rp>c</p>', 'a b c'],
  ])('%j is %j: words are complete, and notes come after the block', (html, expected) =>
    expect(text(html)).toBe(expected),
  );

  it('is not part of headings and anchors, and its links are followed', () => {
    const page = parsePage(
      '<h1><ruby>漢<rt>かん</rt></ruby>字</h1><p><a href=/k><ruby>字<rt><a href=/n>じ</a></rt></ruby></a>',
    );
    expect(page.headings).toEqual(['漢字']);
    expect(page.outlinks.map(({ url, anchor }) => [new URL(url).pathname, anchor])).toEqual([
      ['/k', '字'],
      ['/n', 'じ'],
    ]);
  });
});

describe('a formula', () => {
  const mathMl = (inside: string) =>
    `<math><semantics><mrow>${inside}</mrow><annotation encoding="application/x-tex">\\frac E m</annotation></semantics></math>`;

  it.each([
    ['KaTeX', `<span class=katex><span>${mathMl('<mi>E</mi>')}</span><span aria-hidden="true"><i>E</i></span></span>`],
    ['MathJax 3', `<mjx-container><mjx-math aria-hidden="true">E</mjx-math><x-y>${mathMl('E')}</x-y></mjx-container>`],
    ['MathML with a copy beside it', `<span>${mathMl('E')} <b aria-hidden="true">E</b></span>`],
    ['one with TeX alone', '<math><annotation encoding="application/x-tex">E</annotation></math>'],
    ['KaTeX without MathML', '<span class=katex><span aria-hidden="true"><i>E</i></span></span>'],
  ])('is in the text once: %s', (_, html) => {
    expect(text(`<p>Energy ${html} holds.`)).toBe('Energy E holds.');
  });

  it('hides its own copy, and no other hidden element', () => {
    expect(text(`<div>${mathMl('E')}<p aria-hidden="true">a</p><p>b</div>`)).toBe('E a b');
    expect(text(`<div>${mathMl('E')}<p aria-hidden="false">a</p></div>`)).toBe('E a');
    expect(text(`<div>c ${mathMl('E')}<p aria-hidden="true">a</p></div>`)).toBe('c E a');
    expect(text('<div><annotation>a</annotation><b>c</b></div>')).toBe('ac');
  });
});
