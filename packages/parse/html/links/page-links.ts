import { LinkCollector, type FoundLink } from '../../shared/link-collector.js';
import { MAX_LINKS } from '../../shared/limits.js';
import type { ParseSettings } from '../../shared/parse-settings.js';
import { TextBuilder } from '../../shared/text-builder.js';
import { tokens, type PageElement } from '../page-element.js';
import { isFeedLink, isVersionLink, linkOfElement } from '../head/head-link.js';
import { srcsetUrls } from './srcset.js';
import { goOn, interrupt, textOf, type PageText, type Stretch } from '../page-text.js';

type Relation = ParseSettings['parser']['htmlOutlinksRelations'][number];

/** A link whose element is still open. Text belongs to the innermost open link. */
interface OpenLink extends Stretch {
  readonly href: string;
  /** Undefined: the link must not be followed. */
  readonly link: FoundLink | undefined;
  /**
   * The texts of the images in the link, for a link without other text. It is created when the first such text arrives, because a page
   * may open a hundred thousand links.
   */
  alt: TextBuilder | undefined;
}

export class PageLinks {
  readonly found: LinkCollector;
  readonly #settings: ParseSettings;
  readonly #text: PageText;
  readonly #ignored: ReadonlySet<string>;
  readonly #relations: ReadonlySet<Relation>;
  readonly #open: OpenLink[] = [];

  constructor(settings: ParseSettings, text: PageText) {
    this.#settings = settings;
    this.#text = text;
    this.found = new LinkCollector(settings.db.maxOutlinkLength);
    this.#relations = new Set(settings.parser.htmlOutlinksRelations);
    this.#ignored = new Set(settings.parser.htmlOutlinksIgnoreTags.map((tag) => tag.toLowerCase()));
  }

  get innermost(): OpenLink | undefined {
    return this.#open[this.#open.length - 1];
  }

  /**
   * Must be called when an element opens that may be a link.
   * @param source name of the attribute with the URL
   * @param depth number of open elements with a role around the element
   */
  read(element: PageElement, source: string, depth: number): void {
    const { tagName } = element;
    const isImage = tagName === 'img';
    const isIgnored = this.#ignored.has(tagName) && !this.#isRelated(element);
    const around = this.#open[this.#open.length - 1];
    // Most images are neither links nor anchors. For these, nothing is read.
    if (isIgnored && isImage && !around?.link) return;
    const alt = isImage || tagName === 'area' ? this.#anchor(element.attribute('alt')) : '';
    if (alt !== '' && isImage && around?.link) (around.alt ??= this.#anchorBuilder()).add(` ${alt} `);
    const reference = element.attribute(source);
    if (isImage || tagName === 'source') this.#readSrcset(element, alt);
    // An empty `src` loads nothing; an empty `href` of a `link` element loads nothing either. In other elements an empty `href` leads to
    // the page itself.
    const loads = source === 'src' || tagName === 'link';
    if (reference === undefined || (loads && reference.trim() === '')) return;
    if (tagName === 'form' && !this.#isLinkForm(element)) return;
    const followed = !isIgnored && !isNofollow(element.attribute('rel'));
    const link = followed ? this.found.add(reference) : undefined;
    if (tagName === 'a' || tagName === 'form') this.#begin(link, reference, depth);
    else if (link) link.anchor ||= alt;
  }

  close(): void {
    const closed = this.#open.pop()!;
    goOn(this.innermost, this.#text);
    const { link, alt } = closed;
    if (!link || link.anchor !== '') return;
    link.anchor = textOf(closed, this.#text, this.#settings.db.maxAnchorLength) || (alt?.toString() ?? '');
  }

  #begin(link: FoundLink | undefined, href: string, depth: number): void {
    interrupt(this.innermost, this.#text);
    // The depth is one more, because the element of the link is counted only after this call.
    this.#open.push({ depth: depth + 1, start: this.#text.length, before: undefined, href, link, alt: undefined });
  }

  #isRelated(element: PageElement): boolean {
    if (this.#relations.size === 0 || element.tagName !== 'link') return false;
    return relationsOf(element).some((relation) => this.#relations.has(relation));
  }

  #readSrcset(element: PageElement, alt: string): void {
    if (this.#ignored.has(element.tagName)) return;
    const srcset = element.attribute('srcset');
    if (srcset === undefined) return;
    for (const url of srcsetUrls(srcset, MAX_LINKS)) {
      const link = url === '' ? undefined : this.found.add(url);
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

function relationsOf(element: PageElement): Relation[] {
  const link = linkOfElement(element, 'body');
  if (!link) return [];
  const given = link.relations;
  const relations: Relation[] = [];
  if (given.includes('next')) relations.push('next');
  if (given.includes('prev') || given.includes('previous')) relations.push('prev');
  // No parser reads a feed in JSON.
  if (isFeedLink(link) && link.type.endsWith('+xml')) relations.push('feed');
  if (isVersionLink(link)) relations.push('alternate');
  return relations;
}
