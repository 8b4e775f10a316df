import MarkdownIt from 'markdown-it';
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';

const RENDERER = withFormulas(new MarkdownIt({ html: true }));

/**
 * The differences between HTML and Markdown, one line for each kind: words and links, lines of code, list items and table cells. Lists and
 * tables of the HTML that are only layout are not expected in the Markdown.
 * @param body of the main content
 */
export function differences(body: Tree.Element, markdown: string): string[] {
  const html = foundIn(body);
  const shown = foundIn(parse(RENDERER.render(markdown)).childNodes.at(-1) as Tree.Element);
  const differ: string[] = [];
  for (const kind of ['words', 'links', 'code'] as const) {
    const at = html[kind].findIndex((each, i) => each !== shown[kind][i]);
    const place = at === -1 ? html[kind].length : at;
    if (at === -1 && html[kind].length === shown[kind].length) continue;
    const near = (list: readonly string[]): string => JSON.stringify(list.slice(Math.max(0, place - 2), place + 3));
    differ.push(`${kind}: ${near(html[kind])} is ${near(shown[kind])}`);
  }
  for (const kind of ['items', 'tables'] as const) {
    const given = new Set(html[kind]);
    const other = shown[kind].find((each) => !given.has(each));
    if (other !== undefined) differ.push(`${kind}: ${other.slice(0, 200)}`);
  }
  return differ;
}

const INLINE =
  /^(a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|nobr|rb|rp|ruby|s|samp|small|span|strike|strong|time|tt|u|var|wbr|math|semantics|m[a-z]+)$/;
const NOT_SHOWN = /^(script|style|template|button|head|annotation(-xml)?)$/;
const HEADING = /^h[1-6]$/;

/** Reads what a reader of the page sees. */
class Reader {
  readonly words: string[] = [];
  readonly links: string[] = [];
  /** Position of each list item in the lists around it, and its words. */
  readonly items: string[] = [];
  readonly tables: string[] = [];
  readonly code: string[] = [];
  #text: string[] = [];

  read(node: Tree.Node, lists: string): void {
    if (node.nodeName === '#text') return void this.#text.push((node as Tree.TextNode).value);
    if (!('tagName' in node) || NOT_SHOWN.test(node.tagName) || isLineNumber(node)) return;
    const isInline = INLINE.test(node.tagName);
    if (!isInline) this.#text.push(' ');
    this.#readElement(node, lists);
    if (!isInline) this.#text.push(' ');
  }

  finish(): this {
    this.words.push(...wordsOf(this.#text.join('')));
    return this;
  }

  #readElement(element: Tree.Element, lists: string): void {
    const { tagName, childNodes } = element;
    if (tagName === 'pre' || classOf(element) === 'fragment') this.code.push(...linesOf(element));
    if (tagName === 'ul' || tagName === 'ol') return this.#readList(element, lists);
    const start = this.#text.length;
    const links = this.links.length;
    for (const child of childNodes) this.read(child, lists);
    // Code in Markdown has no links.
    if (tagName === 'pre') this.links.length = links;
    const href = tagName === 'a' ? attributeOf(element, 'href') : undefined;
    if (href !== undefined) {
      const words = wordsOf(this.#text.slice(start).join(''));
      // A link around blocks becomes a link in each of them.
      for (const word of words) this.links.push(`${decoded(href)} ${word}`);
    }
    if (tagName === 'table' && !has(element, (inner) => inner.tagName === 'table')) {
      const cells = elementsIn(element, ({ tagName: name }) => name === 'td' || name === 'th').map((cell) =>
        new Reader().readCell(cell),
      );
      this.tables.push(cells.filter((cell) => cell !== '').join(' | '));
    }
  }

  readCell(cell: Tree.Element): string {
    for (const child of cell.childNodes) this.read(child, '');
    return this.finish().words.join(' ');
  }

  #readList(list: Tree.Element, lists: string): void {
    const isOrdered = list.tagName === 'ol';
    const isLayout = holdsHeading(list);
    let number = Number(attributeOf(list, 'start') ?? 1);
    for (const child of list.childNodes) {
      if (!('tagName' in child) || child.tagName !== 'li') {
        this.read(child, lists);
        continue;
      }
      if (isOrdered && attributeOf(child, 'value') !== undefined) number = Number(attributeOf(child, 'value'));
      if (isOrdered && isLayout && isShown(child)) this.#text.push(` ${number} `);
      const path = isLayout ? lists : `${lists}${isOrdered ? number : '*'}/`;
      const start = this.#text.length;
      this.read(child, path);
      this.items.push(`${path} ${wordsOf(this.#text.slice(start).join('')).join(' ')}`);
      number += 1;
    }
  }
}

function foundIn(root: Tree.Element): Reader {
  const reader = new Reader();
  reader.read(root, '');
  return reader.finish();
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}"()√\/.^_]/gu) ?? [];
}

