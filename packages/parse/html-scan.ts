import { decodeHTML } from 'entities';
import { html as spec } from 'parse5';
import { isLetter, markupEnd, nextMarkup, rawTextEnd, readTag, type Attribute } from './html-tags.js';
import type { Element, TreeVisitor } from './html-tree.js';
import {
  BLOCK_ENDS,
  BUTTON_SCOPE,
  CLOSES_P,
  HEADINGS,
  HEAD_ELEMENTS,
  IMPLIED_END,
  LIST_SCOPE,
  NEVER_SURE,
  RAW_TEXT,
  RICH_TEXT,
  SCOPE,
  SELECT_PARTS,
  SPECIAL,
  SVG_ELEMENTS,
  TABLE_PARTS,
  TABLE_SCOPE,
  TABLE_TAGS,
  VOID,
} from './html-names.js';

/** Elements open at once; a page with more is read from its tree, so that looking through them costs little. */
const MAX_DEPTH = 500;
const HAS_TEXT = /[^\t\n\f\r ]/;
const UNSURE = new Error('unsure');
/** Elements of which the visitor wants to know attributes. */
const WITH_ATTRIBUTES = new Set('a area base form frame html iframe img link meta script source'.split(' '));

/**
 * Shows a page to a visitor as `walkTree` would show its tree, without making one, at a fraction of the cost.
 *
 * It knows the rules of tree construction (HTML Standard, 13.2.6) as far as pages keep to them: elements closed in
 * order, and end tags that may be left out. Where a page breaks them so that anything may be moved, added or dropped
 * (misnested formatting, text between the cells of a table, foreign content, a stray end tag) it gives up, and the page
 * is to be read from its tree. So it may be of no help, but is never wrong.
 * @param maxElements elements up to which it goes on
 * @returns false when it gave up; what the visitor has seen is then worth nothing
 */
export function scanHtml(text: string, visitor: TreeVisitor, maxElements: number): boolean {
  // What becomes of a NUL depends on where it stands.
  if (text.includes('\0')) return false;
  try {
    new HtmlScanner(text, visitor, maxElements).run();
    return true;
  } catch (error) {
    if (error === UNSURE) return false;
    throw error;
  }
}

function unsure(): never {
  throw UNSURE;
}

/** How far the page has come. */
type Phase = 'start' | 'beforeHead' | 'head' | 'afterHead' | 'body';

class HtmlScanner {
  readonly #text: string;
  readonly #visitor: TreeVisitor;
  readonly #maxElements: number;
  /** The stack of open elements, and their names. */
  readonly #open: Element[] = [];
  readonly #names: string[] = [];
  #phase: Phase = 'start';
  #doctype: string | undefined;
  #elements = 0;
  #at = 0;

  constructor(text: string, visitor: TreeVisitor, maxElements: number) {
    this.#text = text;
    this.#visitor = visitor;
    this.#maxElements = maxElements;
  }

  run(): void {
    const text = this.#text;
    while (this.#at < text.length) {
      const mark = nextMarkup(text, this.#at);
      if (mark > this.#at) this.#characters(text.slice(this.#at, mark));
      if (mark === text.length) break;
      if (isLetter(text.charCodeAt(mark + 1))) this.#startTag(mark + 1);
      else if (isLetter(text.charCodeAt(mark + 2)) && text[mark + 1] === '/') this.#endTag(mark + 2);
      else this.#skipMarkup(mark);
    }
    this.#openBody([]);
    this.#popTo(0);
  }

  get #top(): string {
    return this.#names.at(-1) ?? '';
  }

  get #isForeign(): boolean {
    return this.#open.at(-1)?.namespaceURI === spec.NS.SVG;
  }

