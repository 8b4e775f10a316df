import type { LinkCollector } from '../shared/link-collector.js';
import { MAX_HEADING_LENGTH, MAX_HEADINGS, MAX_TITLE_LENGTH } from '../shared/limits.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { roleOf, type PageElement, type Role } from './page-element.js';
import type { PageHead } from './head/page-head.js';
import { PageLinks } from './links/page-links.js';
import { isPermalink, MAX_PERMALINK_BYTES } from './permalink.js';
import { PageText, goOn, interrupt, textOf, type Stretch, type TextMemory } from './page-text.js';
import { Prose } from './text/prose.js';
import type { TextRange } from '../../../webtable/index.js';
import { addStretch, noStretches, withoutStretches, type Stretches } from './text/stretches.js';

type BlockRole = Pick<Role, 'isBreaking' | 'endsRun' | 'place' | 'isHeading'>;
/** Notes are treated like an `aside`. */
const NOTES = roleOf('aside')!;
const NO_DEPTH = 0;

type ReadSrcdoc = (srcdoc: string, into: PageBody) => void;

/**
 * Collects title, text and links of a page while its elements open and close. It passes elements with data about the page to the head.
 * Elements without a role must not be passed to this class.
 */
export class PageBody {
  readonly text: PageText;
  /** The texts of the headings, without empty texts. Of nested headings, only the outer heading is in the list. */
  readonly headings: string[] = [];
  title: string | undefined;
  /** The text of the first `h1` with text. */
  topHeading: string | undefined;
  readonly #head: PageHead;
  readonly #readSrcdoc: ReadSrcdoc;
  readonly #links: PageLinks;
  readonly prose: Prose;
  /** The parts of the text that no snippet may show. */
  readonly hidden: HiddenText;
  /** Number of open elements with a role. */
  #depth = 0;
  #noscripts = 0;
  #title: Stretch | undefined;
  #heading: Stretch | undefined;
  /** Whether a link has just ended, and no text has followed yet. */
  #afterLink = false;
  /** Whether an inner document was left out, or only a part of it was read. */
  truncated = false;

  constructor(settings: ParseSettings, head: PageHead, readSrcdoc: ReadSrcdoc, memory?: TextMemory) {
    this.#head = head;
    this.#readSrcdoc = readSrcdoc;
    this.text = new PageText(settings.parser.textLimit, memory);
    this.#links = new PageLinks(settings, this.text);
    this.prose = new Prose(this.text);
    this.hidden = new HiddenText(this.text);
  }

  get links(): LinkCollector {
    return this.#links.found;
  }

  /** Returns the ranges of the text that are prose, or that no snippet may show. @param limit maximum UTF-16 units of the text */
  ranges(limit: number): TextRange[] {
    this.prose.endRun(false);
    return textRanges(this.text, this.prose.found, this.hidden.found, limit);
  }

