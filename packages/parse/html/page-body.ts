import { LinkCollector, type FoundLink } from '../shared/link-collector.js';
import { MAX_HEADING_LENGTH, MAX_HEADINGS, MAX_LINKS, MAX_TITLE_LENGTH } from '../shared/limits.js';
import { tokens, type PageElement, type Role } from './page-element.js';
import type { PageHead } from './page-head.js';
import { PageText, withoutRest } from './page-text.js';
import type { ParseSettings } from '../shared/parse-settings.js';
import { srcsetUrls } from './srcset.js';
import { TextBuilder } from '../shared/text-builder.js';

/** A stretch of the text of the page, less what is left out of it. */
interface Stretch {
  /** Elements with a role that are open where it ends. */
  readonly depth: number;
  /** Where its text goes on. */
  start: number;
  /** The text before what was left out. */
  before: string[] | undefined;
}

/** A link whose element is not closed yet. Text belongs to the innermost. */
interface OpenLink extends Stretch {
  /** Undefined when it is not to be followed. */
  readonly link: FoundLink | undefined;
  /** What images in it say, for when there is no text. Made when there is something to hold: a page may open a link a hundred thousand times. */
  alt: TextBuilder | undefined;
}

/** Reads the document of an `iframe` with `srcdoc`, and adds what is in it to the page body. */
export type ReadSrcdoc = (srcdoc: string, into: PageBody) => void;

/**
 * Takes title, text and links from a page as its elements open and close, and hands those that say something of it to the head. Elements
 * without a role are not shown to it.
 */
export class PageBody {
  readonly text: PageText;
  readonly links: LinkCollector;
  /** The text of each heading that has any; of one within another only that of the outer one. */
  readonly headings: string[] = [];
  /** The first `title` of the page. */
  title = '';
  readonly #settings: ParseSettings;
  readonly #head: PageHead;
  readonly #readSrcdoc: ReadSrcdoc;
  readonly #ignored: ReadonlySet<string>;
  readonly #open: OpenLink[] = [];
  /** Open elements with a role. */
  #depth = 0;
  #noscripts = 0;
  #hasTitle = false;
  #title: Stretch | undefined;
  #heading: Stretch | undefined;
  /** Nothing is between here and the end of a link. */
  #afterLink = false;
  /** A document within this one was left out, or read in part. */
  truncated = false;

  constructor(settings: ParseSettings, head: PageHead, readSrcdoc: ReadSrcdoc) {
    this.#settings = settings;
    this.#head = head;
    this.#readSrcdoc = readSrcdoc;
    this.text = new PageText(settings.parser.textLimit);
    this.links = new LinkCollector(settings.db.maxOutlinkLength);
    this.#ignored = new Set(settings.parser.htmlOutlinksIgnoreTags.map((tag) => tag.toLowerCase()));
  }

  /**
   * An element opens.
   * @param inShadow it is part of a shadow tree, and not of the document
   * @returns false: what is inside is left out, and {@link PageBody.leave} is not to be called
   */
  enter(role: Role, element: PageElement, inShadow = false): boolean {
    const { isHtml } = element;
    if (role.onlyBreaks) {
      if (isHtml) this.text.breakWord();
      this.#depth++;
      return true;
    }
    const { tagName } = element;
    if (role.isOfHead && isHtml && !inShadow) this.#head.read(element, this.#noscripts > 0);
    const srcdoc = isHtml && tagName === 'iframe' ? element.attribute('srcdoc') : undefined;
    if (role.link !== undefined && srcdoc === undefined && (isHtml || tagName === 'a'))
      this.#readLink(element, role.link);
    if (isHtml && role.isBreaking) this.text.breakWord();
    if (srcdoc !== undefined) this.#addSrcdoc(srcdoc);
    // Links side by side, as in menus, are set apart by style sheets.
    if (tagName === 'a' && this.#afterLink) this.text.breakWord();
    if (role.isSilent) return false;
    this.#depth++;
    if (isHtml && tagName === 'noscript') this.#noscripts++;
    if (isHtml && tagName === 'title' && !inShadow && !this.#hasTitle) {
      this.#hasTitle = true;
      this.#title = this.#begin();
    }
    if (isHtml && role.isHeading && !this.#heading && this.headings.length < MAX_HEADINGS) {
      this.#heading = this.#begin();
    }
    return true;
  }

  /** An element closes. */
  leave(role: Role, tagName: string, isHtml: boolean): void {
    if (role.onlyBreaks) {
      if (isHtml) this.text.breakWord();
      this.#depth--;
      return;
    }
    if (isHtml && role.isBreaking) this.text.breakWord();
    if (isHtml && tagName === 'noscript') this.#noscripts--;
    const depth = this.#depth--;
    if (depth === this.#title?.depth) {
      this.title = this.#textOf(this.#title, MAX_TITLE_LENGTH);
      this.#title = undefined;
    }
    if (depth === this.#heading?.depth) {
      const text = this.#textOf(this.#heading, MAX_HEADING_LENGTH);
      if (text !== '') this.headings.push(text);
      this.#heading = undefined;
    }
    if (role.link === undefined) return;
    if (tagName === 'a') this.#afterLink = true;
    if (depth === this.#open[this.#open.length - 1]?.depth) this.#closeLink();
  }

  /** Text as it is shown. */
  characters(value: string): void {
    this.#afterLink = false;
    this.text.add(value);
  }

  /** Text as a page holds it; see {@link PageText.addReferring}. */
  rawCharacters(bytes: Buffer, start: number, end: number): number {
    this.#afterLink = false;
    return this.text.addReferring(bytes, start, end);
  }

  #begin(): Stretch {
    return { depth: this.#depth, start: this.text.length, before: undefined };
  }

  /** Leaves out what follows, up to {@link PageBody.#goOn}. */
  #interrupt(stretch: Stretch | undefined): void {
    if (!stretch) return;
    const text = this.text.from(stretch.start, Infinity);
    if (text !== '') (stretch.before ??= []).push(text);
  }

  #goOn(stretch: Stretch | undefined): void {
    if (stretch) stretch.start = this.text.length;
  }

