import type { ParsedOutlink } from '../plugin-api/index.js';
import { linkResolver } from '../url/index.js';
import { MAX_LINK_CHARACTERS, MAX_LINKS } from './limits.js';

/** A link as it stands in the page. Its anchor may be set as long as it has none, and what is said of its target too. */
export type FoundLink = Writable<Omit<ParsedOutlink, 'url'>>;
type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Collects the links of a page. Pages repeat their links, so each reference is kept once as it stands there and only
 * then made a URL.
 */
export class LinkCollector {
  readonly #maxLength: number;
  readonly #links = new Map<string, FoundLink>();
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
    const link: FoundLink = { anchor: '' };
    this.#links.set(key, link);
    return link;
  }

  /** Absolute URLs in order of appearance, each once with the first anchor that is not empty. */
  resolve(base: string): ParsedOutlink[] {
    const byUrl = new Map<string, FoundLink & { url: string }>();
    const resolveLink = linkResolver(base);
    let characters = 0;
    for (const [reference, link] of this.#links) {
      const url = resolveLink(reference);
      if (url === null || url.length > this.#maxLength) continue;
      const known = byUrl.get(url);
      if (known) {
        known.anchor ||= link.anchor;
        continue;
      }
      characters += url.length;
      if (characters > MAX_LINK_CHARACTERS) {
        this.truncated = true;
        break;
      }
      byUrl.set(url, { url, ...link });
    }
    return [...byUrl.values()];
  }
}
