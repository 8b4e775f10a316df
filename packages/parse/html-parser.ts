import type { ParsedOutlink, ParseInput, ParseOutcome, Parser } from '../plugin-api/index.js';
import { resolveLink, type EncodeQuery } from '../url/index.js';
import { fallbackEncoding } from './charset/charset.js';
import { TextMemory } from './html/page-text.js';
import { readPage } from './html/read-page.js';
import { MAX_ALTERNATES, MAX_REFRESH_DELAY, MAX_SHELL_BYTES } from './shared/limits.js';
import { canonicalOf, versionsOf } from './html/head/head-link.js';
import { linksInHeader } from './html/head/link-header.js';
import type { ParseSettings } from './shared/parse-settings.js';
import { parseRefresh } from './html/head/refresh.js';

/**
 * Reads HTML as the HTML Standard defines it for a browser without scripting. XHTML is read by nearly the same rules, see
 * {@link XhtmlRules}. Any content can be read as HTML. So the only failure is `timeout`, after `parser.timeout` seconds.
 *
 * - The title comes from the `title` element. If it is empty, it comes from `og:title`, then from the first `h1`.
 * - The language comes from the first of these that states it: `html`, a `meta` with `http-equiv`, the header, `og:locale`.
 * - The text begins with the title element. It contains no code, and no content that only old browsers show.
 * - A link with `rel=nofollow` is left out; `ugc` and `sponsored` describe a link, but do not forbid following it.
 * - A refresh is a redirect if its delay is at most {@link MAX_REFRESH_DELAY} seconds and its target is not the page itself. With a
 *   longer delay, its target becomes the first link of the page.
 * - Declarative shadow roots are part of the page, and so are `srcdoc` documents, nested up to three deep.
 * - Queries of links are escaped in the encoding of the page.
 * - Settings and limits.ts limit the sizes. Content beyond a limit is left out.
 *
 * @param clock returns milliseconds, from any start
 * @throws CrawlError BAD_SETTING if `parser.characterEncodingDefault` names no encoding
 */
export function htmlParser(settings: ParseSettings, clock: () => number = () => performance.now()): Parser {
  fallbackEncoding(settings.parser.characterEncodingDefault);
  const memory = new TextMemory();
  return {
    contentTypes: ['text/html', 'application/xhtml+xml'],
    parse: (input) => parseHtml(input, settings, clock, memory),
  };
}

export function parseHtml(
  input: ParseInput,
  settings: ParseSettings,
  clock: () => number,
  memory = new TextMemory(),
): ParseOutcome {
  const { headers } = input;
  const deadline = clock() + settings.parser.timeout * 1000;
  const seen = readPage(input, { settings, expired: () => clock() > deadline, memory });
  if (!seen) {
    return { kind: 'failed', code: 'timeout', message: `not done after ${settings.parser.timeout} seconds` };
  }
  const { robots, head, body, charset } = seen;

  const page = input.url;
  const { encodeQuery } = charset.encoding;
  const resolve = (reference: string | undefined, base: string) => resolveShort(reference, base, settings, encodeQuery);
  // The document base URL of the HTML Standard. If it is not a valid base, the URL of the page is used.
  const base = resolve(head.base, page) ?? page;
  const ofPage = (href: string) => resolve(href, base);
  const directives = robots.directives;
  const links = [...head.links, ...linksInHeader(headers['link'], page)];
  const canonical = canonicalOf(links, ofPage);
  const refresh = head.refresh ?? parseRefresh(headers['refresh'] ?? '');
  const target = refresh?.url === undefined ? undefined : ofPage(refresh.url);
  const leadsOn = refresh !== undefined && target !== undefined && target !== resolveLink('', page);
  const isRedirect = leadsOn && refresh.delay <= MAX_REFRESH_DELAY;
  const { metadata } = head;
  const language = head.languageOf(headers['content-language']);
  const text = body.text.toString();
  const textRanges = body.ranges(text.length);
  const contentBlocks = settings.db.changesKeptDays ? body.text.unitsBefore(body.prose.blocks) : undefined;
  const contentBytes = body.prose.blocks.reduce((sum, at, i) => (i % 2 === 0 ? sum - at : sum + at), 0);
  const isFull = body.text.full;
  body.text.release();
  const allLinks = body.links.resolve(base, encodeQuery);
  const outlinks = directives.nofollow ? [] : allLinks;
  const isShell = head.runsScripts && !leadsOn && allLinks.length === 0 && contentBytes <= MAX_SHELL_BYTES;
  return {
    kind: 'success',
    title: body.title || metadata['og:title'] || (body.topHeading ?? ''),
    text,
    outlinks: leadsOn && !isRedirect && !directives.nofollow ? withTarget(outlinks, target) : outlinks,
    robots: directives,
    metadata: { ...metadata, ...alternates(versionsOf(links, MAX_ALTERNATES, ofPage)) },
    charset: charset.encoding.name,
    charsetSource: charset.source,
    ...(canonical !== undefined && { canonical }),
    ...(isRedirect && { refresh: { url: target, delay: refresh.delay } }),
    ...(textRanges.length > 0 && { textRanges }),
    ...(contentBlocks && { contentBlocks }),
    ...(body.headings.length > 0 && { headings: body.headings }),
    ...(language !== undefined && { language }),
    ...(isShell && { needsScripts: true }),
    ...((seen.truncated || body.links.truncated || isFull) && { truncated: true }),
    ...(isFull && !seen.truncated && !body.links.truncated && { hasAllLinks: true }),
  };
}

/** Returns the links of a page, with the target of its refresh first. If the target is among the links, they stay unchanged. */
function withTarget(links: ParsedOutlink[], target: string): ParsedOutlink[] {
  return links.some(({ url }) => url === target) ? links : [{ url: target, anchor: '' }, ...links];
}

/** Returns metadata: for each other language of the page, an entry `hreflang:<language>` with the URL in that language. */
function alternates(versions: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(Array.from(versions, ([language, url]) => [`hreflang:${language}`, url]));
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
