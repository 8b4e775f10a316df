import type { ParsedOutlink } from '../../plugin-api/index.js';
import { LinkResolver, resolveLink, type EncodeQuery } from '../../url/index.js';
import { MAX_LINK_CHARACTERS, MAX_LINKS } from './limits.js';

/**
 * A link as written in the page. Its anchor may be set as long as it has none, and what is said of its target too. Its URL is
 * empty until it is resolved.
 */
export type FoundLink = Writable<ParsedOutlink>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The links of a document within the page, which has its own base where it states one. */
interface InnerLinks {
  readonly links: LinkCollector;
  readonly base: string | undefined;
  /** How many links of the page come before it. */
  readonly after: number;
}

/** Links as they were made URLs. */
interface Resolved {
  readonly byUrl: Map<string, FoundLink>;
  characters: number;
}

/**
 * Collects the links of a page. Pages repeat their links, so each reference is kept once as written there and only
 * then made a URL.
 */
export class LinkCollector {
  readonly #maxLength: number;
  readonly #links = new Map<string, FoundLink>();
  readonly #inner: InnerLinks[] = [];
  /** More links than a page may have were left out. */
  truncated = false;

  /** @param maxLength characters of a URL; longer ones are left out */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Undefined when it is too long, or one more than a page may have. */
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
   * Adds the links of a document within this one.
   * @param base as it states it; undefined: the base of this one
   */
  addInner(links: LinkCollector, base: string | undefined): void {
    this.truncated ||= links.truncated;
    const isKept = base !== undefined && base.length <= this.#maxLength;
    this.#inner.push({ links, base: isKept ? base : undefined, after: this.#links.size });
  }

  /**
   * Absolute URLs in order of appearance, each once with the first anchor that is not empty. To be called once.
   * @param encodeQuery for a document whose queries are not in UTF-8
   */
  resolve(base: string, encodeQuery?: EncodeQuery): ParsedOutlink[] {
    const resolved: Resolved = { byUrl: new Map(), characters: 0 };
    if (!this.#resolve(base, encodeQuery, resolved)) this.truncated = true;
    return [...resolved.byUrl.values()];
  }

  /** false when there is no room for more. */
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