  /**
   * Must be called when an element opens.
   * @returns false if the content of the element is left out; then {@link PageBody.leave} must not be called for the element
   */
  enter(role: Role, element: PageElement): boolean {
    const { isHtml } = element;
    if (role.onlyBreaks) {
      if (isHtml) openBlock(role, this.text, this.prose);
      this.#depth++;
      return true;
    }
    const { tagName } = element;
    if (role.isOfHead && isHtml) this.#head.read(element, this.#noscripts > 0);
    const srcdoc = isHtml && tagName === 'iframe' ? element.attribute('srcdoc') : undefined;
    if (role.link !== undefined && srcdoc === undefined && (isHtml || tagName === 'a'))
      this.#links.read(element, role.link, this.#depth);
    if (isHtml) openBlock(role, this.text, this.prose);
    if (srcdoc !== undefined) this.#addSrcdoc(srcdoc);
    // Style sheets separate links that follow one another, as in menus. So a word ends between them.
    if (tagName === 'a' && this.#afterLink) this.text.breakWord();
    if (role.isSilent) return false;
    this.#depth++;
    if (tagName === 'a' && this.#links.innermost?.depth === this.#depth) this.prose.beginLink();
    if (isHtml && role.isHidden) this.hidden.open(this.#depth);
    if (isHtml && tagName === 'noscript') this.#noscripts++;
    if (isHtml && tagName === 'title' && this.title === undefined) {
      this.title = '';
      this.#title = this.#begin();
    }
    if (isHtml && role.isHeading && !this.#heading && this.headings.length < MAX_HEADINGS) {
      this.#heading = this.#begin();
    }
    return true;
  }

  leave(role: Role, tagName: string, isHtml: boolean): void {
    if (role.onlyBreaks) {
      if (isHtml) closeBlock(role, this.text, this.prose);
      this.#depth--;
      return;
    }
    if (isHtml) closeBlock(role, this.text, this.prose);
    if (isHtml && tagName === 'noscript') this.#noscripts--;
    const depth = this.#depth--;
    if (isHtml && role.isHidden) this.hidden.close(depth);
    if (depth === this.#title?.depth) {
      this.title = textOf(this.#title, this.text, MAX_TITLE_LENGTH);
      this.#title = undefined;
    }
    if (depth === this.#heading?.depth) {
      const text = textOf(this.#heading, this.text, MAX_HEADING_LENGTH);
      if (text !== '') {
        this.headings.push(text);
        if (tagName === 'h1') this.topHeading ??= text;
      }
      this.#heading = undefined;
    }
    if (role.link === undefined) return;
    if (tagName === 'a') this.#afterLink = true;
    const link = this.#links.innermost;
    if (depth !== link?.depth) return;
    if (tagName === 'a') this.#dropPermalink(link.href, link.start);
    this.#links.close();
    if (tagName === 'a') this.prose.endLink();
  }

  /**
   * Begins notes of the block before; {@link PageBody.leaveNotes} ends them. Notes are not prose.
   * @param isHidden whether snippets must not show the notes
   */
  enterNotes(isHidden = false): void {
    openBlock(NOTES, this.text, this.prose);
    if (isHidden) this.hidden.open(NO_DEPTH);
  }

  leaveNotes(): void {
    this.hidden.close(NO_DEPTH);
    closeBlock(NOTES, this.text, this.prose);
  }

  characters(value: string): void {
    this.#afterLink = false;
    this.text.add(value);
  }

  /** Adds text in its source form, with character references; see {@link PageText.addReferring}. */
  rawCharacters(bytes: Buffer, start: number, end: number): number {
    this.#afterLink = false;
    return this.text.addReferring(bytes, start, end);
  }

  /** Removes the text of a link if it is a permalink, and if nothing else refers to this text. */
  #dropPermalink(href: string, start: number): void {
    const { text } = this;
    if (text.length - start > MAX_PERMALINK_BYTES || !isPermalink(href, text.from(start, MAX_PERMALINK_BYTES))) return;
    if (this.prose.isInRun(start) && this.hidden.isShown(start)) text.cut(start);
  }

  #begin(): Stretch {
    return { depth: this.#depth, start: this.text.length, before: undefined };
  }

  /** Adds an inner document. Its content becomes part of the text of the page, but not of a link or a heading around it. */
  #addSrcdoc(srcdoc: string): void {
    const around = [this.#links.innermost, this.#heading];
    for (const stretch of around) interrupt(stretch, this.text);
    this.enterNotes();
    this.#readSrcdoc(srcdoc, this);
    this.leaveNotes();
    for (const stretch of around) goOn(stretch, this.text);
    this.text.breakWord();
  }
}

function openBlock(role: BlockRole, text: PageText, prose: Prose): void {
  if (role.isBreaking) text.breakWord();
  if (!role.endsRun) return;
  prose.endRun(false);
  if (role.place !== undefined) prose.enter(role.place);
}

function closeBlock(role: BlockRole, text: PageText, prose: Prose): void {
  if (role.isBreaking) text.breakWord();
  if (!role.endsRun) return;
  prose.endRun(role.isHeading);
  if (role.place !== undefined) prose.leave(role.place);
}

/** Records the parts of the text of a page that no snippet may show. It is called while the page is read. */
class HiddenText {
  readonly #text: PageText;
  /** Depth of the outermost open element whose text is hidden. -1: no such element is open. */
  #depth = -1;
  #from = 0;
  readonly found = noStretches();

  constructor(text: PageText) {
    this.#text = text;
  }

  get isOpen(): boolean {
    return this.#depth >= 0;
  }

  open(depth: number): void {
    if (this.isOpen) return;
    this.#depth = depth;
    this.#from = this.#text.length;
  }

  close(depth: number): void {
    if (depth !== this.#depth) return;
    this.#depth = -1;
    this.hideFrom(this.#from);
  }

  isShown(start: number): boolean {
    return (this.found.ends.at(-1) ?? 0) <= start;
  }

  hideFrom(place: number): void {
    if (!this.isOpen) addStretch(this.found, place, this.#text.length);
  }
}

/**
 * Returns the ranges of a text in the form for storage. The maximum number of ranges is three times `MAX_STRETCHES`. Text that no
 * snippet may show is not prose.
 * @param limit maximum UTF-16 units of the text
 */
function textRanges(text: PageText, prose: Stretches, hidden: Stretches, limit: number): TextRange[] {
  const ranges = asRanges(hidden.starts.length === 0 ? prose : withoutStretches(prose, hidden), 'prose');
  if (hidden.starts.length > 0) ranges.push(...asRanges(hidden, 'nosnippet'));
  if (ranges.length === 0) return [];
  ranges.sort((a, b) => a.start - b.start);
  const places: number[] = [];
  for (const { start, end } of ranges) places.push(text.behindBlank(start), end);
  const units = text.unitsBefore(places);
  return ranges
    .map(({ kind }, i) => ({ start: units[2 * i]!, end: Math.min(units[2 * i + 1]!, limit), kind }))
    .filter(({ start, end }) => start < end);
}

function asRanges({ starts, ends }: Stretches, kind: TextRange['kind']): TextRange[] {
  return starts.map((start, i) => ({ start, end: ends[i]!, kind }));
}
