import { tokens, type PageElement } from '../page-element.js';
import { languageTag } from './language-tag.js';

/** A `link` element, or a link of the `Link` header. An attribute that is missing is an empty string. */
export interface HeadLink {
  /** In lower case. */
  readonly relations: readonly string[];
  /** The URL as written. It is not empty. */
  readonly href: string;
  readonly language: string;
  /** The media type in lower case, without parameters. */
  readonly type: string;
  readonly title: string;
  readonly place: 'head' | 'body' | 'header';
}

/** Returns the absolute URL of a link. Undefined: a crawl cannot fetch it. */
export type Resolve = (href: string) => string | undefined;

/** The media types of feeds. Plain JSON is not among them, because APIs of sites use it too. */
const FEED_TYPES: ReadonlySet<string> = new Set([
  'application/rss+xml',
  'application/atom+xml',
  'application/rdf+xml',
  'application/feed+json',
]);

/**
 * Returns a link. Undefined: it has no URL, so it states nothing.
 * @param valueOf returns the value of an attribute
 */
export function headLink(
  relations: readonly string[],
  href: string | undefined,
  valueOf: (name: string) => string | undefined,
  place: HeadLink['place'],
): HeadLink | undefined {
  const url = href?.trim();
  if (!url) return undefined;
  const text = (name: string): string => valueOf(name)?.trim() ?? '';
  const type = text('type').split(';', 1)[0]!.trimEnd().toLowerCase();
  return { relations, href: url, language: text('hreflang'), type, title: text('title'), place };
}

export function linkOfElement(
  element: PageElement,
  place: HeadLink['place'],
  relations = tokens(element.attribute('rel')),
): HeadLink | undefined {
  return headLink(relations, element.attribute('href'), (name) => element.attribute(name), place);
}

export function isFeedLink({ relations, type }: HeadLink): boolean {
  return relations.includes('alternate') && FEED_TYPES.has(type);
}

/** Whether a link leads to a version of the page in another language. A style sheet may also be `alternate`, but is no version. */
export function isVersionLink(link: HeadLink): boolean {
  const { relations, language } = link;
  if (language === '' || !relations.includes('alternate') || relations.includes('stylesheet')) return false;
  return !isFeedLink(link);
}

/** Returns the canonical URL: the first that resolves. */
export function canonicalOf(links: Iterable<HeadLink>, resolve: Resolve): string | undefined {
  for (const { relations, href } of links) {
    const url = relations.includes('canonical') ? resolve(href) : undefined;
    if (url !== undefined) return url;
  }
  return undefined;
}

/**
 * Returns the URLs in other languages, by language tag in lower case or `x-default`: the first of each language that resolves.
 * @param max maximum number of languages
 */
export function versionsOf(links: Iterable<HeadLink>, max: number, resolve: Resolve): Map<string, string> {
  const found = new Map<string, string>();
  for (const link of links) {
    const language = isVersionLink(link) ? languageTag(link.language)?.toLowerCase() : undefined;
    if (language === undefined || found.has(language) || found.size >= max) continue;
    const url = resolve(link.href);
    if (url !== undefined) found.set(language, url);
  }
  return found;
}
