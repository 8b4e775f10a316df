import { messageOf } from '../errors/index.js';
import { chooseParser, sniffContentType, sniffSitemap } from '../parse/index.js';
import { applyUrlChain, type ParsedPage, type ParseOutcome } from '../plugin-api/index.js';
import { hostOf } from '../url/index.js';
import {
  encodeFields,
  type EncodedFields,
  type Outlink,
  type PageChange,
  type ParseStatus,
} from '../../webtable/index.js';
import type { Count } from './counters.js';
import { signatureOf, type CrawlContext } from './context.js';
import { outOfScope } from './external.js';
import { hintsOf } from './link-hints.js';

/** What parsing one page needs of it. */
export interface PageContent {
  readonly url: string;
  readonly content: Uint8Array | undefined;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body was cut at the limit of its size. */
  readonly truncated: boolean;
  /** It was named as a sitemap, so its content alone says what it is. */
  readonly sitemap?: boolean | undefined;
}

/** The cells that parse owns, as they are to be written. */
export interface ParseResult {
  readonly parsed: boolean;
  readonly encoded: EncodedFields;
  readonly unset: NonNullable<PageChange['unset']>;
}

/** What parsing needs of a crawl. */
export type ParseContext = Pick<CrawlContext, 'settings' | 'plugins' | 'parseThreads' | 'scope'>;

/**
 * Parses a page, in a thread where the crawl has some, and makes what is to be written of it. A failure of the page or of
 * a plugin is a result, not a throw.
 * Counters: parsed (parsed_in_part where a bound was reached), or failed_<code>; links, and links_<why> for those that
 * were dropped; not_a_sitemap for what was named as one and is neither sitemap, feed nor list of URLs, and was parsed as any
 * page; parse_thread_failed for pages that were parsed here because no thread could be started.
 */
export async function parsePage(crawl: ParseContext, page: PageContent, count: Count): Promise<ParseResult> {
  const answer = isForThread(crawl, page)
    ? await crawl.parseThreads?.parse(crawl.settings, page, crawl.scope?.scope)
    : undefined;
  if (answer === undefined) return parseHere(crawl, page, count);
  if ('counters' in answer) {
    for (const [reason, n] of answer.counters) count(reason, n);
    return answer.result;
  }
  if (answer.code !== 'no_thread') return failure(answer.code, answer.message, count);
  count('parse_thread_failed');
  return parseHere(crawl, page, count);
}

/** Threads have the plugins that they were made with; a parser that keeps the time has a thread of its own, or waits. */
function isForThread({ parseThreads, plugins }: ParseContext, page: PageContent): boolean {
  if (!page.content || parseThreads?.plugins !== plugins) return false;
  return !chooseParser(plugins, contentTypeOf(page))?.parser.keepsTime;
}

/** The media type by which a page is parsed; the content of a sitemap says more of it than its server does. */
export function contentTypeOf({ content = new Uint8Array(), contentType, headers, sitemap }: PageContent): string {
  return (sitemap ? sniffSitemap(content) : undefined) ?? sniffContentType(content, contentType, headers);
}

/** Parses a page in this thread; see {@link parsePage}. */
export async function parseHere(crawl: ParseContext, page: PageContent, count: Count): Promise<ParseResult> {
  const { outcome, by } = await parseContent(crawl, page);
  if (page.sitemap && page.content && sniffSitemap(page.content) === undefined) count('not_a_sitemap');
  if (outcome.kind === 'failed') return failure(outcome.code, outcome.message, count);
  const digest = signatureOf(crawl);
  let newSignature: string;
  try {
    newSignature = digest.signature({ url: page.url, content: page.content!, text: outcome.text });
  } catch (error) {
    return failure(`plugin_error_${digest.name}`, messageOf(error), count);
  }
  try {
    return success(crawl, page, outcome, newSignature, count);
  } catch (error) {
    // What a parser of JavaScript returns need not be what its type says.
    return failure(`plugin_error_${by}`, messageOf(error), count);
  }
}

function success(
  crawl: ParseContext,
  page: PageContent,
  outcome: ParsedPage,
  newSignature: string,
  count: Count,
): ParseResult {
  const refresh = outcome.refresh && refreshTarget(crawl, page.url, outcome.refresh.url, count);
  const set = {
    newSignature,
    parseStatus: statusOf(crawl, outcome),
    title: outcome.title,
    text: outcome.text,
    outlinks: keptLinks(crawl, page.url, outcome, refresh, count),
    pageMetadata: outcome.metadata,
    ...(outcome.language !== undefined && { language: outcome.language }),
    ...(refresh !== undefined && { redirect: refresh }),
  };
  const encoded = encodeFields(set);
  count('parsed');
  if (outcome.truncated) count('parsed_in_part');
  return {
    parsed: true,
    encoded,
    unset: [
      ...(outcome.language === undefined ? (['language'] as const) : []),
      ...(refresh === undefined ? (['redirect'] as const) : []),
    ],
  };
}

/**
 * What the parser for a page's type makes of it; that there is none, or that it throws, is a failure. `by` names the
 * plugin that parsed.
 */