  #textOf({ start, before }: Stretch, limit: number): string {
    const rest = this.text.from(start, limit);
    if (!before) return rest;
    const whole = [...before, rest].join(' ').trimEnd();
    return whole.length <= limit ? whole : withoutRest(whole, limit);
  }

  /** What is in it belongs to the text of the page, and to no link or heading. */
  #addSrcdoc(srcdoc: string): void {
    const around = [this.#open.at(-1), this.#heading];
    for (const stretch of around) this.#interrupt(stretch);
    this.#readSrcdoc(srcdoc, this);
    for (const stretch of around) this.#goOn(stretch);
    this.text.breakWord();
  }

  #openLink(link: FoundLink | undefined): void {
    this.#interrupt(this.#open.at(-1));
    // The element itself is counted when it has been entered.
    const depth = this.#depth + 1;
    this.#open.push({ depth, start: this.text.length, before: undefined, link, alt: undefined });
  }

  #closeLink(): void {
    const closed = this.#open.pop()!;
    this.#goOn(this.#open.at(-1));
    const { link, alt } = closed;
    if (!link || link.anchor !== '') return;
    link.anchor = this.#textOf(closed, this.#settings.db.maxAnchorLength) || (alt?.toString() ?? '');
  }

  #readLink(element: PageElement, source: string): void {
    const { tagName } = element;
    const isImage = tagName === 'img';
    const isIgnored = this.#ignored.has(tagName);
    const around = this.#open[this.#open.length - 1];
    // Most images are of no interest.
    if (isIgnored && isImage && !around?.link) return;
    const alt = isImage || tagName === 'area' ? this.#anchor(element.attribute('alt')) : '';
    if (alt !== '' && isImage && around?.link) (around.alt ??= this.#anchorBuilder()).add(` ${alt} `);
    const reference = element.attribute(source);
    if (isImage || tagName === 'source') this.#readSrcset(element, alt);
    // An empty `src` loads nothing, while an empty `href` leads to the page itself.
    if (reference === undefined || (source === 'src' && reference.trim() === '')) return;
    if (tagName === 'form' && !this.#isLinkForm(element)) return;
    const followed = !isIgnored && !isNofollow(element.attribute('rel'));
    const link = followed ? this.links.add(reference) : undefined;
    if (tagName === 'a' || tagName === 'form') this.#openLink(link);
    else if (link) link.anchor ||= alt;
  }

  /** The same image in other sizes. */
  #readSrcset(element: PageElement, alt: string): void {
    if (this.#ignored.has(element.tagName)) return;
    const srcset = element.attribute('srcset');
    if (srcset === undefined) return;
    for (const url of srcsetUrls(srcset, MAX_LINKS)) {
      const link = url === '' ? undefined : this.links.add(url);
      if (link) link.anchor ||= alt;
    }
  }

  #isLinkForm(element: PageElement): boolean {
    if (!this.#settings.parser.htmlFormUseAction) return false;
    const method = element.attribute('method')?.toLowerCase();
    return method !== 'post' && method !== 'dialog';
  }

  #anchor(text: string | undefined): string {
    if (!text) return '';
    const builder = this.#anchorBuilder();
    builder.add(text);
    return builder.toString();
  }

  #anchorBuilder(): TextBuilder {
    return new TextBuilder(this.#settings.db.maxAnchorLength);
  }
}

function isNofollow(relations: string | undefined): boolean {
  return relations !== undefined && tokens(relations).includes('nofollow');
}
