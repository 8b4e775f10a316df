import { decodeHTML } from 'entities';
import { PageHead } from '../../../packages/parse/html/page-head.js';
import { MAX_ELEMENTS, MAX_TITLE_LENGTH } from '../../../packages/parse/shared/limits.js';
import { RobotsReader } from '../../../packages/parse/shared/robots-directives.js';
import { ByteText } from './byte-text.js';
import * as elements from '../../../packages/parse/html/scan/html-elements.js';
import { isNamed, tagOf, type Tag } from './byte-tags.js';
import { isSpace, TagReader } from './tag-reader.js';

/** Takes the links of a page as they are met, before it is known whether they count. */
export interface LinkSink {
  /** @param reference without fragment. @returns by what {@link setAnchor} names it; -1 where its anchor is known */
  link(reference: string): number;
  setAnchor(link: number, anchor: string): void;
}

const [BANG, AMPERSAND, MINUS, SLASH, SEMICOLON] = [0x21, 0x26, 0x2d, 0x2f, 0x3b];
const [LESS, GREATER, QUESTION] = [0x3c, 0x3e, 0x3f];
const MAX_DEPTH = 500;
const MAX_ANCHOR = 100;
/** Bytes of text beyond which a limit of characters may be met. */
const MAX_TEXT = 2 ** 20;
/** Bytes of a reference to a character that is looked for as it is. */
const REFERENCE = 12;
const references = new Map<string, string>();

/**
 * Takes title, text and links from the bytes of a page in UTF-8 in one pass, without making strings but of links. It goes on as
 * long as elements are closed in order, but for end tags that may be left out, and gives up on all else; the scanner of strings
 * and the tree are its oracles. Of what a page says of itself it reads `meta`, `base`, `link` and `html`, as they do.
 */
export class ByteScan {
  readonly text = new ByteText(2 ** 20);
  robots: RobotsReader;
  head: PageHead;
  title = '';
  readonly #agent: string;
  #bytes: Buffer = Buffer.alloc(0);
  #sink: LinkSink;
  readonly #open: Tag[] = [];
  readonly #tag = new TagReader();
  #elements = 0;
  #isInBody = false;
  /** Open elements of these names. */
  #paragraphs = 0;
  #links = 0;
  #forms = 0;
  #buttons = 0;
  #afterLink = false;
  /** The link that is open, or -1 where its text is not wanted; where its text begins; what its images say. */
  #link = -1;
  #linkStart = 0;
  #linkAlt = '';
  #seenLink = false;
  #hasTitle = false;

  constructor(agent: string, sink: LinkSink) {
    this.#agent = agent;
    this.#sink = sink;
    this.robots = new RobotsReader(agent, undefined);
    this.head = new PageHead(this.robots);
  }

