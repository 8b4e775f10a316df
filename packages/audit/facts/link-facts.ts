import {
  hostOf,
  resolveLink,
  tryParseUrl,
  withEncodedQuery,
  type EncodeQuery,
  type PageElement,
} from '../../core/index.js';
import { linksOfElement, relFlags, type ElementLink } from './element-links.js';
import { type BadLink, type LinkFact, FLAWS } from './facts.js';
import { MIXED, isLoaded, leadsToPage } from './kinds.js';
import { hasPlace, withoutText } from './places.js';
import { MAX_ANCHOR, MAX_URL, short } from './short.js';
import type { FactsPage } from './page-facts.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type AnyLink = Mutable<LinkFact> | Mutable<BadLink>;

/** Maximum length of a fragment. Longer fragments are not judged. */
const MAX_FRAGMENT = 500;
/** Maximum length of a URL of another host. Longer ones are mostly code for a playground, and use up the space of other links. */
const MAX_FOREIGN_URL = 500;
const MAX_RAW = 200;
/** The highest number of 16 bits. */
const MAX_PLACES = 65_535;
const MAX_BAD = 50;

/** A link whose element is still open, so its anchor is incomplete. */
interface OpenAnchor {
  /** Undefined: the link is not stored. */
  readonly link: AnyLink | undefined;
  text: string;
  alt: string;
}

/** Collects all links of a page, including those that a crawl does not follow. */
export class LinkFacts {
  links: LinkFact[] = [];
  readonly bad: BadLink[] = [];
  /** Number of links within the host that were dropped because they are too long. */
  cut = 0;
  readonly #page: FactsPage;
  readonly #base: string;
  readonly #encodeQuery: EncodeQuery | undefined;
  readonly #seen = new Map<string, Mutable<LinkFact>>();
  readonly #outlinks: ReadonlyMap<string, number>;
  readonly #lineOf: (value: string) => number;
  readonly #open: OpenAnchor[] = [];

  /**
   * @param base the URL to which addresses are relative
   * @param encodeQuery for a page whose queries are not in UTF-8
   */
  constructor(page: FactsPage, base: string, encodeQuery: EncodeQuery | undefined) {
    this.#page = page;
    this.#base = base;
    this.#encodeQuery = encodeQuery;
    this.#outlinks = new Map(page.outlinks.map(({ url }, place) => [url, place]));
    this.#lineOf = createLineFinder(page.content);
  }

  enter(element: PageElement): void {
    const links = linksOfElement(element);
    const isAnchor = element.tagName === 'a';
    if (element.tagName === 'img') this.#addAlt(element.attribute('alt'));
    if (links.length === 0 && !isAnchor) return;
    const rel = relFlags(element.attribute('rel'));
    const named = element.attribute('aria-label') ?? element.attribute('alt') ?? element.attribute('title') ?? '';
    const label = short(named, MAX_ANCHOR);
    let link: AnyLink | undefined;
    for (const each of links) link = this.add(each, isAnchor ? '' : label, rel);
    // `leave` is called for every `a`, so each `a` is added here, even if its link is not stored.
    if (isAnchor) this.#open.push({ link, text: '', alt: label });
  }

  text(text: string): void {
    const anchor = this.#open[this.#open.length - 1];
    if (anchor && anchor.text.length < 2 * MAX_ANCHOR) anchor.text += text;
  }

  /** Call it when an `a` closes. */
  leave(): void {
    const closed = this.#open.pop();
    if (!closed?.link || closed.link.anchor !== '') return;
    const { link } = closed;
    const anchor = short(closed.text, MAX_ANCHOR) || short(closed.alt, MAX_ANCHOR);
    const known = typeof link.to === 'number' ? this.#page.outlinks[link.to]?.anchor : undefined;
    // The outlink already has this anchor.
    link.anchor = known !== undefined && short(known, MAX_ANCHOR) === anchor && 'fragment' in link ? '' : anchor;
  }

