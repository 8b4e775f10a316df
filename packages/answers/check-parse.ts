import {
  applyUrlChain,
  type ParsedOutlink,
  type ParsedPage,
  type CheckContext,
  outOfScope,
  NO_SCOPE,
  type PageContent,
  linkLimit,
  contentTypeOf,
  parseContent,
} from '../core/index.js';

/** A link of a page, and whether a crawl would store it. Texts are untrusted. */
export interface CheckedLink extends Pick<ParsedOutlink, 'url' | 'anchor' | 'sitemap'> {
  readonly accepted: boolean;
  /** The plugin that rejects the link, or the setting that drops it. */
  readonly rejectedBy?: string;
  readonly rule?: string;
}

/** A page as the crawl would parse it. Texts are untrusted. */
export type ParseCheck =
  | (Pick<ParsedPage, 'kind' | 'charset' | 'charsetSource' | 'language' | 'title' | 'text' | 'robots' | 'canonical'> &
      Pick<ParsedPage, 'refresh' | 'metadata' | 'needsScripts' | 'truncated'> & {
        readonly url: string;
        readonly contentType: string;
        /** The links that the parser found. With `nofollow`, the list is empty. */
        readonly outlinks: readonly CheckedLink[];
      })
  | {
      readonly kind: 'failed';
      readonly url: string;
      readonly contentType: string;
      readonly code: string;
      readonly message?: string;
    };

/**
 * Parses a page with the parser that the crawl would choose, and returns for each link whether a crawl would store it. If the page cannot
 * be parsed, the function does not throw, but returns a result of kind `failed`.
 */
export async function checkParse(context: CheckContext, page: PageContent): Promise<ParseCheck> {
  const { url } = page;
  const contentType = contentTypeOf(page);
  const { outcome } = await parseContent(context, page);
  if (outcome.kind === 'failed') return { ...outcome, url, contentType };
  const { outlinks: _, contentBlocks: __, ...rest } = outcome;
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
    if (outOfScope({ ...context, scope: NO_SCOPE }, from, verdict.url, link.sitemap) !== undefined)
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
