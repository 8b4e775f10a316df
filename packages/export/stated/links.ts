import { isFeedLink, versionsOf } from '../../core/index.js';
import type { PageView } from './page-view.js';
import { statedBy } from './stated-by.js';

/** A feed that a page links to. */
export interface FeedLink {
  readonly url: string;
  /** A media type in lower case. */
  readonly type: string;
  readonly title?: string;
}

const MAX_LINKS = 200;
const MAX_TITLE_LENGTH = 300;

/**
 * Returns the URLs of the page in other languages. The keys are language tags in lower case, or `x-default`. For each tag the first URL is
 * used. Undefined: the page has no such URL.
 */
export function hreflangOf(view: PageView): Readonly<Record<string, string>> | undefined {
  const stated = statedBy(view);
  const found = stated && versionsOf(stated.links, MAX_LINKS, stated.resolve);
  return found && found.size > 0 ? Object.fromEntries(found) : undefined;
}

export function feedsOf(view: PageView): FeedLink[] | undefined {
  const found = new Map<string, FeedLink>();
  const stated = statedBy(view);
  for (const { href, type, title: written } of stated?.links.filter(isFeedLink) ?? []) {
    const url = stated!.resolve(href);
    if (url === undefined || found.has(url) || found.size >= MAX_LINKS) continue;
    const title = written.replace(/\s+/g, ' ').slice(0, MAX_TITLE_LENGTH);
    found.set(url, { url, type, ...(title !== '' && { title }) });
  }
  return found.size === 0 ? undefined : [...found.values()];
}
