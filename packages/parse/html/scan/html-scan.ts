import { decodeHTML } from 'entities';
import { html as spec } from 'parse5';
import {
  BLOCK_END,
  BUTTON_SCOPE,
  CLOSES_P,
  HEADING,
  IN_HEAD,
  IN_SVG,
  ITEM,
  kindOf,
  LIST_SCOPE,
  NEVER_SURE,
  NOT_NESTED,
  ONLY_ONE,
  RAW_TEXT,
  RICH_TEXT,
  SCOPE,
  SELECT_PART,
  TABLE_PART,
  TABLE_TAG,
  VOID,
  WITH_ATTRIBUTES,
  type ElementKind,
} from './html-elements.js';
import { OpenElements, Unsure, unsure } from './html-stack.js';
import { closeInSelect, closeTablePart, openInSelect, openTablePart } from './html-table-rules.js';
import {
  isLetter,
  markupEnd,
  nameEnd,
  nextMarkup,
  rawTextEnd,
  readAttributes,
  tagEndsAt,
  type Attribute,
} from './html-tags.js';
import type { TreeVisitor } from '../html-tree.js';

const HAS_TEXT = /[^\t\n\f\r ]/;
/** A tag, from its name on, with no value that is not quoted. */
const QUOTED_VALUES = /^[^\s"'>/=]+(?:\s+[^\s"'>/=]+(?:="[^"]*"|='[^']*')?)*\s*$/;

/**
 * Shows a page to a visitor as `walkTree` would show its tree, without making one, at a fraction of the cost. Of
 * attributes it shows those that {@link readAttributes} keeps, and elements that have none may be one object.
 *
 * It knows the rules of tree construction (HTML Standard, 13.2.6) as far as pages keep to them: elements closed in
 * order, and end tags that may be left out. Where a page breaks them so that anything may be moved, added or dropped
 * (misnested formatting, text between the cells of a table, foreign content, a stray end tag) it gives up, and the page
 * is to be read from its tree. So it may be of no help, but is never wrong.
 * @param maxElements elements up to which it goes on
 * @returns false when it gave up; what the visitor has seen is then worth nothing
 */
export function scanHtml(text: string, visitor: TreeVisitor, maxElements: number): boolean {
  // What becomes of a NUL depends on where it is.
  if (text.includes('\0')) return false;
  try {
    new HtmlScanner(text, visitor, maxElements).run();
    return true;
  } catch (error) {
    if (error instanceof Unsure) return false;
    throw error;
  }
}

/** How far the page has come. */
type Phase = 'start' | 'beforeHead' | 'head' | 'afterHead' | 'body';

class HtmlScanner {
  readonly #text: string;
  readonly #visitor: TreeVisitor;
  readonly #open: OpenElements;
  #phase: Phase = 'start';
  #doctype: string | undefined;
  #at = 0;
  /** The next `&`; behind this place it is not looked for yet. */
  #reference = -1;

  constructor(text: string, visitor: TreeVisitor, maxElements: number) {
    this.#text = text;
    this.#visitor = visitor;
    this.#open = new OpenElements(visitor, maxElements);
  }

