import {
  findEncoding,
  firstHeading,
  headOf,
  isHtml,
  refreshOf,
  resolveLink,
  TreeElement,
  walkTree,
  type CrawledPage,
  type HtmlDocument,
} from '../../core/index.js';
import { createSimhash } from '../../duplicates/index.js';
import { once } from '../../util/index.js';
import { idHash, MARKS, type PageFacts, type RowStatements } from './facts.js';
import { headFacts, upgradesInsecure } from './head-facts.js';
import { LINK_KINDS, MIXED } from './kinds.js';
import { LinkFacts } from './link-facts.js';
import { PageText } from './page-text.js';
import { MAX_ANCHOR } from './short.js';

const REFRESH = LINK_KINDS.indexOf('refresh');
const MAX_HEADINGS = 200;
/** Ids of elements that the scripts of apps fill. */
const ROOTS: ReadonlySet<string> = new Set(['root', 'app', '__next', '__nuxt']);
const WALL_TITLE =
  /^(?:just a moment(?:\.{3}|…)?|attention required! \| cloudflare|ddos-guard|checking your browser(?: before accessing.*)?|security check)$/i;

export type FactsPage = Pick<
  CrawledPage,
  'url' | 'contentType' | 'headers' | 'content' | 'truncated' | 'outlinks' | 'charset' | 'document'
> &
  RowStatements;

const simhashOf = once(() => createSimhash(2));

/** Reads the facts of an HTML page for the audit. @param document the tree of the page, which is not changed */
export function readPageFacts(page: FactsPage, document: HtmlDocument): PageFacts {
  const head = headOf(document);
  const base = head.baseOf(page.url);
  const encodeQuery = findEncoding(page.charset ?? '')?.encodeQuery;
  const links = new LinkFacts(page, base, encodeQuery);
  const body = new BodyReader(links);
  walkTree(document, {
    enter: (element) => body.enter(new TreeElement(element)),
    leave: ({ tagName, namespaceURI }) => body.leave(tagName, isHtml({ namespaceURI })),
    text: (text) => body.text(text),
  });
  const { words, high, low } = simhashOf()(body.pageText.withoutUrl(page.url));
  const stated = headFacts(page, head, (href) => resolveLink(href, base, encodeQuery) ?? undefined);
  const ownPlaces = links.takeOwn(body.ids);
  const isSafe = upgradesInsecure(page, head);
  return {
    ...stated,
    marks: stated.marks | body.marks,
    titles: body.titles,
    headings: body.headings,
    imagesWithoutAlt: body.imagesWithoutAlt,
    ids: Uint32Array.from(body.ids),
    links: isSafe ? links.links.map((link) => ({ ...link, rel: link.rel & ~MIXED })) : links.links,
    ownPlaces,
    bad: links.bad,
    h1: firstHeading(document, MAX_ANCHOR),
    words,
    simhash: [high, low],
    cutIds: 0,
    cutLinks: links.cut,
  };
}

class BodyReader {
  readonly pageText = new PageText();
  readonly ids = new Set<number>();
  titles = 0;
  headings = '';
  marks = 0;
  imagesWithoutAlt = 0;
  readonly #links: LinkFacts;
  #title: string | undefined;
  #noscripts = 0;
  #hasRefresh = false;

  constructor(links: LinkFacts) {
    this.#links = links;
  }

  enter(element: TreeElement): true {
    this.#addId(element.attribute('id'));
    if (element.isHtml) this.#enterHtml(element);
    this.#links.enter(element);
    this.pageText.enter(element);
    return true;
  }

  leave(tagName: string, isOfHtml: boolean): void {
    this.pageText.leave();
    if (tagName === 'a') this.#links.leave();
    if (isOfHtml && tagName === 'noscript') this.#noscripts--;
    if (isOfHtml && tagName === 'title') this.#leaveTitle();
  }

  text(text: string): void {
    if (this.#title !== undefined) {
      this.#title += text;
      return;
    }
    this.pageText.add(text);
    this.#links.text(text);
  }

  #enterHtml(element: TreeElement): void {
    const { tagName } = element;
    const level = /^h([1-6])$/.exec(tagName)?.[1];
    const isKept = this.headings.length < MAX_HEADINGS || (level === '1' && !this.headings.includes('1'));
    if (level !== undefined && isKept) this.headings += level;
    if (tagName === 'a') this.#addId(element.attribute('name'));
    else if (tagName === 'noscript') this.#noscripts++;
    else if (tagName === 'title') this.#title = '';
    else if (tagName === 'meta') this.#readRefresh(element);
    else if (tagName === 'img' && needsAlt(element)) this.imagesWithoutAlt++;
    else if (tagName === 'div' && ROOTS.has(element.attribute('id') ?? '')) this.marks |= MARKS.app;
    else if (tagName === 'input' && isOf(element, 'type', 'password')) this.marks |= MARKS.password;
  }

  #leaveTitle(): void {
    const title = this.#title?.trim() ?? '';
    this.#title = undefined;
    if (title !== '') this.titles++;
    if (WALL_TITLE.test(title)) this.marks |= MARKS.wall;
  }

  #readRefresh(element: TreeElement): void {
    const refresh = this.#noscripts > 0 || this.#hasRefresh ? undefined : refreshOf(element);
    if (!refresh) return;
    this.#hasRefresh = true;
    if (refresh.url !== undefined) this.#links.add({ raw: refresh.url.trim(), kind: REFRESH }, '', 0);
  }

  #addId(id: string | undefined): void {
    if (id) this.ids.add(idHash(id));
  }
}

/** Whether an image has no text for those who cannot see it, and is not only decoration. */
function needsAlt(image: TreeElement): boolean {
  if (['alt', 'aria-label', 'aria-labelledby'].some((name) => image.attribute(name) !== undefined)) return false;
  if (isOf(image, 'aria-hidden', 'true') || isOf(image, 'role', 'presentation') || isOf(image, 'role', 'none'))
    return false;
  return !(isOf(image, 'width', '1') && isOf(image, 'height', '1'));
}

function isOf(element: TreeElement, attribute: string, value: string): boolean {
  return element.attribute(attribute)?.trim().toLowerCase() === value;
}
