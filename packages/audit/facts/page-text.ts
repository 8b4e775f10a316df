import type { PageElement } from '../../core/index.js';
import { decoded } from './decoded.js';

/** Elements whose text is not content of the page, or is on all pages of a site. */
const ASIDE: ReadonlySet<string> = new Set(
  'script style template noscript nav footer aside select button textarea svg math iframe object'.split(' '),
);
const ASIDE_ROLES: ReadonlySet<string> = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary']);

/** Collects the text outside navigation. If the page has a `main` element, only its text counts. */
export class PageText {
  readonly #parts: string[] = [];
  readonly #mainParts: string[] = [];
  readonly #open: number[] = [];
  #aside = 0;
  #main = 0;
  #hasMain = false;

  enter(element: PageElement): void {
    const { tagName } = element;
    const role = element.attribute('role')?.trim().toLowerCase();
    const isHidden = element.attribute('hidden') !== undefined || element.attribute('aria-hidden') === 'true';
    const isMain = tagName === 'main' || role === 'main';
    const isAside =
      isHidden ||
      ASIDE.has(tagName) ||
      (role !== undefined && ASIDE_ROLES.has(role)) ||
      (tagName === 'header' && this.#main === 0);
    if (isMain) this.#main++;
    if (isAside) this.#aside++;
    this.#hasMain ||= isMain;
    this.#open.push((isMain ? 1 : 0) + (isAside ? 2 : 0));
  }

  leave(): void {
    const entered = this.#open.pop()!;
    if (entered & 1) this.#main--;
    if (entered & 2) this.#aside--;
  }

  add(text: string): void {
    if (this.#aside > 0) return;
    this.#parts.push(text);
    if (this.#main > 0) this.#mainParts.push(text);
  }

  /** Returns the text without the words of the URL, because some sites repeat these words on the page for wrong URLs. */
  withoutUrl(url: string): string {
    let text = (this.#hasMain ? this.#mainParts : this.#parts).join(' ').slice(0, 2 ** 20);
    const { href, pathname } = new URL(url);
    const segments = pathname.split('/').map(decoded);
    for (const word of [href, pathname, ...segments].filter(({ length }) => length > 2))
      text = text.replaceAll(word, ' ');
    return text;
  }
}
