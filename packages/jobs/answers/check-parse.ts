import {
  applyUrlChain,
  type CharsetSource,
  type ParsedOutlink,
  type ParsedPage,
  type RobotsDirectives,
} from '../../plugin-api/index.js';
import type { CheckContext } from '../check-url.js';
import { outOfScope } from '../rows/leaves-site.js';
import type { PageContent } from '../parsing/parse-page.js';
import { linkLimit } from '../parsing/kept-links.js';
import { contentTypeOf, parseContent } from '../parsing/parse-content.js';

/** A link of a page, and whether a crawl would keep it. Texts are untrusted. */
export interface CheckedLink {
  /** Absolute, as found. */
  readonly url: string;
  readonly anchor: string;
  /** It is named as a sitemap. */
  readonly sitemap?: true;
  readonly accepted: boolean;
  /** The plugin that rejects it, or the setting that drops it. */
  readonly rejectedBy?: string;
  readonly rule?: string;
}

/** A page as the crawl would parse it. Texts are untrusted. */
export type ParseCheck =
  | {
      readonly kind: 'success';
      readonly url: string;
      readonly contentType: string;
      readonly charset?: string;
      readonly charsetSource?: CharsetSource;
      readonly language?: string;
      readonly title: string;
      readonly text: string;
      /** Those that the parser found: under `nofollow` none. */
      readonly outlinks: readonly CheckedLink[];
      readonly robots: RobotsDirectives;
      readonly canonical?: string;
      readonly refresh?: { readonly url: string; readonly delay: number };
      readonly metadata: Readonly<Record<string, string>>;
      /** A bound was reached, and the rest of the page was left out. */
      readonly truncated?: boolean;
    }
  | {
      readonly kind: 'failed';
      readonly url: string;
      readonly contentType: string;
      readonly code: string;
      readonly message?: string;
    };

/**
 * Parses a page with the parser that the crawl would choose, and says of each link whether it would be kept. A page
 * that cannot be parsed is a result, not a throw.
 */
export async function checkParse(context: CheckContext, page: PageContent): Promise<ParseCheck> {
  const { url } = page;
  const contentType = contentTypeOf(page);
  const { outcome } = await parseContent(context, page);
  if (outcome.kind === 'failed') return { ...outcome, url, contentType };
  const { outlinks: _, ...rest } = outcome;
  return {
    ...rest,
    url,
    contentType,
    outlinks: checkLinks(context, url, outcome),
    ...(page.truncated && { truncated: true }),
  };
}

function checkLinks(context: CheckContext, from: string, page: ParsedPage): CheckedLink[] {
  const { maxOutlinkLength } = context.settings.db;
  const { limit, setting } = linkLimit(context, page);
  const kept = new Set<string>();
  const rejection = (link: ParsedOutlink): { rejectedBy: string; rule?: string } | undefined => {
    const { url } = link;
    if (url.length > maxOutlinkLength) return { rejectedBy: 'db.maxOutlinkLength' };
    const verdict = applyUrlChain(context.plugins, url, 'outlink', link);
    if (!verdict.accepted) return { rejectedBy: verdict.rejectedBy, rule: verdict.rule };
    if (outOfScope(context, from, verdict.url, link.sitemap) !== undefined)
      return { rejectedBy: 'db.ignoreExternalLinks' };
    if (!kept.has(verdict.url) && kept.size >= limit) return { rejectedBy: setting };
    kept.add(verdict.url);
    return undefined;
  };
  return page.outlinks.map((link) => {
    const { url, anchor, sitemap } = link;
    const rejected = rejection(link);
    return { url, anchor, ...(sitemap && { sitemap }), accepted: rejected === undefined, ...rejected };
  });
}
