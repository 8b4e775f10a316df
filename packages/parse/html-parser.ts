import type { ParsedOutlink, ParseInput, ParseOutcome, Parser } from '../plugin-api/index.js';
import { resolveLink, type EncodeQuery } from '../url/index.js';
import { fallbackEncoding } from './charset/charset.js';
import { readPage } from './html/read-page.js';
import { MAX_REFRESH_DELAY } from './shared/limits.js';
import { canonicalInHeader } from './html/link-header.js';
import { languageTag, type PageHead } from './html/page-head.js';
import type { ParseSettings } from './shared/parse-settings.js';
import { parseRefresh } from './html/refresh.js';

/**
 * Reads HTML, and XHTML by nearly the same rules (see {@link XhtmlRules}), as the HTML Standard says a browser without scripting does. Any bytes give
 * a page; the only failure is `timeout`, after `parser.timeout` seconds.
 *
 * - The text begins with the title. Code, and what only old browsers show, is no part of it.
 * - A link with `rel=nofollow` is left out; `ugc` and `sponsored` say what a link is, not whether to follow it.
 * - A refresh counts up to {@link MAX_REFRESH_DELAY} seconds, and not to the page itself. The target of a slower one is
 *   the first link.
 * - Declarative shadow roots, and `srcdoc` documents up to three within one another, are part of the
 *   page.
 * - Queries of links are escaped in the encoding of the page.
 * - Sizes are bounded by the settings and by limits.ts; what is beyond is left out.
 *
 * @param clock milliseconds from any origin
 * @throws CrawlError BAD_SETTING when `parser.characterEncodingDefault` names no encoding
 */
export function htmlParser(settings: ParseSettings, clock: () => number = () => performance.now()): Parser {
  fallbackEncoding(settings.parser.characterEncodingDefault);
  return {
    contentTypes: ['text/html', 'application/xhtml+xml'],
    parse: (input) => parseHtml(input, settings, clock),
  };
}

/** Reads one page; see {@link htmlParser}. */
export function parseHtml(input: ParseInput, settings: ParseSettings, clock: () => number): ParseOutcome {
  const { headers } = input;
  const deadline = clock() + settings.parser.timeout * 1000;
  const seen = readPage(input, settings, () => clock() > deadline);
  if (!seen) {
    return { kind: 'failed', code: 'timeout', message: `not done after ${settings.parser.timeout} seconds` };
  }
  const { robots, head, body, charset } = seen;

  const page = input.url;
  const { encodeQuery } = charset.encoding;
  const resolve = (reference: string | undefined, base: string) => resolveShort(reference, base, settings, encodeQuery);
  // The document base URL of the HTML Standard, unless it leads nowhere.
  const base = resolve(head.base, page) ?? page;
  const directives = robots.directives;
  const canonical =
    resolve(head.canonical, base) ?? resolveShort(canonicalInHeader(headers['link'], page), page, settings);
  const refresh = head.refresh ?? parseRefresh(headers['refresh'] ?? '');
  const target = resolve(refresh?.url, base);
  const leadsOn = refresh !== undefined && target !== undefined && target !== resolveLink('', page);
  const isRedirect = leadsOn && refresh.delay <= MAX_REFRESH_DELAY;
  const language = head.language ?? languageTag(headers['content-language']);
  const links = directives.nofollow ? [] : body.links.resolve(base, encodeQuery);
  return {
    kind: 'success',
    title: body.title,
    text: body.text.toString(),
    outlinks: leadsOn && !isRedirect && !directives.nofollow ? withTarget(links, target) : links,
    robots: directives,
    metadata: { ...head.metadata, ...alternates(head, (href) => resolve(href, base)) },
    charset: charset.encoding.name,
    charsetSource: charset.source,
    ...(canonical !== undefined && { canonical }),
    ...(isRedirect && { refresh: { url: target, delay: refresh.delay } }),
    ...(body.headings.length > 0 && { headings: body.headings }),
    ...(language !== undefined && { language }),
    ...((seen.truncated || body.links.truncated || body.text.full) && { truncated: true }),
  };
}

/** The links of a page and, unless it is one of them, the target of its refresh. */
function withTarget(links: ParsedOutlink[], target: string): ParsedOutlink[] {
  return links.some(({ url }) => url === target) ? links : [{ url: target, anchor: '' }, ...links];
}

/** `hreflang:<language>` with the URL of the page in that language. */
function alternates(head: PageHead, resolve: (href: string) => string | undefined): Record<string, string> {
  const urls = [...head.alternates].map(([language, href]) => [`hreflang:${language}`, resolve(href)]);
  return Object.fromEntries(urls.filter(([, url]) => url !== undefined)) as Record<string, string>;
}

function resolveShort(
  reference: string | undefined,
  base: string,
  { db }: ParseSettings,
  encodeQuery?: EncodeQuery,
): string | undefined {
  if (reference === undefined || reference.length > db.maxOutlinkLength) return undefined;
  const url = resolveLink(reference, base, encodeQuery);
  return url !== null && url.length <= db.maxOutlinkLength ? url : undefined;
}