  /** @returns false when it gave up; what it has said is then worth nothing */
  scan(bytes: Buffer, robotsHeader: string | undefined): boolean {
    this.#bytes = bytes;
    this.text.clear();
    this.robots = new RobotsReader(this.#agent, robotsHeader);
    this.head = new PageHead(this.robots);
    this.title = '';
    this.#open.length = 0;
    this.#tag.bytes = bytes;
    this.#tag.at = this.#elements = 0;
    this.#paragraphs = this.#links = this.#forms = this.#buttons = 0;
    this.#isInBody = this.#afterLink = this.#seenLink = this.#hasTitle = false;
    this.#link = -1;
    return this.#run();
  }

  #run(): boolean {
    const bytes = this.#bytes;
    const { length } = bytes;
    while (this.#tag.at < length) {
      const mark = this.#characters(this.#tag.at, length);
      if (mark < 0) return false;
      if (mark === length) break;
      const next = bytes[mark + 1]!;
      if (isLetter(next)) {
        if (!this.#startTag(mark + 1)) return false;
      } else if (next === SLASH && isLetter(bytes[mark + 2]!)) {
        if (!this.#endTag(mark + 2)) return false;
      } else if (next === BANG || next === QUESTION) {
        if (!this.#skipMarkup(mark)) return false;
      } else return false;
    }
    // What is left open at the end is closed there.
    return this.#links === 0 && this.text.length < MAX_TEXT && this.head.refresh === undefined;
  }

  /** Reads text. @returns where the next markup begins; -1: it gives up */
  #characters(start: number, end: number): number {
    const bytes = this.#bytes;
    if (bytes[start] === LESS) return start;
    const top = this.#open[this.#open.length - 1];
    if (!this.#isInBody || (top !== undefined && top.level > 1 && top.name !== 'caption')) {
      let at = start;
      while (at < end && isSpace(bytes[at]!)) at++;
      const isBlank = at === end || bytes[at] === LESS;
      if (!isBlank && this.#isInBody) return -1;
      if (!isBlank) this.#isInBody = this.text.gap = true;
      else if (!this.#isInBody) return at;
    }
    this.#afterLink = false;
    return this.#addText(start, end);
  }

  /** Adds text up to the next `<`. @returns where that is */
  #addText(start: number, end: number): number {
    const bytes = this.#bytes;
    for (let from = start; ;) {
      const at = this.text.addUpToMark(bytes, from, end);
      if (at === end || bytes[at] === LESS) return at;
      let to = at + 1;
      while (to < end && !endsReference(bytes[to]!)) to++;
      if (to < end && bytes[to] === SEMICOLON) to++;
      const raw = bytes.toString('utf8', at, to);
      let value = references.get(raw);
      if (value === undefined) {
        value = decodeHTML(raw);
        if (raw.length <= REFERENCE && references.size < 1000) references.set(raw, value);
      }
      this.text.addText(value);
      from = to;
    }
  }

  #skipMarkup(mark: number): boolean {
    const bytes = this.#bytes;
    if (bytes[mark + 1] === BANG && bytes[mark + 2] === MINUS && bytes[mark + 3] === MINUS) {
      // An odd form of an end is for the oracle.
      if (bytes[mark + 4] === GREATER || bytes[mark + 4] === MINUS) return false;
      const end = bytes.indexOf('-->', mark + 4, 'latin1');
      if (end < 0) return false;
      const odd = bytes.indexOf('--!>', mark + 4, 'latin1');
      if (odd >= 0 && odd < end) return false;
      this.#tag.at = end + 3;
      return true;
    }
    const end = bytes.indexOf(GREATER, mark);
    this.#tag.at = end + 1;
    return end >= 0;
  }

  #startTag(start: number): boolean {
    const bytes = this.#bytes;
    const nameEnd = endOfName(bytes, start);
    const tag = tagOf(bytes, start, nameEnd);
    if (!tag || !this.#tag.read(nameEnd) || ++this.#elements > MAX_ELEMENTS) return false;
    const { rules, name } = tag;
    if (tag.isOfHead || name === 'head' || name === 'body') {
      if (!this.#readHeadTag(tag, start)) return false;
      if ((rules & elements.VOID) === 0) return true;
    } else if ((rules & elements.IN_HEAD) === 0) this.#isInBody = true;
    const top = this.#open[this.#open.length - 1];
    if ((rules & elements.TABLE_TAG) !== 0) {
      if (!this.#openTablePart(tag, top)) return false;
    } else if (top !== undefined && top.level > 1 && top.name !== 'caption' && !tag.isSilent) return false;
    if ((rules & elements.ITEM) !== 0 && !this.#closeItem(tag)) return false;
    if ((rules & elements.CLOSES_P) !== 0 && this.#paragraphs > 0) {
      // Whether a table may be in a paragraph depends on the doctype.
      if (name === 'table' || !this.#closeParagraph()) return false;
    }
    if ((rules & elements.HEADING) !== 0 && top !== undefined && (top.rules & elements.HEADING) !== 0) return false;
    if (tag.isBreaking) this.text.gap = true;
    if (name === 'title' || name === 'textarea' || tag.isSilent) return this.#textElement(tag);
    if (name === 'iframe') return false;
    if (name === 'svg') return this.#skipDrawing();
    if (name === 'a') {
      if (this.#links > 0) return false;
      if (this.#afterLink) this.text.gap = true;
      this.#openLink(start);
    } else if (name === 'area') this.#readArea(start);
    else if (name === 'img' && this.#links > 0 && this.#link >= 0) this.#readAlt(start);
    if ((rules & elements.VOID) !== 0) return true;
    return this.#push(tag);
  }

  #push(tag: Tag): boolean {
    const { name } = tag;
    if (name === 'p') this.#paragraphs++;
    else if (name === 'form' && this.#forms++ > 0) return false;
    else if (name === 'button' && this.#buttons++ > 0) return false;
    return this.#open.push(tag) < MAX_DEPTH;
  }

  #pop(): void {
    const tag = this.#open.pop()!;
    if (tag.isBreaking) this.text.gap = true;
    switch (tag.name) {
      case 'p':
        this.#paragraphs--;
        break;
      case 'form':
        this.#forms--;
        break;
      case 'button':
        this.#buttons--;
        break;
      case 'a':
        this.#closeLink();
    }
  }

  #endTag(start: number): boolean {
    const bytes = this.#bytes;
    const open = this.#open;
    const nameEnd = endOfName(bytes, start);
    const top = open[open.length - 1];
    if (top && top.bytes.length === nameEnd - start && bytes[nameEnd] === GREATER && isNamed(top, bytes, start)) {
      this.#tag.at = nameEnd + 1;
      this.#pop();
      return true;
    }
    const tag = tagOf(bytes, start, nameEnd);
    if (!tag || !this.#tag.read(nameEnd)) return false;
    const { name, rules } = tag;
    if (this.#isInBody === (name === 'head')) return false;
    if (name === 'head' || name === 'body' || name === 'html') {
      this.text.gap ||= name === 'head';
      return open.length === 0;
    }
    if (top === tag) {
      this.#pop();
      return true;
    }
    if (name === 'p' && this.#paragraphs === 0) {
      this.text.gap = true;
      return (top?.level ?? 0) <= 1;
    }
    const isBlock =
      (rules & (elements.BLOCK_END | elements.TABLE_TAG)) !== 0 || name === 'table' || name === 'p' || name === 'li';
    if (!isBlock) return false;
    for (let inner = top; inner && inner !== tag; inner = open[open.length - 1]) {
      const isClosed = (inner.rules & elements.IMPLIED_END) !== 0 || (inner.level > 0 && inner.level < tag.level);
      if (!isClosed) return false;
      this.#pop();
    }
    if (open.length === 0) return false;
    this.#pop();
    return true;
  }

  #openTablePart(tag: Tag, top: Tag | undefined): boolean {
    const { name } = tag;
    if (name === 'td' || name === 'th') return top?.name === 'tr';
    if (name === 'tr' && top?.name === 'table') {
      this.text.gap = true;
      return this.#push(TBODY);
    }
    if (name === 'tr') return top !== undefined && top.level === 3 && top.name.startsWith('t');
    if (name === 'col') return top?.name === 'colgroup';
    return top?.name === 'table';
  }

  #closeItem({ name }: Tag): boolean {
    const open = this.#open;
    for (let i = open.length - 1; i >= 0; i--) {
      const each = open[i]!;
      if (name === 'li' ? each.name === 'li' : each.name === 'dd' || each.name === 'dt') return this.#closeTo(i);
      if ((each.rules & elements.ENDS_ITEM_SEARCH) !== 0) return true;
    }
    return true;
  }

  /** Closes the paragraph that is open, unless something bounds the search for it. */
  #closeParagraph(): boolean {
    const open = this.#open;
    for (let i = open.length - 1; i >= 0; i--) {
      if (open[i]!.name === 'p') return this.#closeTo(i);
      if ((open[i]!.rules & elements.BUTTON_SCOPE) !== 0) return true;
    }
    return true;
  }

  #closeTo(index: number): boolean {
    const open = this.#open;
    for (let i = index + 1; i < open.length; i++) if ((open[i]!.rules & elements.IMPLIED_END) === 0) return false;
    while (open.length > index) this.#pop();
    return true;
  }

  /** `html`, `head`, `body`, `meta`, `base` and `link`. */
  #readHeadTag({ name, rules, isOfHead }: Tag, start: number): boolean {
    this.text.gap ||= (rules & elements.VOID) === 0;
    if ((rules & elements.VOID) === 0 && (this.#open.length > 0 || this.#isInBody)) return false;
    if (name === 'body') this.#isInBody = true;
    if (name === 'base' && this.#seenLink) return false;
    if (isOfHead)
      this.head.read({ tagName: name, namespaceURI: '', attrs: this.#tag.attributes(start), childNodes: [] }, false);
    return true;
  }

  /** An element in which nothing counts but its own end tag. */
  #textElement(tag: Tag): boolean {
    const bytes = this.#bytes;
    const start = this.#tag.at;
    let end = start;
    for (;;) {
      end = bytes.indexOf('</', end, 'latin1');
      if (end < 0) return false;
      const after = end + 2 + tag.bytes.length;
      const code = bytes[after]!;
      if ((code === GREATER || code === SLASH || isSpace(code)) && isNamed(tag, bytes, end + 2)) break;
      end += 2;
    }
    if (tag.name === 'script' && bytes.subarray(start, end).includes('<!--')) return false;
    if (!this.#tag.read(end + 2 + tag.bytes.length)) return false;
    if (tag.isSilent) return true;
    const from = this.text.length;
    if (end > start) this.#afterLink = false;
    // A `<` in it is text.
    for (let at = start; at < end;) {
      at = this.#addText(at, end);
      if (at < end) this.text.addText('<');
      at++;
    }
    if (tag.name === 'title' && !this.#hasTitle) {
      this.#hasTitle = true;
      this.title = this.text.from(from, MAX_TITLE_LENGTH);
    }
    this.text.gap = true;
    return true;
  }

  /** A drawing of shapes alone says nothing; one that may hold text or links is for the oracles. */
  #skipDrawing(): boolean {
    const bytes = this.#bytes;
    const end = bytes.indexOf('</svg>', this.#tag.at, 'latin1');
    if (end < 0 || bytes[this.#tag.at - 2] === SLASH) return false;
    const inner = bytes.toString('latin1', this.#tag.at, end);
    if (!SHAPES.test(inner)) return false;
    if (/^\s|>\s/.test(inner)) {
      this.#afterLink = false;
      this.text.gap = true;
    }
    this.#tag.at = end + 6;
    return true;
  }

  #openLink(start: number): void {
    this.#link = -1;
    this.#linkAlt = '';
    this.#linkStart = this.text.length;
    this.#links++;
    if (!this.#tag.hasHref || (this.#tag.hasRel && this.#tag.isNofollow(start))) return;
    this.#seenLink = true;
    this.#link = this.#sink.link(this.#tag.href());
  }

  #closeLink(): void {
    this.#links--;
    this.#afterLink = true;
    if (this.#link < 0) return;
    const anchor = this.text.from(this.#linkStart, MAX_ANCHOR) || collapsed(this.#linkAlt);
    if (anchor !== '') this.#sink.setAnchor(this.#link, anchor);
    this.#link = -1;
  }

  #readArea(start: number): void {
    if (!this.#tag.hasHref || (this.#tag.hasRel && this.#tag.isNofollow(start))) return;
    const reference = this.#tag.href();
    this.#seenLink = true;
    const link = this.#sink.link(reference);
    const alt = this.#tag.attributes(start).find(({ name }) => name === 'alt')?.value ?? '';
    if (link >= 0 && alt !== '') this.#sink.setAnchor(link, collapsed(alt));
  }

  #readAlt(start: number): void {
    const alt = this.#tag.attributes(start).find(({ name }) => name === 'alt')?.value ?? '';
    this.#linkAlt += ` ${collapsed(alt)}`;
  }
}

/** White space, and tags of shapes with no value that holds a `>`. */
const SHAPES = /^(?:[\t\n\f\r ]|<\/?(?:circle|defs|ellipse|g|line|path|polygon|polyline|rect|stop)(?:[\s/][^<>]*)?>)*$/;
const TBODY = tagOf(Buffer.from('tbody'), 0, 5)!;

function collapsed(text: string): string {
  if (text === '') return '';
  const builder = new ByteText(1024);
  builder.addText(text);
  return builder.from(0, MAX_ANCHOR);
}

function endsReference(byte: number): boolean {
  return byte === SEMICOLON || byte === AMPERSAND || byte === LESS || isSpace(byte);
}

function isLetter(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
}

function endOfName(bytes: Uint8Array, start: number): number {
  let end = start + 1;
  for (; end < bytes.length; end++) {
    const byte = bytes[end]!;
    if (byte === GREATER || byte === SLASH || isSpace(byte)) break;
  }
  return end;
}