export async function parseContent(
  crawl: Pick<CrawlContext, 'settings' | 'plugins'>,
  page: PageContent,
): Promise<{ outcome: ParseOutcome; by: string }> {
  const failed = (code: string, message?: string) => ({
    outcome: { kind: 'failed' as const, code, ...(message !== undefined && { message }) },
    by: '',
  });
  if (!page.content) return failed('missing_content');
  if (page.truncated && crawl.settings.parser.skipTruncated) return failed('truncated');
  const contentType = contentTypeOf(page);
  const plugin = chooseParser(crawl.plugins, contentType);
  if (!plugin) return failed('unsupported_type', contentType);
  try {
    const { url, content, headers, truncated } = page;
    const parsing = Promise.resolve(plugin.parser.parse({ url, content, contentType, headers, truncated }));
    const outcome: ParseOutcome | undefined = plugin.parser.keepsTime
      ? await parsing
      : await withTimeout(parsing, crawl.settings.parser.timeout);
    if (outcome) return { outcome, by: plugin.name };
    return failed(`plugin_error_${plugin.name}`, 'the parser answered nothing');
  } catch (error) {
    return failed(`plugin_error_${plugin.name}`, messageOf(error));
  }
}

/** Ends the wait for a parser that answers later; one that never yields can not be ended from its own thread. */
async function withTimeout(parse: Promise<ParseOutcome>, seconds: number): Promise<ParseOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ParseOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'failed', code: 'timeout' }), seconds * 1000);
  });
  try {
    return await Promise.race([parse, late]);
  } finally {
    clearTimeout(timer);
  }
}

function failure(code: string, message: string | undefined, count: Count): ParseResult {
  count(`failed_${code}`);
  const parseStatus = { code, ...(message !== undefined && { message: message.slice(0, 500) }) };
  return { parsed: false, encoded: encodeFields({ parseStatus }), unset: ['newSignature', 'redirect'] };
}

function statusOf(crawl: ParseContext, { robots, canonical, charset }: ParsedPage): ParseStatus {
  const verdict = canonical === undefined ? undefined : applyUrlChain(crawl.plugins, canonical, 'outlink');
  return {
    code: 'success',
    ...(robots.noindex && { noindex: true }),
    ...(robots.nofollow && { nofollow: true }),
    ...(verdict?.accepted && { canonical: verdict.url }),
    ...(charset !== undefined && { charset }),
  };
}

/** Where a meta refresh leads, when that is another page that the crawl may take. */
function refreshTarget(crawl: ParseContext, from: string, to: string, count: Count): string | undefined {
  const verdict = applyUrlChain(crawl.plugins, to, 'redirect');
  const out = verdict.accepted ? outOfScope(crawl, from, verdict.url) : undefined;
  if (!verdict.accepted) count(`redirect_rejected_${verdict.rejectedBy}`);
  else if (out !== undefined) count(`redirect_${out}`);
  else if (verdict.url !== from) return verdict.url;
  return undefined;
}

/** How many links of a page are kept, and the setting that says so. */
export function linkLimit(
  crawl: Pick<CrawlContext, 'settings'>,
  page: ParsedPage,
): { readonly limit: number; readonly setting: string } {
  const name = page.sitemap ? 'maxOutlinksPerSitemap' : 'maxOutlinksPerPage';
  const max = crawl.settings.db[name];
  return { limit: max < 0 ? Infinity : max, setting: `db.${name}` };
}

/** The links of a page after normalising and filtering, each URL once with its first anchor that is not empty. */
function keptLinks(
  crawl: ParseContext,
  from: string,
  page: ParsedPage,
  refresh: string | undefined,
  count: Count,
): Outlink[] {
  const { maxOutlinkLength, maxAnchorLength } = crawl.settings.db;
  const { limit } = linkLimit(crawl, page);
  const links = new Map<string, Omit<Outlink, 'url'>>();
  if (refresh !== undefined && !page.robots.nofollow) links.set(refresh, { anchor: '' });
  for (const { url, anchor: given, ...said } of page.outlinks) {
    if (url.length > maxOutlinkLength) {
      count('links_too_long');
      continue;
    }
    const verdict = applyUrlChain(crawl.plugins, url, 'outlink', said);
    const out = verdict.accepted ? outOfScope(crawl, from, verdict.url) : undefined;
    if (!verdict.accepted) count(`links_rejected_${verdict.rejectedBy}`);
    else if (out !== undefined) count(`links_${out}`);
    else {
      const known = links.get(verdict.url);
      const anchor = known?.anchor || given.slice(0, maxAnchorLength);
      // Nobody may say when the pages of another host are to be fetched.
      const hints = hintsOf(said);
      const isOwn = hints !== undefined && hostOf(from) === hostOf(verdict.url);
      if (known) links.set(verdict.url, { ...known, anchor });
      else if (links.size >= limit) count('links_over_limit');
      else links.set(verdict.url, { anchor, ...(isOwn && hints), ...(said.sitemap && { sitemap: true }) });
    }
  }
  count('links', links.size);
  return Array.from(links, ([url, link]) => ({ url, ...link }));
}
