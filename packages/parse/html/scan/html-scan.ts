import { decodeHTML } from 'entities';
import { closeForStart, endInBody } from './html-body-rules.js';
import {
  IN_SVG,
  kindAt,
  markedKind,
  MAY_BE_MARKED,
  MORE_THAN_OPENED,
  NEVER_SURE,
  ONLY_ONE,
  RAW_TEXT,
  RICH_TEXT,
  SELECT_PART,
  TABLE_PART,
  VOID,
  WITH_ATTRIBUTES,
  type ElementKind,
} from './html-elements.js';
import { HeadRules } from './html-head-rules.js';
import { OpenElements, Unsure, unsure } from './html-stack.js';
import { openInSelect } from './html-table-rules.js';
import { isAt, isLetter, isMarkup, isSpace, markupEnd, nameEnd, nextMarkup, rawTextEnd } from './html-tags.js';
import { TagReader } from './tag-reader.js';
import type { PageBody } from '../page-body.js';

const [AMPERSAND, BANG, SLASH, LESS, GREATER, BRACKET] = [0x26, 0x21, 0x2f, 0x3c, 0x3e, 0x5b];
const DOCTYPE = Buffer.from('<!doctype');
const HAS_TEXT = /[^\t\n\f\r ]/;

/**
 * Reads a page into a body, with the same result as `readTree`. It builds no tree, but reads the bytes in one pass, in a fraction of the
 * time. Only bytes that the body stores become text.
 *
 * The scanner has the rules of tree construction (HTML Standard, 13.2.6) for correct pages: elements are closed in order, and some end
 * tags may be left out. If a page breaks the rules, the Standard may move, add or drop elements. Then the scanner gives up, and the page
 * must be read from its tree. Examples are misnested formatting, text between the cells of a table, foreign content and a stray end tag.
 * So the scanner may give up, but its result is never wrong.
 * @param bytes valid UTF-8 without a byte order mark
 * @param maxElements maximum number of elements; with more, the scanner gives up
 * @returns false if the scanner gave up; then the body must be discarded
 */
export function scanHtml(bytes: Buffer, body: PageBody, maxElements: number): boolean {
  // The effect of a NUL depends on its position, so the scanner gives up.
  if (bytes.includes(0)) return false;
  try {
    new HtmlScanner(bytes, body, maxElements).run();
    return true;
  } catch (error) {
    if (error instanceof Unsure) return false;
    throw error;
  }
}

class HtmlScanner {
  readonly #bytes: Buffer;
  readonly #body: PageBody;
  readonly #open: OpenElements;
  readonly #tag: TagReader;
  readonly #head: HeadRules;
  #at = 0;

  constructor(bytes: Buffer, body: PageBody, maxElements: number) {
    this.#bytes = bytes;
    this.#body = body;
    this.#open = new OpenElements(body, maxElements);
    this.#tag = new TagReader(bytes);
    this.#head = new HeadRules(this.#open);
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
    this.#head.openBody();
    this.#open.popTo(0);
  }

