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
  isChallenge,
  isVersionLink,
  linksInHeader,
  type PageHead,
  type Resolve,
  type PageElement,
} from '../../core/index.js';
import { createSimhash } from '../../duplicates/index.js';
import { once } from '../../util/index.js';
import { idHash, MARKS, type PageFacts, type RowStatements } from './facts.js';
import { LINK_KINDS, MIXED } from './kinds.js';
import { LinkFacts } from './link-facts.js';
import { MAX_ANCHOR, MAX_TEXT, MAX_URL, short } from './short.js';
import { decoded } from './places.js';

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

/** Maximum number of canonicals that are stored, and of versions in other languages. */
const MAX_NAMED = 200;
const UPGRADES = /(?:^|[;,])\s*upgrade-insecure-requests\s*(?:[;,]|$)/i;

type HeadFacts = Pick<PageFacts, 'description' | 'canonicals' | 'alternates' | 'marks' | 'badJsonLd'>;

function headFacts({ headers, url, truncated }: FactsPage, head: PageHead, resolve: Resolve): HeadFacts {
  const canonicals: PageFacts['canonicals'][number][] = [];
  const alternates: PageFacts['alternates'][number][] = [];
  const isCut = (target: string, list: readonly unknown[]): boolean =>
    target.length > MAX_URL || list.length >= MAX_NAMED;
  let marks =
    (truncated ? MARKS.truncated : 0) |
    (isChallenge(headers) ? MARKS.wall : 0) |
    (head.runsScripts ? MARKS.scripts : 0);
  for (const link of [...head.links, ...linksInHeader(headers.link, url)]) {
    const { place } = link;
    const target = resolve(link.href);
    if (target === undefined) continue;
    if (link.relations.includes('canonical') && !isCut(target, canonicals)) canonicals.push({ url: target, place });
    if (!isVersionLink(link)) continue;
    if (isCut(target, alternates)) marks |= MARKS.cutAlternates;
    else alternates.push({ tag: short(link.language, MAX_ANCHOR), url: target, place });
  }
  const description = short(head.metadata['description'] ?? '', MAX_TEXT);
  return { description, canonicals, alternates, marks, badJsonLd: head.jsonLd.invalid };
}

/** Whether browsers load by https what a page names by http. */
function upgradesInsecure({ headers }: FactsPage, { metas }: PageHead): boolean {
  const policies = metas.flatMap(({ by, name, content }) =>
    by === 'http-equiv' && name === 'content-security-policy' ? [content] : [],
  );
  return [headers['content-security-policy'] ?? '', ...policies].some((policy) => UPGRADES.test(policy));
}

/** Elements whose text is not content of the page, or is on all pages of a site. */
const ASIDE: ReadonlySet<string> = new Set(
  'script style template noscript nav footer aside select button textarea svg math iframe object'.split(' '),
);
const ASIDE_ROLES: ReadonlySet<string> = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary']);

/** Collects the text outside navigation. If the page has a `main` element, only its text counts. */
class PageText {
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
