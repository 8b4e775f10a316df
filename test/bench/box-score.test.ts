import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { describe, expect, it } from 'vitest';
import { BOXED_MANUALS } from '../../bench/lib/boxed-manuals.js';
import { addBoxPage, noBoxScore } from '../../bench/lib/box-score.js';
import { selector } from '../../bench/lib/selector.js';

const PAGE = `<!doctype html><title>no word of the body</title><body>
<ul class="menu"><li>Examples</li><li>next page</li></ul>
<div id="content">
  <div class="toc"><ul><li>one two</li></ul></div>
  <h1>Some title</h1>
  <p>one <b>two</b> three</p>
  <h2>Examples</h2>
  <pre>let it = 1</pre>
  <table><tr><td>a b c</td><td><table><tr><td>d</td></tr></table></td></tr></table>
  <p hidden>unseen</p>
</div>
<footer>all rights</footer>`;
const BOX = { box: '#content', beside: '.toc' };

function scoreOf(kept: string): ReturnType<typeof noBoxScore> {
  const score = noBoxScore();
  expect(addBoxPage(score, Buffer.from(PAGE), BOX, parse(kept) as unknown as Tree.Element)).toBe(true);
  return score;
}

describe('addBoxPage', () => {
  it('counts nothing lost of a page that is kept as it is, and its menus as text from outside', () => {
    expect(scoreOf(PAGE)).toEqual({
      pages: 1,
      words: 13,
      wordsKept: 13,
      found: 20,
      headings: 2,
      headingsLost: 0,
      pres: 1,
      presLost: 0,
      tables: 1,
      tablesLost: 0,
    });
  });

  it('counts a word once, a heading in a menu as lost, and a table with less than half of its words as lost', () => {
    const kept =
      '<ul class="menu"><li>Examples</li></ul><h1>Some title</h1><p>three two one</p><table><tr><td>d</td></tr></table>';
    expect(scoreOf(kept)).toMatchObject({
      words: 13,
      wordsKept: 6,
      found: 7,
      headingsLost: 1,
      presLost: 1,
      tablesLost: 1,
    });
  });

  it('counts everything lost of a page without main content', () => {
    const score = noBoxScore();
    addBoxPage(score, Buffer.from(PAGE), BOX, undefined);
    expect(score).toMatchObject({ words: 13, wordsKept: 0, found: 0, headingsLost: 2, presLost: 1, tablesLost: 1 });
  });

  it('leaves out a page without its box', () => {
    const score = noBoxScore();
    expect(addBoxPage(score, Buffer.from('<p>moved'), BOX, undefined)).toBe(false);
    expect(score).toEqual(noBoxScore());
  });
});

describe('selector', () => {
  const elements = (html: string): Tree.Element[] => {
    const all = (node: Tree.Node): Tree.Element[] => [
      ...('tagName' in node ? [node] : []),
      ...('childNodes' in node ? node.childNodes.flatMap(all) : []),
    ];
    return all(parse(html));
  };

  it.each([
    ['div.b', '2'],
    ['[id=1] > .b, p', '2 3'],
    ['#2 + p', '3'],
    ['.b.c', '2'],
    ['em', ''],
  ])('%s', (source, ids) => {
    const found = elements('<div id=1><div id=2 class="a b c"></div> <p id=3></div>').filter(selector(source));
    expect(found.map(({ attrs }) => attrs[0]!.value).join(' ')).toBe(ids);
  });

  it.each(['', 'a b', 'p:first-child', 'a > '])('%j is refused', (source) => {
    expect(() => selector(source)).toThrow('expected a simple selector');
  });
});

it('each manual of the list has a selector that can be read, and a folder of its own', () => {
  for (const { box, beside } of BOXED_MANUALS) for (const list of [box, beside ?? 'body']) selector(list);
  expect(new Set(BOXED_MANUALS.map(({ folder }) => folder)).size).toBe(BOXED_MANUALS.length);
});
