import { attribute, languageTag } from '../../core/index.js';
import { headOf } from './head.js';
import type { PageView } from './page-view.js';

/** A feed that a page links to. */
export interface FeedLink {
  readonly url: string;
  /** A media type in lower case. */
  readonly type: string;
  readonly title?: string;
}

/** The media types of feeds. Plain JSON is not a feed type here, because APIs of sites use it too. */
const FEED_TYPES: ReadonlySet<string> = new Set([
  'application/rss+xml',
  'application/atom+xml',
  'application/rdf+xml',
  'application/feed+json',
]);
const MAX_LINKS = 200;
const LONGEST_TITLE = 300;

/**
 * Returns the URLs of the page in other languages. The keys are language tags in lower case, or `x-default`. For each tag the first URL is
 * used. Undefined: the page has no such URL.
 */
export function hreflangOf(view: PageView): Readonly<Record<string, string>> | undefined {
  const found = new Map<string, string>();
  for (const { element, relations, url } of headOf(view)?.links ?? []) {
    const language = languageTag(attribute(element, 'hreflang'))?.toLowerCase();
    if (language === undefined || !relations.includes('alternate') || relations.includes('stylesheet')) continue;
    if (FEED_TYPES.has(mediaType(attribute(element, 'type'))) || found.has(language) || found.size >= MAX_LINKS)
      continue;
    found.set(language, url);
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}

/** The feeds that a page links to, each URL once. Undefined: the page links to no feed. */
export function feedsOf(view: PageView): FeedLink[] | undefined {
  const found = new Map<string, FeedLink>();
  for (const { element, relations, url } of headOf(view)?.links ?? []) {
    const type = mediaType(attribute(element, 'type'));
    if (!relations.includes('alternate') || !FEED_TYPES.has(type) || found.has(url) || found.size >= MAX_LINKS)
      continue;
    const title = attribute(element, 'title')?.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE);
    found.set(url, { url, type, ...(title !== undefined && title !== '' && { title }) });
  }
  return found.size === 0 ? undefined : [...found.values()];
}

function mediaType(type = ''): string {
  return type.split(';', 1)[0]!.trim().toLowerCase();
}
