import { isChallenge, isJsonLd, JsonLd, linksInHeader, parseRefresh, resolveLink } from '../../core/index.js';
import { relTokens } from './element-links.js';
import { MARKS, type PageFacts, type Place } from './facts.js';
import { MOST_ANCHOR, MOST_TEXT, MOST_URL, short } from './short.js';
import type { TreeElement } from './walk.js';
import type { FactsPage } from './page-facts.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Maximum number of canonicals that are stored, and of versions in other languages. */
const MOST_NAMED = 200;
const MOST_HEADINGS = 200;
/** Ids of elements that the scripts of apps fill. */
const ROOTS: ReadonlySet<string> = new Set(['root', 'app', '__next', '__nuxt']);
const UPGRADES = /(?:^|[;,])\s*upgrade-insecure-requests\s*(?:[;,]|$)/i;
const WALL_TITLE =
  /^(?:just a moment(?:\.{3}|…)?|attention required! \| cloudflare|ddos-guard|checking your browser(?: before accessing.*)?|security check)$/i;

/** The results of {@link HeadFacts}. */
type Found = Pick<
  PageFacts,
  'titles' | 'description' | 'headings' | 'canonicals' | 'alternates' | 'marks' | 'imagesWithoutAlt' | 'badJsonLd'
>;

/** Reads the statements of a page about itself, from its elements and headers. */
export class HeadFacts {
  readonly found: Mutable<Found>;
  readonly #canonicals: Found['canonicals'][number][] = [];
  readonly #alternates: Found['alternates'][number][] = [];
  readonly #jsonLd = new JsonLd();
  #title: string | undefined;
  /** Whether browsers load by https what the page names by http. */
  upgrades = false;

  constructor({ headers, url, truncated }: FactsPage) {
    this.found = {
      titles: 0,
      description: '',
      headings: '',
      canonicals: this.#canonicals,
      alternates: this.#alternates,
      marks: (truncated ? MARKS.truncated : 0) | (isChallenge(headers) ? MARKS.wall : 0),
      imagesWithoutAlt: 0,
      badJsonLd: 0,
    };
    this.upgrades = UPGRADES.test(headers['content-security-policy'] ?? '');
    for (const { target, relations, parameters } of linksInHeader(headers.link, url)) {
      if (relations.includes('canonical')) this.#addCanonical(target, url, 'header');
      const tag = parameters.get('hreflang')?.trim();
      if (relations.includes('alternate') && tag) this.#addAlternate(tag, target, url, 'header');
    }
  }

  get isInTitle(): boolean {
    return this.#title !== undefined;
  }

  /**
   * Call it for each HTML element that opens.
   * @param base the URL to which addresses are relative
   */
  enter(element: TreeElement, base: string): void {
    const { found } = this;
    const { tagName } = element;
    const heading = /^h([1-6])$/.exec(tagName)?.[1];
    const isKept = found.headings.length < MOST_HEADINGS || (heading === '1' && !found.headings.includes('1'));
    if (heading !== undefined && isKept) found.headings += heading;
    if (tagName === 'title') this.#title = '';
    else if (tagName === 'meta') this.#readMeta(element);
    else if (tagName === 'link') this.#readLink(element, base);
    else if (tagName === 'script') this.#readScript(element);
    else if (tagName === 'img') this.#readImage(element);
    else if (tagName === 'div' && ROOTS.has(element.attribute('id') ?? '')) found.marks |= MARKS.app;
    else if (tagName === 'input' && isOf(element, 'type', 'password')) found.marks |= MARKS.password;
  }

  /** Adds text of the title. */
  addToTitle(text: string): void {
    this.#title += text;
  }

  leaveTitle(): void {
    const title = this.#title?.trim() ?? '';
    this.#title = undefined;
    if (title !== '') this.found.titles += 1;
    if (WALL_TITLE.test(title)) this.found.marks |= MARKS.wall;
  }

  #readMeta(element: TreeElement): void {
    const content = element.attribute('content');
    if (isOf(element, 'http-equiv', 'content-security-policy')) this.upgrades ||= UPGRADES.test(content ?? '');
    if (content !== undefined && isOf(element, 'name', 'description')) {
      this.found.description ||= short(content, MOST_TEXT);
    }
  }

  #readLink(element: TreeElement, base: string): void {
    const href = element.attribute('href')?.trim() ?? '';
    const relations = relTokens(element.attribute('rel'));
    if (href === '') return;
    const place = element.isInHead ? 'head' : 'body';
    if (relations.includes('canonical')) this.#addCanonical(href, base, place);
    const tag = element.attribute('hreflang')?.trim();
    if (relations.includes('alternate') && !relations.includes('stylesheet') && tag) {
      this.#addAlternate(tag, href, base, place);
    }
  }

  #readScript(element: TreeElement): void {
    const type = element.attribute('type')?.trim().toLowerCase() ?? '';
    if (type === '' || type === 'module' || type.includes('javascript')) this.found.marks |= MARKS.scripts;
    if (!isJsonLd(type)) return;
    this.#jsonLd.add(element.textInside());
    this.found.badJsonLd = this.#jsonLd.invalid;
  }

  #readImage(element: TreeElement): void {
    if (['alt', 'aria-label', 'aria-labelledby'].some((name) => element.attribute(name) !== undefined)) return;
    if (isOf(element, 'aria-hidden', 'true') || isOf(element, 'role', 'presentation') || isOf(element, 'role', 'none'))
      return;
    if (isOf(element, 'width', '1') && isOf(element, 'height', '1')) return;
    this.found.imagesWithoutAlt += 1;
  }

  #addCanonical(href: string, base: string, place: Place): void {
    const url = resolveLink(href, base);
    if (url === null || url.length > MOST_URL || this.#canonicals.length >= MOST_NAMED) return;
    this.#canonicals.push({ url, place });
  }

  #addAlternate(tag: string, href: string, base: string, place: Place): void {
    const url = resolveLink(href, base);
    if (url === null) return;
    if (url.length > MOST_URL || this.#alternates.length >= MOST_NAMED) this.found.marks |= MARKS.cutAlternates;
    else this.#alternates.push({ tag: short(tag, MOST_ANCHOR), url, place });
  }
}

/** Returns the target of a `meta` refresh, as written. Undefined: the element is not a refresh. */
export function refreshOf(element: TreeElement): string | undefined {
  if (element.tagName !== 'meta' || !isOf(element, 'http-equiv', 'refresh')) return undefined;
  return parseRefresh(element.attribute('content') ?? '')?.url?.trim();
}

function isOf(element: TreeElement, attribute: string, value: string): boolean {
  return element.attribute(attribute)?.trim().toLowerCase() === value;
}