  add({ raw, kind }: ElementLink, anchor: string, rel: number): AnyLink | undefined {
    const url = tryParseUrl(this.#encodeQuery ? withEncodedQuery(raw, this.#encodeQuery) : raw, this.#base);
    const flaw = flawOfHref(raw, this.#base, url);
    if (flaw !== undefined) {
      if (this.bad.length >= MAX_BAD) return undefined;
      const to = this.#outlinks.get(resolveLink(raw, this.#base, this.#encodeQuery) ?? '') ?? -1;
      const bad = { raw: short(raw, MAX_RAW), flaw, kind, line: this.#lineOf(raw), anchor, to };
      this.bad.push(bad);
      return bad;
    }
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
    const fragment = url.hash.length > MAX_FRAGMENT + 1 ? '' : url.hash.slice(1);
    url.hash = '';
    const isOwn = url.hostname === hostOf(this.#page.url);
    if (url.href.length > (isOwn ? MAX_URL : MAX_FOREIGN_URL)) {
      if (isOwn) this.cut += 1;
      return undefined;
    }
    const to = this.#outlinks.get(url.href) ?? url.href;
    const key = `${kind} ${to} ${fragment}`;
    const flags = isMixed(this.#page.url, url, kind) ? rel | MIXED : rel;
    const known = this.#seen.get(key);
    if (known) {
      // If one of several equal links has no `nofollow`, the link counts as followed.
      known.rel &= flags;
      return known;
    }
    const link = { to, kind, line: this.#lineOf(raw), fragment, anchor, rel: flags };
    this.#seen.set(key, link);
    this.links.push(link);
    return link;
  }

  /** Removes links of the page to its own start and to ids that it has. @returns the number of different ids among them */
  takeOwn(ids: ReadonlySet<number>): number {
    const { url } = this.#page;
    const own = this.#outlinks.get(url) ?? url;
    const places = new Set<string>();
    const others = this.links.filter(({ to, kind, fragment }) => {
      if (to !== own || !leadsToPage(kind)) return true;
      const place = withoutText(fragment);
      if (place === '') return false;
      if (!hasPlace(ids, place)) return true;
      places.add(place);
      return false;
    });
    this.links = others;
    return Math.min(places.size, MAX_PLACES);
  }

  #addAlt(alt: string | undefined): void {
    const anchor = this.#open[this.#open.length - 1];
    if (alt && anchor && anchor.alt.length < MAX_ANCHOR) anchor.alt += ` ${alt}`;
  }
}

/** Whether a page of https loads a part by http. Addresses of the local machine count as safe. */
function isMixed(page: string, { protocol, hostname }: URL, kind: number): boolean {
  if (protocol !== 'http:' || !page.startsWith('https:') || !isLoaded(kind)) return false;
  return !/^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

const [NOT_A_URL, TWO_SCHEMES, MISSPELT, NO_HOST, TEMPLATE] = FLAWS.keys();
/** Schemes that are at most one edit away from http or https and are not misspellings. */
const REAL: ReadonlySet<string> = new Set(['http', 'https', 'shttp']);

/**
 * A template that was not filled in. In a query, encoded braces count only if they are the whole value, because URLs of playgrounds carry
 * code there.
 */
const TEMPLATES = /\{\{|<%|\$\{|^[^?]*%7b%7b|[?&][^=&]*=%7b%7b[\w.%-]*?%7d%7d(?:[&#]|$)/i;

/**
 * Returns the fault of a link that cannot lead to its intended target.
 * @param raw the link as written, trimmed
 * @param base the absolute URL to which the link is relative
 * @param url the link as parsed; absent: it is parsed here
 * @returns an index into `FLAWS`; undefined: the link has no fault
 */
export function flawOfHref(raw: string, base: string, url = tryParseUrl(raw, base)): number | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(raw)?.[1]?.toLowerCase();
  const isOther = scheme !== undefined && scheme !== 'http' && scheme !== 'https';
  if (isOther && !REAL.has(scheme) && (isOneEdit(scheme, 'http') || isOneEdit(scheme, 'https'))) return MISSPELT;
  if (isOther) return undefined;
  if (TEMPLATES.test(raw)) return TEMPLATE;
  if (!url) return NOT_A_URL;
  if (/^https?:\/\/https?:?\/\//i.test(raw)) return TWO_SCHEMES;
  if (/^(?:undefined|null)$/.test(url.hostname)) return NO_HOST;
  return undefined;
}

/** Whether two words differ by one edit: a letter is added, removed, changed, or swapped with the next letter. */
export function isOneEdit(a: string, b: string): boolean {
  if (a === b || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

/** Maximum number of bytes that are searched, as a multiple of the bytes of the page. After this, no line is found. */
const MAX_PASSES = 10;
/** The cost of a search that finds something at once, in bytes. */
const SEARCH_COST = 64;
/** What may stand before the value of an attribute, and after it. */
const BEFORE: ReadonlySet<number | undefined> = new Set(Buffer.from(`"'=`));
const AFTER: ReadonlySet<number | undefined> = new Set(Buffer.from(`"'> \t\r\n`));

/**
 * Makes a function that finds the line of an attribute's value in the source of a page. Call it for the values in page order. A value is not
 * found if other characters than `&` are escaped in the page. The work is bounded by the length of the page, whatever it holds.
 */
export function createLineFinder(content: Uint8Array): (value: string) => number {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let left = MAX_PASSES * bytes.length;
  let at = 0;
  let line = 1;
  /** Whether the last `&` of a value was written as `&amp;`. Pages mostly write all of them in the same way. */
  let isEscaped = true;

  function find(written: string): number {
    const length = Buffer.byteLength(written);
    for (let from = at; left > 0;) {
      const found = bytes.indexOf(written, from);
      left -= SEARCH_COST + (found === -1 ? bytes.length : found) - from;
      if (found === -1 || (BEFORE.has(bytes[found - 1]) && AFTER.has(bytes[found + length]))) return found;
      from = found + 1;
    }
    return -1;
  }

  function findValue(value: string): number {
    if (!value.includes('&')) return find(value);
    const escaped = value.replaceAll('&', '&amp;');
    const found = find(isEscaped ? escaped : value);
    if (found !== -1) return found;
    const other = find(isEscaped ? value : escaped);
    if (other !== -1) isEscaped = !isEscaped;
    return other;
  }

  /** @returns the line, from 1 on; 0 if the value is not found as written */
  return (value) => {
    const found = value === '' ? -1 : findValue(value);
    if (found === -1) return 0;
    for (let end = bytes.indexOf(10, at); end !== -1 && end < found; end = bytes.indexOf(10, at)) {
      at = end + 1;
      line += 1;
    }
    at = found + 1;
    return line;
  };
}
