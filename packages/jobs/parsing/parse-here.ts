import { hash } from 'node:crypto';
import { messageOf } from '../../errors/index.js';
import { languageByWords, sniffSitemap, statedTimes } from '../../parse/index.js';
import {
  RULES_PLUGIN,
  applyUrlChain,
  linkVerdicts,
  type ParsedOutlink,
  type ParsedPage,
} from '../../plugin-api/index.js';
import { encodeFields, type CellBuffer, type PageChange, type ParseStatus } from '../../../webtable/index.js';
import { signatureOf } from '../context.js';
import { makeDigest } from '../changes/make-digest.js';
import { outOfScope } from '../rows/leaves-site.js';
import type { Count } from '../reporting/counters.js';
import { withOnPage } from './call-on-page.js';
import { keptLinks } from './kept-links.js';
import { parseContent } from './parse-content.js';
import type { PageContent, ParseContext, ParseResult } from './parse-page.js';

/**
 * Parses a page in this thread, see `parsePage`.
 * @param cells the buffer for the fields; absent: a new buffer
 * @param deadline the end of the allowed time, by `performance.now()`. Absent: `onPage` may take the whole `parser.timeout`.
 */
export async function parseHere(
  crawl: ParseContext,
  page: PageContent,
  count: Count,
  cells?: CellBuffer,
  deadline?: number,
): Promise<ParseResult> {
  const result = await parseWithoutOnPage(crawl, page, count, cells);
  const { timeout } = crawl.settings.parser;
  return withOnPage(
    crawl,
    page,
    result,
    deadline === undefined ? timeout : (deadline - performance.now()) / 1000,
    count,
  );
}

/**
 * Parses a page in this thread without `onPage` of plugins. If the page or a plugin fails, it does not throw, but returns a result with the
 * failure.
 */
export async function parseWithoutOnPage(
  crawl: ParseContext,
  page: PageContent,
  count: Count,
  cells?: CellBuffer,
): Promise<ParseResult> {
  const { outcome, by } = await parseContent(crawl, page);
  if (page.sitemap && page.content && sniffSitemap(page.content) === undefined) count('not_a_sitemap');
  if (outcome.kind === 'failed') return failure(outcome.code, outcome.message, count, cells);
  let newSignature;
  const digest = signatureOf(crawl);
  const content = page.content!;
  const sha1 = hash('sha1', content);
  try {
    newSignature = digest.signature({ url: page.url, content, sha1, text: outcome.text });
  } catch (error) {
    return failure(`plugin_error_${digest.name}`, messageOf(error), count, cells);
  }
  try {
    return { ...resultOf(crawl, page, outcome, { newSignature, by, cells }, count), sha1 };
  } catch (error) {
    // A parser in JavaScript may have returned a value of the wrong type.
    return failure(`plugin_error_${by}`, messageOf(error), count, cells);
  }
}

/** Returns the result to store for a page that could not be parsed. */
export function failure(code: string, message: string | undefined, count: Count, cells?: CellBuffer): ParseResult {
  count(`failed_${code}`);
  const parseStatus = { code, ...(message !== undefined && { message: message.slice(0, 500) }) };
  return {
    parsed: false,
    encoded: encodeFields({ parseStatus }, cells),
    unset: ['newSignature', 'digest', 'redirectTarget'],
  };
}

