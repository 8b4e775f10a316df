import type { ParsedOutlink, ParsedPage } from '../../plugin-api/index.js';
import { hostOf } from '../../url/index.js';
import type { Outlink } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { outOfScope } from '../rows/leaves-site.js';
import { hintsOf } from './link-hints.js';
import type { Count } from '../reporting/counters.js';
import type { ParseContext } from './parse-page.js';

/** Returns the maximum number of links to store for a page, and the setting with this limit. */
export function linkLimit(
  crawl: Pick<CrawlContext, 'settings'>,
  page: ParsedPage,
): { readonly limit: number; readonly setting: string } {
  const name = page.sitemap ? 'maxOutlinksPerSitemap' : 'maxOutlinksPerPage';
  const max = crawl.settings.db[name];
  return { limit: max < 0 ? Infinity : max, setting: `db.${name}` };
}

/** Returns the links to store among those that the URL chain accepted. Each URL is stored once, with its first anchor that is not empty. */
export function keptLinks(
  crawl: ParseContext,
  from: string,
  page: ParsedPage,
  refresh: string | undefined,
  count: Count,
): Outlink[] {
  const { limit } = linkLimit(crawl, page);
  const links = new Map<string, KeptLink>();
  if (refresh !== undefined && !page.robots.nofollow) links.set(refresh, { url: refresh, anchor: '' });
  for (const link of page.outlinks) {
    const { url } = link;
    const out = outOfScope(crawl, from, url, link.sitemap);
    if (out !== undefined) {
      count(`links_${out}`);
      continue;
    }
    const known = links.get(url);
    if (known) known.anchor ||= link.anchor;
    else if (links.size >= limit) count('links_over_limit');
    else links.set(url, keptLink(from, link));
  }
  count('links', links.size);
  return [...links.values()];
}

type KeptLink = Omit<Outlink, 'anchor'> & { anchor: string };

function keptLink(from: string, link: ParsedOutlink): KeptLink {
  const { url, anchor } = link;
  const hints = hintsOf(link);
  if (hints === undefined && !link.sitemap) return { url, anchor };
  // A page may set fetch times only for pages of its own host.
  const isOwn = hints !== undefined && hostOf(from) === hostOf(url);
  return { url, anchor, ...(isOwn && hints), ...(link.sitemap && { sitemap: true }) };
}
