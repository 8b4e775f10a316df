import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TextRange } from '../../../../webtable/index.js';
import {
  addStretch,
  noStretches,
  withoutStretches,
  MAX_STRETCHES,
} from '../../../../packages/parse/html/text/stretches.js';
import { parsePage } from '../../../support/parsing/parse-page.js';

const LONG = 'A sentence that is long enough for prose, as it has sixty letters and more.';
const OTHER = 'Another sentence that is long enough for prose, as it has sixty letters too.';

/** The parts of the text of a page, by kind. */
function parts(html: string, kind: TextRange['kind'] = 'prose', textLimit = -1): string[] {
  const { text, textRanges = [] } = parsePage(html, { parser: { textLimit } });
  return textRanges.filter((range) => range.kind === kind).map(({ start, end }) => text.slice(start, end));
}

describe('prose', () => {
  it.each([
    ['what is long and has a stop', `<title>T</title><div>x</div><div>${LONG}</div><div>y</div>`, [LONG]],
    ['what a line break is in', `<div>a b</div><p>${LONG}<br>b<p>c`, [`${LONG} b`]],
    ['neighbours as one', `<p>${LONG}<p>${OTHER}<p>x`, [`${LONG} ${OTHER}`]],
    ['with the headings before it', `<h2>a</h2>x<h2>b</h2><h3>c</h3><p>${LONG}<h2>d</h2>`, [`b c ${LONG}`]],
    ['nothing short', '<p>A short one, with a comma. And a stop.', []],
    ['nothing without a stop', `<p>${LONG.replace(/[,.]/g, '')}`, []],
    ['nothing with stops within words alone', `<p>${LONG.replace(/[,.]/g, '').replaceAll(' ', '.a ')}`, []],
    ['nothing mostly in links', `<p><a href=/>${LONG}</a> a`, []],
    ['what has few links', `<p><a href=/>${LONG}</a> ${OTHER} ${OTHER}`, [`${LONG} ${OTHER} ${OTHER}`]],
    ['nothing in a link over blocks', `<div><a href=/><p>${LONG}<p>${OTHER}</a></div>`, []],
    ['what is in an anchor that is no link', `<p><a name=x>${LONG}</a>`, [LONG]],
    [
      'nothing in a menu',
      `<nav>${LONG}</nav><menu><li>${LONG}</menu><footer>${LONG}</footer><aside>${LONG}</aside>`,
      [],
    ],
    [
      'no title, no choice, no note to browsers',
      `<title>${LONG}</title><select><option>${LONG}</select><noscript>${LONG}</noscript>`,
      [],
    ],
    [
      'Chinese',
      '<p>南京市长江大桥是中国的一座桥梁，它在南京市的长江上面，很长很长很长。',
      ['南京市长江大桥是中国的一座桥梁，它在南京市的长江上面，很长很长很长。'],
    ],
    [
      'Japanese',
      '<p>この橋は長江の上に架かっていて、とても長いので有名になりました。とても長い橋です。',
      ['この橋は長江の上に架かっていて、とても長いので有名になりました。とても長い橋です。'],
    ],
    ['Thai, which has no stops', `<p>${'สะพานนี้ยาวมาก '.repeat(6)}`, ['สะพานนี้ยาวมาก '.repeat(6).trim()]],
    [
      'Arabic',
      '<p>هذا الجسر طويل جدا، ويمر فوق النهر الكبير في وسط المدينة القديمة كل يوم',
      ['هذا الجسر طويل جدا، ويمر فوق النهر الكبير في وسط المدينة القديمة كل يوم'],
    ],
    ['all of an article but its menus', `<article>a<nav>b</nav><p>c</article><p>d`, ['a', 'c']],
    [
      'only what is in main, where that has prose',
      `<p>${LONG}<main>a<p>${OTHER}<p><a href=/>b</a></main>`,
      [`a ${OTHER}`],
    ],
    ['also by its role', `<p>${LONG}<div class=x role="Main">a<p>${OTHER}</div>`, [`a ${OTHER}`]],
    ['more than main, where that has none', `<p>${LONG}<main>a</main>`, [`${LONG} a`]],
    ['no document within', `<iframe srcdoc="<main><p>${LONG}"></iframe><main>a`, ['a']],
  ])('is %s', (_, html, expected) => expect(parts(html)).toEqual(expected));
});