function linesOf(code: Tree.Element): string[] {
  const text: string[] = [];
  const add = (node: Tree.Node): void => {
    if (node.nodeName === '#text') text.push((node as Tree.TextNode).value);
    if (!('tagName' in node) || NOT_SHOWN.test(node.tagName) || isLineNumber(node)) return;
    if (node.tagName === 'br' || /^(div|p|li|tr)$/.test(node.tagName)) text.push('\n');
    node.childNodes.forEach(add);
  };
  code.childNodes
    .filter((node) => code.tagName === 'pre' || ('tagName' in node && classOf(node) === 'line'))
    .forEach(add);
  return text
    .join('')
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
}

function isLineNumber(element: Tree.Element): boolean {
  return /(^|\s)(lineno|linenos|ttc|gutter|lnt)(\s|$)/.test(classOf(element)) && element.tagName !== 'pre';
}

function holdsHeading(root: Tree.Element): boolean {
  return root.childNodes.some((child) => {
    if (!('tagName' in child) || child.tagName === 'blockquote') return false;
    return (HEADING.test(child.tagName) && isShown(child)) || holdsHeading(child);
  });
}

function has(root: Tree.Element, wanted: (element: Tree.Element) => boolean): boolean {
  return root.childNodes.some((child) => 'tagName' in child && (wanted(child) || has(child, wanted)));
}

function isShown(element: Tree.Element): boolean {
  return element.childNodes.some((child) => {
    if (child.nodeName === '#text') return /\S/.test((child as Tree.TextNode).value);
    return 'tagName' in child && (/^(img|hr)$/.test(child.tagName) || isShown(child));
  });
}

function elementsIn(root: Tree.Element, wanted: (element: Tree.Element) => boolean): Tree.Element[] {
  return root.childNodes.flatMap((child) => {
    if (!('tagName' in child)) return [];
    return wanted(child) ? [child] : elementsIn(child, wanted);
  });
}

function attributeOf({ attrs }: Tree.Element, name: string): string | undefined {
  return attrs.find((attr) => attr.name === name)?.value;
}

function classOf(element: Tree.Element): string {
  return attributeOf(element, 'class') ?? '';
}

/** markdown-it writes some characters of addresses in another form. */
function decoded(href: string): string {
  try {
    return decodeURI(href);
  } catch {
    return href;
  }
}

function withFormulas(renderer: MarkdownIt): MarkdownIt {
  renderer.inline.ruler.before('escape', 'formula', (state, silent) => {
    const found = /^(\$+)(?!\$)([^]*?[^$])\1(?!\$)/.exec(state.src.slice(state.pos, state.pos + 5000));
    if (!found) return false;
    if (!silent) state.push('text', '', 0).content = found[2]!;
    state.pos += found[0].length;
    return true;
  });
  renderer.block.ruler.before(
    'fence',
    'formulas',
    (state, first, last, silent) => {
      const line = (n: number): string => state.src.slice(state.bMarks[n]! + state.tShift[n]!, state.eMarks[n]);
      const fence = /^\$\$+$/.exec(line(first))?.[0];
      if (fence === undefined) return false;
      if (silent) return true;
      let end = first + 1;
      while (end < last && line(end) !== fence) end++;
      const token = state.push('html_block', '', 0);
      const text = Array.from({ length: end - first - 1 }, (_, i) => line(first + 1 + i)).join('\n');
      token.content = `<p>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</p>`;
      state.line = end + 1;
      return true;
    },
    { alt: ['paragraph', 'reference', 'blockquote', 'list'] },
  );
  return renderer;
}