  get #topRules(): number {
    return this.#open.top?.rules ?? 0;
  }

  #skipMarkup(mark: number): void {
    const bytes = this.#bytes;
    // Inside an SVG drawing, a CDATA section is text.
    if (this.#open.isForeign && bytes[mark + 1] === BANG && bytes[mark + 2] === BRACKET) unsure();
    this.#at = markupEnd(bytes, mark);
    // A doctype is used only before everything else.
    const head = this.#head;
    if (head.isAtStart && isAt(DOCTYPE, bytes, mark)) head.doctype ??= bytes.toString('utf8', mark, this.#at);
  }

  #characters(): void {
    const bytes = this.#bytes;
    if (!this.#head.isOver) {
      if (!hasText(bytes, this.#at)) {
        this.#at = nextMarkup(bytes, this.#at);
        return;
      }
      this.#head.openBody();
    } else if ((this.#topRules & TABLE_PART) !== 0 && hasText(bytes, this.#at)) {
      unsure();
    }
    for (;;) {
      this.#at = this.#body.rawCharacters(bytes, this.#at, bytes.length);
      if (this.#at === bytes.length || isMarkup(bytes, this.#at)) return;
      this.#body.characters('<');
      this.#at++;
    }
  }

  #startTag(at: number): void {
    const bytes = this.#bytes;
    const end = nameEnd(bytes, at);
    const named = kindAt(bytes, at, end);
    this.#at = (named.rules & WITH_ATTRIBUTES) === 0 ? this.#tag.skip(end) : this.#tag.read(end, true);
    // A tag that the end of the page cuts off is ignored.
    if (this.#at > bytes.length) return;
    const kind = kindByMarks(named, this.#tag, end);
    if ((kind.rules & NEVER_SURE) !== 0) unsure();
    if (this.#open.isForeign) this.#startInSvg(kind);
    else if ((this.#topRules & SELECT_PART) !== 0) openInSelect(this.#open, kind);
    else if (this.#head.isOver) this.#startInBody(kind);
    else this.#startInHead(kind);
  }

  /** Handles a start tag in an SVG drawing. The scanner knows plain shapes and texts, and gives up at most other elements. */
  #startInSvg(kind: ElementKind): void {
    if ((kind.rules & IN_SVG) === 0) unsure();
    this.#open.pushForeign(kind);
    if (this.#tag.closesItself) this.#open.pop();
  }

  #startInHead(kind: ElementKind): void {
    const next = this.#head.startTag(kind, this.#tag);
    if (next === 'insert') this.#insert(kind);
    else if (next === 'inBody') this.#startInBody(kind);
  }

  #startInBody(kind: ElementKind): void {
    if (((kind.rules & MORE_THAN_OPENED) | (this.#topRules & TABLE_PART)) === 0) {
      this.#open.push(kind, this.#tag);
      return;
    }
    closeForStart(this.#open, kind, this.#head.doctype);
    if (kind.name === 'svg') this.#startInSvg(kind);
    else this.#insert(kind);
  }

  /** Creates an element. If the content of the element is only text, this text is read too. Otherwise the element stays open. */
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
    // A comment in a script may contain the tags of other scripts.
    if (kind.name === 'script' && holdsScript(bytes.subarray(start, end))) unsure();
    this.#tag.textStart = start;
    this.#tag.textEnd = end;
    if (this.#open.push(kind, this.#tag)) {
      if ((kind.rules & RICH_TEXT) !== 0) addRichText(this.#body, bytes, start, end);
      else if (end > start) this.#body.characters(bytes.toString('utf8', start, end));
      this.#open.pop();
    }
    this.#at = end < bytes.length ? this.#tag.skip(nameEnd(bytes, end + 2)) : end;
  }

  #endTag(at: number): void {
    const bytes = this.#bytes;
    const { top } = this.#open;
    // Nearly all end tags belong to the innermost element.
    if (this.#head.isOver && top && (top.rules & ONLY_ONE) === 0) {
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
    if (this.#head.isOver) endInBody(this.#open, kind);
    else this.#head.endTag(kind);
  }
}

/** Returns the kind of the element of a tag, by its name and attributes. Sets the name of the tag reader. */
function kindByMarks(named: ElementKind, tag: TagReader, nameEnd: number): ElementKind {
  tag.tagName = named.name;
  if ((named.rules & MAY_BE_MARKED) === 0 || !tag.mayBeMarked) return named;
  tag.read(nameEnd, true);
  return markedKind(named, tag);
}

/** Whether there is text other than white space before the next markup. */
function hasText(bytes: Buffer, start: number): boolean {
  let at = start;
  while (at < bytes.length && isSpace(bytes[at]!)) at++;
  if (at === bytes.length || (bytes[at] === LESS && isMarkup(bytes, at))) return false;
  return bytes[at] !== AMPERSAND || HAS_TEXT.test(decodeHTML(bytes.toString('utf8', at, nextMarkup(bytes, at))));
}

/** Adds text that has character references, but no tags. */
function addRichText(body: PageBody, bytes: Buffer, start: number, end: number): void {
  for (let at = start; at < end; at++) {
    at = body.rawCharacters(bytes, at, end);
    if (at < end) body.characters('<');
  }
}

function holdsScript(raw: Buffer): boolean {
  return raw.includes('<!--') && /<script/i.test(raw.toString('latin1'));
}