  #skipMarkup(mark: number): void {
    // Within a drawing it may be text.
    if (this.#isForeign && this.#text.startsWith('<![', mark)) unsure();
    this.#at = markupEnd(this.#text, mark);
    if (/^<!doctype/i.test(this.#text.slice(mark, mark + 9))) this.#doctype ??= this.#text.slice(mark, this.#at);
  }

  #characters(raw: string): void {
    const value = raw.includes('&') ? decodeHTML(raw) : raw;
    if (this.#phase !== 'body') {
      if (!HAS_TEXT.test(value)) return;
      this.#openBody([]);
    } else if (TABLE_PARTS.has(this.#top) && HAS_TEXT.test(value)) {
      unsure();
    }
    this.#visitor.characters(value);
  }

  #startTag(at: number): void {
    const { name, attrs, end } = readTag(this.#text, at, WITH_ATTRIBUTES);
    this.#at = end;
    // A tag that the text ends in is none.
    if (end > this.#text.length) return;
    if (NEVER_SURE.has(name)) unsure();
    if (this.#isForeign) this.#startInSvg(name, at);
    else if (SELECT_PARTS.has(this.#top)) this.#startInSelect(name);
    else if (this.#phase === 'body') this.#startInBody(name, attrs);
    else this.#startInHead(name, attrs);
  }

  /** Plain shapes and texts; most other elements end the drawing or hold HTML. */
  #startInSvg(name: string, at: number): void {
    if (!SVG_ELEMENTS.has(name)) unsure();
    const closesItself = this.#text.startsWith('/>', this.#at - 2);
    if (closesItself) {
      // The slash may belong to a value that has no quotes.
      const tag = this.#text.slice(at, this.#at - 2);
      const value = tag.lastIndexOf('=');
      if (value >= 0 && !/["'>]/.test(tag.slice(value))) unsure();
    }
    this.#push(name, [], spec.NS.SVG);
    if (closesItself) this.#pop();
  }

  #startInSelect(name: string): void {
    if (name !== 'option' && name !== 'optgroup') unsure();
    if (this.#top === 'option') this.#pop();
    if (name === 'optgroup' && this.#top === 'optgroup') this.#pop();
    this.#push(name, []);
  }

  #startInHead(name: string, attrs: Attribute[]): void {
    if (name === 'html') {
      if (this.#phase !== 'start') unsure();
      this.#push(name, attrs);
      this.#phase = 'beforeHead';
    } else if (name === 'head') {
      if (this.#phase !== 'start' && this.#phase !== 'beforeHead') unsure();
      this.#openHead();
    } else if (HEAD_ELEMENTS.has(name)) {
      // After the head they would be put back into it.
      if (this.#phase === 'afterHead') unsure();
      this.#openHead();
      this.#insert(name, attrs);
    } else {
      // Within the head, only some elements may stand in it.
      if (name === 'noscript' && this.#phase !== 'afterHead') unsure();
      this.#openBody(name === 'body' ? attrs : []);
      if (name !== 'body') this.#startInBody(name, attrs);
    }
  }

  #openHead(): void {
    if (this.#phase === 'start') this.#push('html', []);
    if (this.#phase !== 'head') this.#push('head', []);
    this.#phase = 'head';
  }

  #openBody(attrs: Attribute[]): void {
    if (this.#phase === 'body') return;
    if (this.#phase !== 'afterHead') {
      this.#openHead();
      this.#pop();
    }
    this.#push('body', attrs);
    this.#phase = 'body';
  }

  #startInBody(name: string, attrs: Attribute[]): void {
    if (name === 'html' || name === 'head' || name === 'body') unsure();
    if (TABLE_TAGS.has(name)) return this.#startInTable(name);
    if (TABLE_PARTS.has(this.#top) && name !== 'script' && name !== 'style') unsure();
    if (name === 'li' || name === 'dd' || name === 'dt') this.#closeItem(name);
    if (CLOSES_P.has(name)) {
      // A table may stand in a paragraph where there is no doctype, or an old one.
      if (name === 'table' && this.#find('p', BUTTON_SCOPE) >= 0 && !/^<!doctype html>$/i.test(this.#doctype ?? '')) {
        unsure();
      }
      this.#closeIfOpen('p', BUTTON_SCOPE);
    }
    if (HEADINGS.has(name) && HEADINGS.has(this.#top)) unsure();
    if ((name === 'a' || name === 'form' || name === 'button') && this.#names.includes(name)) unsure();
    if (name === 'option' || name === 'optgroup') unsure();
    if (name === 'svg') this.#startInSvg(name, this.#at - 1);
    else this.#insert(name, attrs);
  }

  /** Makes an element, with its text where no tags count in that, and leaves it open where it is to be filled. */
  #insert(name: string, attrs: Attribute[]): void {
    if (RAW_TEXT.has(name) || RICH_TEXT.has(name)) {
      this.#insertWithText(name, attrs);
    } else {
      this.#push(name, attrs);
      if (VOID.has(name)) this.#pop();
    }
  }

  #insertWithText(name: string, attrs: Attribute[]): void {
    const end = rawTextEnd(this.#text, name, this.#at);
    const raw = this.#text.slice(this.#at, end);
    // Within a comment a script may hold scripts.
    if (name === 'script' && raw.includes('<!--') && /<script/i.test(raw)) unsure();
    this.#at = end < this.#text.length ? readTag(this.#text, end + 2).end : end;
    const value = RICH_TEXT.has(name) && raw.includes('&') ? decodeHTML(raw) : raw;
    const isSeen = this.#push(name, attrs, spec.NS.HTML, value);
    if (isSeen && value !== '') this.#visitor.characters(value);
    this.#pop(isSeen);
  }

  /** A part of a table: closes what it ends, and opens what may be left out around it. */
  #startInTable(name: string): void {
    const isCell = name === 'td' || name === 'th';
    for (;;) {
      const top = this.#top;
      if (top === 'table') {
        if (isCell || name === 'tr') this.#push('tbody', []);
        else if (name === 'col') this.#push('colgroup', []);
        else break;
      } else if (top === 'tbody' || top === 'thead' || top === 'tfoot') {
        if (name === 'tr') break;
        if (isCell) this.#push('tr', []);
        else this.#pop();
      } else if (top === 'tr') {
        if (isCell) break;
        this.#pop();
      } else if (top === 'colgroup') {
        if (name === 'col') break;
        this.#pop();
      } else {
        const cell = this.#names.findLastIndex((open) => open === 'td' || open === 'th' || open === 'caption');
        if (cell < 0 || this.#names.lastIndexOf('table') > cell) unsure();
        this.#close(cell);
      }
    }
    this.#insert(name, []);
  }

  #endTag(at: number): void {
    const { name, end } = readTag(this.#text, at);
    this.#at = end;
    if (end > this.#text.length) return;
    if (this.#phase !== 'body') {
      if (name !== 'head' || this.#phase !== 'head') unsure();
      this.#pop();
      this.#phase = 'afterHead';
    } else if (name === 'body' || name === 'html') {
      // What comes after them belongs to the body all the same.
    } else if (name === 'table' || TABLE_TAGS.has(name)) {
      this.#closeTablePart(name);
    } else if (TABLE_PARTS.has(this.#top)) {
      unsure();
    } else if (SELECT_PARTS.has(this.#top)) {
      this.#endInSelect(name);
    } else if (name === 'p') {
      this.#close(this.#find(name, BUTTON_SCOPE));
    } else if (name === 'li') {
      this.#close(this.#find(name, LIST_SCOPE));
    } else if (HEADINGS.has(name)) {
      this.#close(this.#names.findLastIndex((open) => HEADINGS.has(open)));
    } else if (BLOCK_ENDS.has(name)) {
      this.#close(this.#find(name, SCOPE));
    } else if (this.#top === name) {
      this.#pop();
    } else {
      unsure();
    }
  }

  #endInSelect(name: string): void {
    if (!SELECT_PARTS.has(name)) unsure();
    if (name !== 'option' && this.#top === 'option') this.#pop();
    if (name === 'select' && this.#top === 'optgroup') this.#pop();
    if (this.#top !== name) unsure();
    this.#pop();
  }

  #closeTablePart(name: string): void {
    const index = this.#find(name, TABLE_SCOPE);
    if (index < 0) unsure();
    for (let i = index + 1; i < this.#names.length; i++) {
      const open = this.#names[i]!;
      if (!IMPLIED_END.has(open) && !(CLOSED_BY[name] ?? []).includes(open)) unsure();
    }
    this.#popTo(index);
  }

  /** Closes the list item before this one, unless it is of another list. */
  #closeItem(name: string): void {
    for (let i = this.#names.length - 1; i >= 0; i--) {
      const open = this.#names[i]!;
      if (name === 'li' ? open === 'li' : open === 'dd' || open === 'dt') return this.#close(i);
      if (SPECIAL.has(open) && open !== 'address' && open !== 'div' && open !== 'p') return;
    }
  }

  #closeIfOpen(name: string, scope: ReadonlySet<string>): void {
    const index = this.#find(name, scope);
    if (index >= 0) this.#close(index);
  }

  /** Closes an open element and those in it, which must be such that their end tags may be left out. */
  #close(index: number): void {
    if (index < 0) unsure();
    for (let i = index + 1; i < this.#names.length; i++) if (!IMPLIED_END.has(this.#names[i]!)) unsure();
    this.#popTo(index);
  }

  /** The innermost open element of a name, unless one that bounds the scope stands before it; else -1. */
  #find(name: string, scope: ReadonlySet<string>): number {
    for (let i = this.#names.length - 1; i >= 0; i--) {
      const open = this.#names[i]!;
      if (open === name) return i;
      if (scope.has(open)) return -1;
    }
    return -1;
  }

  /** @returns whether the visitor wants to see what is in it */
  #push(tagName: string, attrs: Attribute[], namespaceURI: string = spec.NS.HTML, text = ''): boolean {
    if (++this.#elements > this.#maxElements || this.#open.length >= MAX_DEPTH) unsure();
    const childNodes = text === '' ? [] : [{ nodeName: '#text', value: text }];
    const element: Element = { tagName, namespaceURI, attrs, childNodes };
    this.#open.push(element);
    this.#names.push(tagName);
    const isSeen = this.#visitor.enter(element);
    // Of what the visitor passes over, only plain text is known how to be left out.
    if (!isSeen && !RAW_TEXT.has(tagName) && !RICH_TEXT.has(tagName)) unsure();
    return isSeen;
  }

  #pop(isSeen = true): void {
    this.#names.pop();
    const element = this.#open.pop();
    if (element && isSeen) this.#visitor.leave(element);
  }

  #popTo(length: number): void {
    while (this.#open.length > length) this.#pop();
  }
}

/** What the end of a part of a table closes besides, unless it is closed already. */
const ROWS = ['tr', 'td', 'th'];
const CLOSED_BY: Readonly<Record<string, readonly string[]>> = {
  table: [...ROWS, 'tbody', 'thead', 'tfoot', 'caption', 'colgroup'],
  tbody: ROWS,
  thead: ROWS,
  tfoot: ROWS,
  tr: ['td', 'th'],
};
