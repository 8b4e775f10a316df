import type { ParseInput, ParseOutcome, Parser } from '../plugin-api/index.js';
import { resolveLink } from '../url/index.js';
import { encodingOf, fallbackEncoding } from './charset.js';
import type { Encoding } from './encodings.js';
import { scanHtml } from './html-scan.js';
import { sourceOf } from './html-source.js';
import { parseTree, walkTree } from './html-tree.js';
import { MAX_ELEMENTS, MAX_REFRESH_DELAY } from './limits.js';
import { canonicalInHeader } from './link-header.js';
import { PageBody } from './page-body.js';
import { languageTag, PageHead } from './page-head.js';
import type { ParseSettings } from './parse-settings.js';
import { parseRefresh } from './refresh.js';
import { RobotsReader } from './robots.js';

/**
 * Reads HTML, and XHTML by nearly the same rules (see {@link XhtmlRules}), as the HTML Standard says a browser without scripting does. Any bytes give
 * a page; the only failure is `timeout`, after `parser.timeout` seconds.
 *
 * - The text begins with the title. Code, and what only old browsers show, is no part of it.
 * - A link with `rel=nofollow` is left out; `ugc` and `sponsored` tell what a link is, not whether to follow it.
 * - A refresh counts up to {@link MAX_REFRESH_DELAY} seconds, and not to the page itself.
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
  const encoding = encodingOf(input.content, headers['content-type'], settings.parser.characterEncodingDefault);
  const seen = readPage(encoding, input, settings, () => clock() > deadline);
  if (!seen) {
    return { kind: 'failed', code: 'timeout', message: `not done after ${settings.parser.timeout} seconds` };
  }
  const { robots, head, body } = seen;

  const page = input.url;
  // The document base URL of the HTML Standard, unless it leads nowhere.
  const base = resolve(head.base, page, settings) ?? page;
  const directives = robots.directives;
  const canonical =
    resolve(head.canonical, base, settings) ?? resolve(canonicalInHeader(headers['link'], page), page, settings);
  const refresh = head.refresh ?? parseRefresh(headers['refresh'] ?? '');
  const target = resolve(refresh?.url, base, settings);
  const isRedirect = refresh && refresh.delay <= MAX_REFRESH_DELAY && target !== resolveLink('', page);
  const language = head.language ?? languageTag(headers['content-language']);
  return {
    kind: 'success',
    title: body.title,
    text: body.text.toString(),
    outlinks: directives.nofollow ? [] : body.links.resolve(base),
    robots: directives,
    metadata: { ...head.metadata, ...alternates(head, base, settings) },
    charset: encoding.name,
    ...(canonical !== undefined && { canonical }),
    ...(isRedirect && target !== undefined && { refresh: { url: target, delay: refresh.delay } }),
    ...(language !== undefined && { language }),
    ...((seen.truncated || body.links.truncated || body.text.full) && { truncated: true }),
  };
}

/** What was seen of a page. */
interface Seen {
  readonly robots: RobotsReader;
  readonly head: PageHead;
  readonly body: PageBody;
  readonly truncated: boolean;
}

/** Reads a page: by the scanner where that is sure, else from its tree. Undefined when time was up. */
function readPage(
  encoding: Encoding,
  input: ParseInput,
  settings: ParseSettings,
  expired: () => boolean,
): Seen | undefined {
  const xhtml = input.contentType === 'application/xhtml+xml';
  const begin = () => {
    const robots = new RobotsReader(settings.http.agentName);
    robots.addHeader(input.headers['x-robots-tag']);
    const head = new PageHead(robots);
    return { robots, head, body: new PageBody(settings, head) };
  };
  if (!xhtml) {
    const scanned = begin();
    if (scanHtml(sourceOf(input.content, encoding), scanned.body, MAX_ELEMENTS))
      return { ...scanned, truncated: false };
  }
  const tree = parseTree(encoding.decode(input.content), MAX_ELEMENTS, expired, xhtml);
  if (!tree) return undefined;
  const read = begin();
  walkTree(tree.document, read.body);
  return { ...read, truncated: tree.truncated };
}

/** `hreflang:<language>` with the URL of the page in that language. */
function alternates(head: PageHead, base: string, settings: ParseSettings): Record<string, string> {
  const urls = [...head.alternates].map(([language, href]) => [`hreflang:${language}`, resolve(href, base, settings)]);
  return Object.fromEntries(urls.filter(([, url]) => url !== undefined)) as Record<string, string>;
}

function resolve(reference: string | undefined, base: string, { db }: ParseSettings): string | undefined {
  const url = reference !== undefined && reference.length <= db.maxOutlinkLength ? resolveLink(reference, base) : null;
  return url !== null && url.length <= db.maxOutlinkLength ? url : undefined;
}