  run(): void {
    const text = this.#text;
    while (this.#at < text.length) {
      const mark = nextMarkup(text, this.#at);
      if (mark > this.#at) this.#characters(this.#at, mark);
      if (mark === text.length) break;
      if (isLetter(text.charCodeAt(mark + 1))) this.#startTag(mark + 1);
      else if (isLetter(text.charCodeAt(mark + 2)) && text[mark + 1] === '/') this.#endTag(mark + 2);
      else this.#skipMarkup(mark);
    }
    this.#openBody();
    this.#open.popTo(0);
  }

  /** The rules of the innermost open element. */
  get #topRules(): number {
    return this.#open.top?.rules ?? 0;
  }

  #skipMarkup(mark: number): void {
    // Within a drawing it may be text.
    if (this.#open.isForeign && this.#text.startsWith('<![', mark)) unsure();
    this.#at = markupEnd(this.#text, mark);
    if (/^<!doctype/i.test(this.#text.slice(mark, mark + 9))) this.#doctype ??= this.#text.slice(mark, this.#at);
  }

  #characters(from: number, to: number): void {
    const raw = this.#text.slice(from, to);
    const value = this.#hasReference(from, to) ? decodeHTML(raw) : raw;
    if (this.#phase !== 'body') {
      if (!HAS_TEXT.test(value)) return;
      this.#openBody();
    } else if ((this.#topRules & TABLE_PART) !== 0 && HAS_TEXT.test(value)) {
      unsure();
    }
    this.#visitor.characters(value);
  }

  /** Whether a piece holds a `&`. */
  #hasReference(from: number, to: number): boolean {
    if (this.#reference < from) {
      const next = this.#text.indexOf('&', from);
      this.#reference = next < 0 ? this.#text.length : next;
    }
    return this.#reference < to;
  }

  #startTag(at: number): void {
    const text = this.#text;
    const end = nameEnd(text, at);
    const kind = kindOf(text.slice(at, end));
    const attrs: Attribute[] | undefined = (kind.rules & WITH_ATTRIBUTES) !== 0 ? [] : undefined;
    this.#at = readAttributes(this.#text, end, attrs);
    // A tag that the text ends in is none.
    if (this.#at > text.length) return;
    if ((kind.rules & NEVER_SURE) !== 0) unsure();
    if (this.#open.isForeign) this.#startInSvg(kind, at);
    else if ((this.#topRules & SELECT_PART) !== 0) openInSelect(this.#open, kind);
    else if (this.#phase === 'body') this.#startInBody(kind, attrs, at);
    else this.#startInHead(kind, attrs, at);
  }

  /** Plain shapes and texts; most other elements end the drawing or hold HTML. */
  #startInSvg(kind: ElementKind, at: number): void {
    if ((kind.rules & IN_SVG) === 0) unsure();
    const closesItself = this.#text.startsWith('/>', this.#at - 2);
    // The slash may belong to a value that has no quotes.
    if (closesItself && !QUOTED_VALUES.test(this.#text.slice(at, this.#at - 2))) unsure();
    this.#open.push(kind, { ...kind.bare, namespaceURI: spec.NS.SVG });
    if (closesItself) this.#open.pop();
  }

  #startInHead(kind: ElementKind, attrs: Attribute[] | undefined, at: number): void {
    const { name, rules } = kind;
    if (name === 'html') {
      if (this.#phase !== 'start') unsure();
      this.#push(kind, attrs);
      this.#phase = 'beforeHead';
    } else if (name === 'head') {
      if (this.#phase !== 'start' && this.#phase !== 'beforeHead') unsure();
      this.#openHead();
    } else if ((rules & IN_HEAD) !== 0) {
      // After the head they would be put back into it.
      if (this.#phase === 'afterHead') unsure();
      this.#openHead();
      this.#insert(kind, attrs);
    } else {
      // Within the head, only some elements may be in it.
      if (name === 'noscript' && this.#phase !== 'afterHead') unsure();
      this.#openBody();
      if (name !== 'body') this.#startInBody(kind, attrs, at);
    }
  }

  #openHead(): void {
    if (this.#phase === 'start') this.#open.push(kindOf('html'));
    if (this.#phase !== 'head') this.#open.push(kindOf('head'));
    this.#phase = 'head';
  }

  #openBody(): void {
    if (this.#phase === 'body') return;
    if (this.#phase !== 'afterHead') {
      this.#openHead();
      this.#open.pop();
    }
    this.#open.push(kindOf('body'));
    this.#phase = 'body';
  }

  #startInBody(kind: ElementKind, attrs: Attribute[] | undefined, at: number): void {
    const { name, rules } = kind;
    const open = this.#open;
    if ((rules & ONLY_ONE) !== 0) unsure();
    if ((rules & TABLE_TAG) !== 0) {
      openTablePart(open, name);
      return this.#insert(kind, attrs);
    }
    if ((this.#topRules & TABLE_PART) !== 0) {
      if (open.top?.name === 'colgroup' || (name !== 'script' && name !== 'style')) unsure();
    }
    if ((rules & ITEM) !== 0) open.closeItem(name);
    if ((rules & CLOSES_P) !== 0) {
      const p = open.find('p', BUTTON_SCOPE);
      // A table may be in a paragraph where there is no doctype, or an old one.
      if (p >= 0 && name === 'table' && !/^<!doctype html>$/i.test(this.#doctype ?? '')) unsure();
      if (p >= 0) open.close(p);
    }
    if ((rules & this.#topRules & HEADING) !== 0) unsure();
    if ((rules & NOT_NESTED) !== 0 && open.find(name) >= 0) unsure();
    if (name === 'option' || name === 'optgroup') unsure();
    if (name === 'svg') this.#startInSvg(kind, at);
    else this.#insert(kind, attrs);
  }

  /** Makes an element, with its text where no tags count in that, and leaves it open where it is to be filled. */
  #insert(kind: ElementKind, attrs: Attribute[] | undefined): void {
    if ((kind.rules & (RAW_TEXT | RICH_TEXT)) !== 0) {
      this.#insertWithText(kind, attrs ?? []);
    } else {
      this.#push(kind, attrs);
      if ((kind.rules & VOID) !== 0) this.#open.pop();
    }
  }

  #push(kind: ElementKind, attrs: Attribute[] | undefined): void {
    this.#open.push(kind, attrs && { ...kind.bare, attrs });
  }

  #insertWithText(kind: ElementKind, attrs: Attribute[]): void {
    const end = rawTextEnd(this.#text, kind.name, this.#at);
    const raw = this.#text.slice(this.#at, end);
    // Within a comment a script may hold scripts.
    if (kind.name === 'script' && raw.includes('<!--') && /<script/i.test(raw)) unsure();
    this.#at = end < this.#text.length ? readAttributes(this.#text, nameEnd(this.#text, end + 2)) : end;
    const value = (kind.rules & RICH_TEXT) !== 0 && raw.includes('&') ? decodeHTML(raw) : raw;
    const childNodes = value === '' ? [] : [{ nodeName: '#text', value }];
    const isSeen = this.#open.push(kind, { ...kind.bare, attrs, childNodes });
    if (isSeen && value !== '') this.#visitor.characters(value);
    this.#open.pop(isSeen);
  }

  #endTag(at: number): void {
    const { top } = this.#open;
    // Nearly all end tags are of the innermost element.
    if (this.#phase === 'body' && top && (top.rules & ONLY_ONE) === 0 && tagEndsAt(this.#text, top.name, at)) {
      this.#at = at + top.name.length + 1;
      this.#open.pop();
      return;
    }
    const end = nameEnd(this.#text, at);
    const kind = kindOf(this.#text.slice(at, end));
    this.#at = readAttributes(this.#text, end);
    if (this.#at > this.#text.length) return;
    if (this.#phase === 'body') return this.#endInBody(kind);
    if (kind.name !== 'head' || this.#phase !== 'head') unsure();
    this.#open.pop();
    this.#phase = 'afterHead';
  }

  #endInBody(kind: ElementKind): void {
    const { name, rules } = kind;
    const open = this.#open;
    // What comes after them belongs to the body all the same.
    if (name === 'body' || name === 'html') return;
    if (name === 'table' || (rules & TABLE_TAG) !== 0) closeTablePart(open, name);
    else if ((this.#topRules & TABLE_PART) !== 0) unsure();
    else if ((this.#topRules & SELECT_PART) !== 0) closeInSelect(open, kind);
    else if (name === 'p') this.#endParagraph(kind);
    else if (name === 'li') open.close(open.find(name, LIST_SCOPE));
    else if ((rules & HEADING) !== 0) open.close(open.findLast((each) => (each.rules & HEADING) !== 0));
    else if ((rules & BLOCK_END) !== 0) open.close(open.find(name, SCOPE));
    else if (open.top?.name === name) open.pop();
    else unsure();
  }

  /** Where none is open, an empty one is made. */
  #endParagraph(kind: ElementKind): void {
    const open = this.#open;
    const index = open.find(kind.name, BUTTON_SCOPE);
    if (index >= 0) return open.close(index);
    if (open.isForeign) unsure();
    open.push(kind);
    open.pop();
  }
}
