import { decodeHTML } from 'entities';
import {
  BLOCK_END,
  BUTTON_SCOPE,
  CLOSES_P,
  HEADING,
  IN_HEAD,
  IN_SVG,
  ITEM,
  kindAt,
  kindOf,
  LIST_SCOPE,
  MORE_THAN_OPENED,
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
import { isAt, isLetter, isMarkup, isSpace, markupEnd, nameEnd, nextMarkup, rawTextEnd } from './html-tags.js';
import { TagReader } from './tag-reader.js';
import type { PageBody } from '../page-body.js';

const [AMPERSAND, BANG, SLASH, LESS, GREATER, BRACKET] = [0x26, 0x21, 0x2f, 0x3c, 0x3e, 0x5b];
const DOCTYPE = Buffer.from('<!doctype');
const HAS_TEXT = /[^\t\n\f\r ]/;

/**
 * Shows a page to a body as `walkTree` would show its tree, without making one, at a fraction of the cost: in one pass over its
 * bytes, of which only what the body keeps becomes text.
 *
 * It knows the rules of tree construction (HTML Standard, 13.2.6) as far as pages keep to them: elements closed in
 * order, and end tags that may be left out. Where a page breaks them so that anything may be moved, added or dropped
 * (misnested formatting, text between the cells of a table, foreign content, a stray end tag) it gives up, and the page
 * is to be read from its tree. So it may be of no help, but is never wrong.
 * @param bytes valid UTF-8 without a byte order mark
 * @param maxElements elements up to which it goes on
 * @returns false when it gave up; what the body has seen is then worth nothing
 */
export function scanHtml(bytes: Buffer, body: PageBody, maxElements: number): boolean {
  // What becomes of a NUL depends on where it is.
  if (bytes.includes(0)) return false;
  try {
    new HtmlScanner(bytes, body, maxElements).run();
    return true;
  } catch (error) {
    if (error instanceof Unsure) return false;
    throw error;
  }
}

/** How far the page has come. */
type Phase = 'start' | 'beforeHead' | 'head' | 'afterHead' | 'body';

const [HTML, HEAD, BODY, P] = [kindOf('html'), kindOf('head'), kindOf('body'), kindOf('p')];

class HtmlScanner {
  readonly #bytes: Buffer;
  readonly #body: PageBody;
  readonly #open: OpenElements;
  readonly #tag: TagReader;
  #phase: Phase = 'start';
  #doctype: string | undefined;
  #at = 0;

  constructor(bytes: Buffer, body: PageBody, maxElements: number) {
    this.#bytes = bytes;
    this.#body = body;
    this.#open = new OpenElements(body, maxElements);
    this.#tag = new TagReader(bytes);
  }

  run(): void {
    const bytes = this.#bytes;
    const { length } = bytes;
    while (this.#at < length) {
      const at = this.#at;
      if (bytes[at] !== LESS) this.#characters();
      else if (isLetter(bytes[at + 1])) this.#startTag(at + 1);
      else if (bytes[at + 1] === SLASH && isLetter(bytes[at + 2])) this.#endTag(at + 2);
      else if (isMarkup(bytes, at)) this.#skipMarkup(at);
      else this.#characters();
    }
    this.#openBody();
    this.#open.popTo(0);
  }

  /** The rules of the innermost open element. */
  get #topRules(): number {
    return this.#open.top?.rules ?? 0;
  }

  #skipMarkup(mark: number): void {
    const bytes = this.#bytes;
    // Within a drawing it may be text.
    if (this.#open.isForeign && bytes[mark + 1] === BANG && bytes[mark + 2] === BRACKET) unsure();
    this.#at = markupEnd(bytes, mark);
    // Only before all else does it count.
    if (this.#phase === 'start' && isAt(DOCTYPE, bytes, mark)) this.#doctype ??= bytes.toString('utf8', mark, this.#at);
  }

  /** Text up to the next markup. */
  #characters(): void {
    const bytes = this.#bytes;
    const { length } = bytes;
    if (this.#phase !== 'body') {
      if (!this.#hasText()) {
        this.#at = nextMarkup(bytes, this.#at);
        return;
      }
      this.#openBody();
    } else if ((this.#topRules & TABLE_PART) !== 0 && this.#hasText()) {
      unsure();
    }
    for (;;) {
      this.#at = this.#body.rawCharacters(bytes, this.#at, length);
      if (this.#at === length || isMarkup(bytes, this.#at)) return;
      this.#body.characters('<');
      this.#at++;
    }
  }

  /** Whether there is more than white space up to the next markup. */
  #hasText(): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < bytes.length && isSpace(bytes[at]!)) at++;
    if (at === bytes.length || (bytes[at] === LESS && isMarkup(bytes, at))) return false;
    return bytes[at] !== AMPERSAND || HAS_TEXT.test(decodeHTML(bytes.toString('utf8', at, nextMarkup(bytes, at))));
  }

  #startTag(at: number): void {
    const bytes = this.#bytes;
    const end = nameEnd(bytes, at);
    const kind = kindAt(bytes, at, end);
    this.#at = (kind.rules & WITH_ATTRIBUTES) === 0 ? this.#tag.skip(end) : this.#tag.read(end, true);
    // A tag that the page ends in is none.
    if (this.#at > bytes.length) return;
    this.#tag.tagName = kind.name;
    if ((kind.rules & NEVER_SURE) !== 0) unsure();
    if (this.#open.isForeign) this.#startInSvg(kind);
    else if ((this.#topRules & SELECT_PART) !== 0) openInSelect(this.#open, kind);
    else if (this.#phase === 'body') this.#startInBody(kind);
    else this.#startInHead(kind);
  }

  /** Plain shapes and texts; most other elements end the drawing or hold HTML. */
  #startInSvg(kind: ElementKind): void {
    if ((kind.rules & IN_SVG) === 0) unsure();
    this.#open.pushForeign(kind);
    if (this.#tag.closesItself) this.#open.pop();
  }

  #startInHead(kind: ElementKind): void {
    const { name, rules } = kind;
    if (name === 'html') {
      if (this.#phase !== 'start') unsure();
      this.#open.push(kind, this.#tag);
      this.#phase = 'beforeHead';
    } else if (name === 'head') {
      if (this.#phase !== 'start' && this.#phase !== 'beforeHead') unsure();
      this.#openHead();
    } else if ((rules & IN_HEAD) !== 0) {
      // After the head they would be put back into it.
      if (this.#phase === 'afterHead') unsure();
      this.#openHead();
      this.#insert(kind);
    } else {
      // Within the head, only some elements may be in it.
      if (name === 'noscript' && this.#phase !== 'afterHead') unsure();
      this.#openBody();
      if (name !== 'body') this.#startInBody(kind);
    }
  }

  #openHead(): void {
    if (this.#phase === 'start') this.#open.pushBare(HTML);
    if (this.#phase !== 'head') this.#open.pushBare(HEAD);
    this.#phase = 'head';
  }

  #openBody(): void {
    if (this.#phase === 'body') return;
    if (this.#phase !== 'afterHead') {
      this.#openHead();
      this.#open.pop();
    }
    this.#open.pushBare(BODY);
    this.#phase = 'body';
  }

  #startInBody(kind: ElementKind): void {
    const { name, rules } = kind;
    const open = this.#open;
    if (((rules & MORE_THAN_OPENED) | (this.#topRules & TABLE_PART)) === 0) {
      open.push(kind, this.#tag);
      return;
    }
    if ((rules & ONLY_ONE) !== 0) unsure();
    if ((rules & TABLE_TAG) !== 0) {
      openTablePart(open, name);
      return this.#insert(kind);
    }
    if ((this.#topRules & TABLE_PART) !== 0) {
      if (open.top?.name === 'colgroup' || (name !== 'script' && name !== 'style')) unsure();
    }
    if ((rules & ITEM) !== 0) open.closeItem(kind);
    if ((rules & CLOSES_P) !== 0) {
      const p = open.find(P, BUTTON_SCOPE);
      // A table may be in a paragraph where there is no doctype, or an old one.
      if (p >= 0 && name === 'table' && !/^<!doctype html>$/i.test(this.#doctype ?? '')) unsure();
      if (p >= 0) open.close(p);
    }
    if ((rules & this.#topRules & HEADING) !== 0) unsure();
    if ((rules & NOT_NESTED) !== 0 && open.find(kind) >= 0) unsure();
    if (name === 'option' || name === 'optgroup') unsure();
    if (name === 'svg') this.#startInSvg(kind);
    else this.#insert(kind);
  }

  /** Makes an element, with its text where no tags count in that, and leaves it open where it is to be filled. */
  #insert(kind: ElementKind): void {
    if ((kind.rules & (RAW_TEXT | RICH_TEXT)) !== 0) {
      this.#insertWithText(kind);
    } else {
      this.#open.push(kind, this.#tag);
      if ((kind.rules & VOID) !== 0) this.#open.pop();
    }
  }

  #insertWithText(kind: ElementKind): void {
    const bytes = this.#bytes;
    const start = this.#at;
    const end = rawTextEnd(bytes, kind.bytes, start);
    // Within a comment a script may hold scripts.
    if (kind.name === 'script' && holdsScript(bytes.subarray(start, end))) unsure();
    this.#tag.textStart = start;
    this.#tag.textEnd = end;
    if (this.#open.push(kind, this.#tag)) {
      if ((kind.rules & RICH_TEXT) !== 0) this.#richText(start, end);
      else if (end > start) this.#body.characters(bytes.toString('utf8', start, end));
      this.#open.pop();
    }
    this.#at = end < bytes.length ? this.#tag.skip(nameEnd(bytes, end + 2)) : end;
  }

  /** Text in which nothing counts but references to characters. */
  #richText(start: number, end: number): void {
    for (let at = start; at < end; at++) {
      at = this.#body.rawCharacters(this.#bytes, at, end);
      if (at < end) this.#body.characters('<');
    }
  }

  #endTag(at: number): void {
    const bytes = this.#bytes;
    const { top } = this.#open;
    // Nearly all end tags are of the innermost element.
    if (this.#phase === 'body' && top && (top.rules & ONLY_ONE) === 0) {
      const end = at + top.bytes.length;
      if (bytes[end] === GREATER && isAt(top.bytes, bytes, at)) {
        this.#at = end + 1;
        this.#open.pop();
        return;
      }
    }
    const end = nameEnd(bytes, at);
    const kind = kindAt(bytes, at, end);
    this.#at = this.#tag.skip(end);
    if (this.#at > bytes.length) return;
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
    if (name === 'table' || (rules & TABLE_TAG) !== 0) closeTablePart(open, kind);
    else if ((this.#topRules & TABLE_PART) !== 0) unsure();
    else if ((this.#topRules & SELECT_PART) !== 0) closeInSelect(open, kind);
    else if (name === 'p') this.#endParagraph(kind);
    else if (name === 'li') open.close(open.find(kind, LIST_SCOPE));
    else if ((rules & HEADING) !== 0) open.close(open.findLast(HEADING));
    else if ((rules & BLOCK_END) !== 0) open.close(open.find(kind, SCOPE));
    else if (open.top?.name === name) open.pop();
    else unsure();
  }

  /** Where none is open, an empty one is made. */
  #endParagraph(kind: ElementKind): void {
    const open = this.#open;
    const index = open.find(kind, BUTTON_SCOPE);
    if (index >= 0) return open.close(index);
    if (open.isForeign) unsure();
    open.pushBare(kind);
    open.pop();
  }
}

function holdsScript(raw: Buffer): boolean {
  return raw.includes('<!--') && /<script/i.test(raw.toString('latin1'));
}