function resultOf(
  crawl: ParseContext,
  page: PageContent,
  parsed: ParsedPage,
  {
    newSignature,
    by,
    cells,
  }: { readonly newSignature: string; readonly by: string; readonly cells: CellBuffer | undefined },
  count: Count,
): ParseResult {
  const { page: seen, rejectedLinks } = throughUrlChain(crawl, parsed, count);
  const isCut = Object.keys(rejectedLinks).length > 0;
  const redirect = refreshTarget(crawl, page, seen, count);
  const language = seen.language ?? languageByWords(seen.text);
  const outlinks = keptLinks(crawl, page.url, seen, redirect, count);
  const fields: NonNullable<PageChange['set']> = {
    newSignature,
    ...(crawl.settings.db.changesKeptDays > 0 && { digest: makeDigest(page.url, parsed, by, crawl.settings) }),
    parseStatus: statusOf(seen),
    title: seen.title,
    text: seen.text,
    outlinks,
    pageMetadata: seen.metadata,
    ...(language !== undefined && {
      language,
      languageSource: seen.language === undefined ? 'detected' : 'stated',
    }),
    ...(seen.headings !== undefined && { headings: seen.headings }),
    ...(seen.textRanges !== undefined && { textRanges: seen.textRanges }),
    ...(redirect !== undefined && { redirectTarget: redirect }),
    ...(isCut && { rejectedLinks }),
  };
  const encoded = encodeFields(fields, cells);
  count('parsed');
  if (seen.truncated) count('parsed_in_part');
  if (seen.needsScripts) count('needs_scripts');
  if (seen.textLost !== undefined) count('pdf_text_lost');
  else if (seen.textless !== undefined && seen.text === '') count('pdf_no_text');
  return {
    parsed: true,
    ...(seen.truncated && !seen.hasAllLinks && { inPart: true }),
    refresh: redirect,
    encoded,
    unset: [
      'custom',
      ...(language === undefined ? (['language', 'languageSource'] as const) : []),
      ...(seen.headings === undefined ? (['headings'] as const) : []),
      ...(seen.textRanges === undefined ? (['textRanges'] as const) : []),
      ...(redirect === undefined ? (['redirectTarget'] as const) : []),
      ...(isCut ? [] : (['rejectedLinks'] as const)),
    ],
  };
}

interface SeenPage {
  readonly page: ParsedPage;
  /** Number of links of the page that each rule of the table rejects, by the id of the rule. */
  readonly rejectedLinks: Readonly<Record<string, number>>;
}

/** Passes the links of a page through the URL chain. Rejected links are removed and counted. */
function throughUrlChain({ plugins, settings: { db } }: ParseContext, page: ParsedPage, count: Count): SeenPage {
  const { canonical, refresh, ...rest } = page;
  const rejectedLinks: Record<string, number> = {};
  const verdictOf = linkVerdicts(plugins);
  const toCanonical = canonical === undefined ? undefined : verdictOf(canonical);
  const toRefresh = refresh && applyUrlChain(plugins, refresh.url, 'redirect');
  if (toRefresh?.accepted === false) count(`redirect_rejected_${toRefresh.rejectedBy}`);
  const outlinks: ParsedOutlink[] = [];
  for (const link of page.outlinks) {
    if (link.url.length > db.maxOutlinkLength) {
      count('links_too_long');
      continue;
    }
    const verdict = verdictOf(link.url, link);
    if (!verdict.accepted) {
      const { rejectedBy, rule } = verdict;
      count(`links_rejected_${rejectedBy}`);
      if (rejectedBy === RULES_PLUGIN) rejectedLinks[rule] = (rejectedLinks[rule] ?? 0) + 1;
    } else outlinks.push({ ...link, url: verdict.url, anchor: link.anchor.slice(0, db.maxAnchorLength) });
  }
  const seen = {
    ...rest,
    outlinks,
    ...(toCanonical?.accepted && { canonical: toCanonical.url }),
    ...(refresh && toRefresh?.accepted && { refresh: { ...refresh, url: toRefresh.url } }),
  };
  return { page: seen, rejectedLinks };
}

function statusOf({ robots, canonical, charset, metadata, textLost, textless }: ParsedPage): ParseStatus {
  const { published, modified } = statedTimes(metadata);
  return {
    code: 'success',
    ...(robots.noindex && { noindex: true }),
    ...(robots.nofollow && { nofollow: true }),
    ...(robots.noarchive && { noarchive: true }),
    ...(robots.maxSnippet !== undefined && { maxSnippet: robots.maxSnippet }),
    ...(canonical !== undefined && { canonical }),
    ...(charset !== undefined && { charset }),
    ...(published && { publishedAt: published.time }),
    ...(modified && { statedModifiedAt: modified.time }),
    ...(textLost !== undefined && { textLost }),
    ...(textless !== undefined && { textless }),
  };
}

/** Returns the target of a meta refresh. Returns undefined if the target is the page itself, or if the crawl may not fetch it. */
function refreshTarget(
  crawl: ParseContext,
  { url, isSeed = false }: PageContent,
  { refresh }: ParsedPage,
  count: Count,
): string | undefined {
  if (!refresh || refresh.url === url) return undefined;
  const out = isSeed ? undefined : outOfScope(crawl, url, refresh.url);
  if (out === undefined) return refresh.url;
  count(`redirect_${out}`);
  return undefined;
}
