import { resolveLink, type CrawledPage, type HtmlDocument } from '../../core/index.js';
import { createSimhash } from '../../duplicates/index.js';
import { once } from '../../util/index.js';
import { idHash, type PageFacts, type RowStatements } from './facts.js';
import { HeadFacts, refreshOf } from './head-facts.js';
import { LINK_KINDS, MIXED } from './kinds.js';
import { LinkFacts } from './link-facts.js';
import { PageText } from './page-text.js';
import { MOST_ANCHOR, short } from './short.js';
import { walkElements, type TreeElement } from './walk.js';

const REFRESH = LINK_KINDS.indexOf('refresh');

/** What the facts of a page come from. */
export type FactsPage = Pick<
  CrawledPage,
  'url' | 'contentType' | 'headers' | 'content' | 'truncated' | 'outlinks' | 'document'
> &
  RowStatements;

/** Created when the first page is read. */
const simhashOf = once(() => createSimhash(2));

/** Reads the facts of an HTML page for the audit. @param document the tree of the page, which is not changed */
export function readPageFacts(page: FactsPage, document: HtmlDocument): PageFacts {
  const reader = new FactsReader(page);
  walkElements(document, {
    enter: (element) => reader.enter(element),
    leave: (element, entered) => reader.leave(element, entered),
    text: (text) => reader.text(text),
  });
  return reader.facts();
}

class FactsReader {
  readonly #page: FactsPage;
  readonly #head: HeadFacts;
  readonly #links: LinkFacts;
  readonly #ids = new Set<number>();
  readonly #pageText = new PageText();
  #base: string | undefined;
  #noscripts = 0;
  #isInH1 = false;
  #h1 = '';

  constructor(page: FactsPage) {
    this.#page = page;
    this.#head = new HeadFacts(page);
    this.#links = new LinkFacts(page);
  }

  /** @returns a value to pass to {@link FactsReader.leave} */
  enter(element: TreeElement): number {
    const { tagName, isHtml } = element;
    const base = this.#base ?? this.#page.url;
    this.#addId(element.attribute('id'));
    if (isHtml) {
      if (tagName === 'a') this.#addId(element.attribute('name'));
      else if (tagName === 'base')
        this.#base ??= resolveLink(element.attribute('href') ?? '', this.#page.url) ?? undefined;
      else if (tagName === 'noscript') this.#noscripts++;
      else if (tagName === 'h1' && this.#h1.trim() === '') this.#isInH1 = true;
      this.#head.enter(element, base);
      const refresh = this.#noscripts > 0 ? undefined : refreshOf(element);
      if (refresh !== undefined) this.#links.add({ raw: refresh, kind: REFRESH }, '', 0, base);
    }
    this.#links.enter(element, base);
    const role = element.attribute('role')?.trim().toLowerCase();
    const isHidden = element.attribute('hidden') !== undefined || element.attribute('aria-hidden') === 'true';
    return this.#pageText.enter(tagName, role, isHidden);
  }

  leave({ tagName, isHtml }: TreeElement, entered: number): void {
    this.#pageText.leave(entered);
    if (tagName === 'a') this.#links.leave();
    if (!isHtml) return;
    if (tagName === 'noscript') this.#noscripts--;
    if (tagName === 'title') this.#head.leaveTitle();
    if (tagName === 'h1') this.#isInH1 = false;
  }

  text(text: string): void {
    if (this.#head.isInTitle) {
      this.#head.addToTitle(text);
      return;
    }
    this.#pageText.add(text);
    this.#links.text(text);
    if (this.#isInH1 && this.#h1.length < 2 * MOST_ANCHOR) this.#h1 += text;
  }

  facts(): PageFacts {
    const { words, high, low } = simhashOf()(this.#pageText.withoutUrl(this.#page.url));
    const ownPlaces = this.#links.takeOwn(this.#ids);
    return {
      ...this.#head.found,
      ids: Uint32Array.from(this.#ids),
      links: this.#head.upgrades
        ? this.#links.links.map((link) => ({ ...link, rel: link.rel & ~MIXED }))
        : this.#links.links,
      ownPlaces,
      bad: this.#links.bad,
      h1: short(this.#h1, MOST_ANCHOR),
      words,
      simhash: [high, low],
      cutIds: 0,
      cutLinks: this.#links.cut,
    };
  }

  #addId(id: string | undefined): void {
    if (id) this.#ids.add(idHash(id));
  }
}