describe('text that no snippet may show', () => {
  it.each([
    ['<p>a <span data-nosnippet>b c</span> d', ['b c']],
    ['<p>a <span DATA-NoSnippet="">b</span><div data-nosnippet><section data-nosnippet>c</section>d</div>e', ['b c d']],
    ['<p>a<b data-nosnippet>b</b>', []],
    ['<div data-nosnippet>a', ['a']],
    ['<p>a<iframe srcdoc="<p>b<span data-nosnippet>c</span>d"></iframe>e', ['bcd']],
    ['<iframe srcdoc="<meta name=robots content=nosnippet><p>b"></iframe>e', ['b']],
    ['<div data-nosnippet><p><ruby>漢<rt>かん</rt></ruby>字</div>a', ['漢字 かん']],
    ['<p><span data-nosnippet><ruby>漢<rt>かん</rt></ruby></span>字</p>a', ['漢', 'かん']],
  ])('of %j is %j', (html, expected) => expect(parts(html, 'nosnippet')).toEqual(expected));

  it('is not prose', () => {
    expect(parts(`<p>${LONG} <span data-nosnippet>b</span> c`)).toEqual([LONG, 'c']);
  });
});

const piece = fc.constantFrom(
  ...['<p>', '<div>', '</div>', '<main>', '</main>', '<nav>', '</nav>', '<a href=/>', '</a>', '<span data-nosnippet>'],
  ...[
    '</span>',
    '<div role=main>',
    '<div data-nosnippet role=main>',
    '<h2>t</h2>',
    '<ruby>',
    '<rt>',
    '</ruby>',
    '<math>',
  ],
  ...[
    LONG,
    OTHER,
    'x',
    ' ',
    '😀',
    '日本、',
    '<br>',
    '<table><tr><td>',
    '</table>',
    '<iframe srcdoc="<p data-nosnippet>q">',
  ],
);

describe('the ranges of any page', () => {
  it('are within the text, in order, disjoint and few, and split no surrogate pair', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.integer({ min: -1, max: 200 }), (pieces, textLimit) => {
        const { text, textRanges = [] } = parsePage(pieces.join(''), { parser: { textLimit } });
        let before = 0;
        for (const { start, end } of textRanges) {
          expect(start).toBeGreaterThanOrEqual(before);
          expect(end).toBeGreaterThan(start);
          for (const place of [start, end])
            expect(text.slice(place - 1, place + 1)).not.toMatch(/^[\ud800-\udbff][\udc00-\udfff]$/);
          before = end;
        }
        expect(before).toBeLessThanOrEqual(text.length);
      }),
      { seed: 11, numRuns: 2000 },
    );
  });

  it('are fewer than 200, and text that must not be shown never is', () => {
    const { text, textRanges = [] } = parsePage(
      `<p>${LONG}<span data-nosnippet>secret</span><div>x</div>`.repeat(1000),
    );
    expect(textRanges.length).toBeLessThan(200);
    for (let at = text.indexOf('secret'); at >= 0; at = text.indexOf('secret', at + 1))
      expect(textRanges.some(({ start, end, kind }) => kind === 'nosnippet' && start <= at && end >= at + 6)).toBe(
        true,
      );
  });

  it.each([
    ['a million links', `<main>${'<a href=/>a</a>,'.repeat(70_000)}`],
    ['elements that are never closed', '<div data-nosnippet><a href=/><main><nav><p>a, '.repeat(20_000)],
    ['blocks', '<p>a'.repeat(90_000)],
    ['a long run', `<p>${'a'.repeat(1_000_000)}`],
    ['notes to notes', '<ruby>a<rt>'.repeat(30_000)],
    ['formulas beside each other', `<p>${'<math><mi>a</mi></math><i aria-hidden="true">'.repeat(20_000)}`],
  ])('are found in a page of %s', (_, html) => {
    const { text, textRanges = [] } = parsePage(html);
    expect(textRanges.length).toBeLessThan(200);
    expect(textRanges.at(-1)?.end ?? 0).toBeLessThanOrEqual(text.length);
  });
});

describe('stretches', () => {
  it('have the expected content, whatever is subtracted from them', () => {
    const list = fc.array(fc.tuple(fc.nat(3), fc.nat(5)), { maxLength: 20 }).map((steps) => {
      const found = noStretches();
      let at = 0;
      for (const [gap, length] of steps) {
        addStretch(found, at + gap, at + gap + length);
        at += gap + length;
      }
      return found;
    });
    const places = ({ starts, ends }: ReturnType<typeof noStretches>) =>
      starts.flatMap((start, i) => Array.from({ length: ends[i]! - start }, (_, at) => start + at));
    fc.assert(
      fc.property(list, list, (some, others) => {
        const without = new Set(places(others));
        expect(places(withoutStretches(some, others))).toEqual(places(some).filter((place) => !without.has(place)));
      }),
      { seed: 11 },
    );
  });

  it('beyond a maximum number are merged with the last one', () => {
    const found = noStretches();
    for (let i = 0; i < 1000; i++) addStretch(found, 10 * i, 10 * i + 5);
    expect(found.starts).toHaveLength(MAX_STRETCHES);
    expect(found.ends.at(-1)).toBe(9995);
  });
});
