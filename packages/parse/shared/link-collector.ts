import type { ParsedOutlink } from '../../plugin-api/index.js';
import { LinkResolver, resolveLink, type EncodeQuery } from '../../url/index.js';
import { MAX_LINK_CHARACTERS, MAX_LINKS } from './limits.js';

/**
 * A link as written in the page. The anchor and the hints about the target can be set as long as they are empty. The URL is empty until
 * the link is resolved.
 */
export type FoundLink = Writable<ParsedOutlink>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The links of a document inside the page, which may have a base of its own. */
interface InnerLinks {
  readonly links: LinkCollector;
  readonly base: string | undefined;
  readonly after: number;
}

interface Resolved {
  readonly byUrl: Map<string, FoundLink>;
  characters: number;
}

/**
 * Collects the links of a page. Pages repeat their links, so each reference is stored once as written, and resolved to a URL only at the
 * end.
 */
export class LinkCollector {
  readonly #maxLength: number;
  readonly #links = new Map<string, FoundLink>();
  readonly #inner: InnerLinks[] = [];
  /** Whether links were left out because the page has too many. */
  truncated = false;

  /** @param maxLength maximum characters of a URL; longer URLs are left out */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Adds a link, or returns the link with the same reference. Undefined: the reference is too long, or the page has too many links. */
  add(reference: string): FoundLink | undefined {
    const hash = reference.indexOf('#');
    const key = hash === -1 ? reference : reference.slice(0, hash);
    const known = this.#links.get(key);
    if (known || key.length > this.#maxLength) return known;
    if (this.#links.size >= MAX_LINKS) {
      this.truncated = true;
      return undefined;
    }
    const link: FoundLink = { url: '', anchor: '' };
    this.#links.set(key, link);
    return link;
  }

  /**
   * Adds the links of a document inside this document.
   * @param base the base that the inner document states; undefined: the base of this document
   */
  addInner(links: LinkCollector, base: string | undefined): void {
    this.truncated ||= links.truncated;
    const isKept = base !== undefined && base.length <= this.#maxLength;
    this.#inner.push({ links, base: isKept ? base : undefined, after: this.#links.size });
  }

  /**
   * Returns the links with absolute URLs, in order of appearance. Each URL occurs once, with its first anchor that is not empty. Call
   * this method only once.
   * @param encodeQuery for a document whose queries are not in UTF-8
   */
  resolve(base: string, encodeQuery?: EncodeQuery): ParsedOutlink[] {
    const resolved: Resolved = { byUrl: new Map(), characters: 0 };
    if (!this.#resolve(base, encodeQuery, resolved)) this.truncated = true;
    return [...resolved.byUrl.values()];
  }

  /** Adds resolved links to `into`. Returns false if there is no room for all. */
  #resolve(base: string, encodeQuery: EncodeQuery | undefined, into: Resolved): boolean {
    const resolver = new LinkResolver(base, encodeQuery);
    let [seen, inner] = [0, 0];
    for (const [reference, link] of this.#links) {
      for (let next = this.#inner[inner]; next?.after === seen; next = this.#inner[++inner])
        if (!this.#resolveInner(next, base, encodeQuery, into)) return false;
      seen++;
      const url = resolver.resolve(reference);
      if (url === null || url.length > this.#maxLength) continue;
      const known = into.byUrl.get(url);
      if (known) {
        known.anchor ||= link.anchor;
        continue;
      }
      into.characters += url.length;
      if (into.characters > MAX_LINK_CHARACTERS || into.byUrl.size >= MAX_LINKS) return false;
      link.url = url;
      into.byUrl.set(url, link);
    }
    for (; inner < this.#inner.length; inner++)
      if (!this.#resolveInner(this.#inner[inner]!, base, encodeQuery, into)) return false;
    return true;
  }

  #resolveInner({ links, base: own }: InnerLinks, base: string, encodeQuery: EncodeQuery | undefined, into: Resolved) {
    const ownBase = own === undefined ? null : resolveLink(own, base, encodeQuery);
    return links.#resolve(ownBase ?? base, encodeQuery, into);
  }
}
