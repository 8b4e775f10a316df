import { messageOf } from '../../errors/index.js';
import {
  applyUrlChain,
  linkVerdicts,
  type ParsedOutlink,
  type ParsedPage,
  type Plugin,
} from '../../plugin-api/index.js';
import { sniffSitemap } from '../../parse/index.js';
import { RULES_PLUGIN } from '../../rules/index.js';
import { signatureOf } from '../context.js';
import type { Count } from '../reporting/counters.js';
import type { PageContent, ParseContext } from './parse-page.js';
import { parseContent } from './parse-content.js';

/** A page that was parsed, and that the first steps of the URL chain have seen. Plain data, so it can cross threads. */
export interface PageDraft {
  readonly kind: 'draft';
  /** Its links, canonical URL and refresh are as the steps left them; those that they rejected are gone, and counted. */
  readonly page: ParsedPage;
  /** The plugin that parsed it. */
  readonly by: string;
  /** How many links rules of the table have cut so far, by rule. */
  readonly cutLinks: CutLinks;
  /** Absent where the signature was left out. */
  readonly newSignature?: string;
}

/** How many links of a page rules of the table have cut, by the id of the rule. */
export type CutLinks = Readonly<Record<string, number>>;

/** Why a page has no result. */
export interface PageFailure {
  readonly kind: 'failed';
  readonly code: string;
  readonly message?: string;
}

/** How much of the work on a page is done with its draft. */
export interface DraftWork {
  /** Plugins with the first steps of the URL chain. */
  readonly steps: readonly Plugin[];
  readonly signs: boolean;
}

/** Parses a page. A failure of the page or of a plugin is a value, not a throw. */
export async function draftPage(
  crawl: ParseContext,
  page: PageContent,
  { steps, signs }: DraftWork,
  count: Count,
): Promise<PageDraft | PageFailure> {
  const { outcome, by } = await parseContent(crawl, page);
  if (page.sitemap && page.content && sniffSitemap(page.content) === undefined) count('not_a_sitemap');
  if (outcome.kind === 'failed') return outcome;
  let newSignature: string | undefined;
  if (signs) {
    const signed = sign(crawl, page, outcome.text);
    if (typeof signed !== 'string') return signed;
    newSignature = signed;
  }
  try {
    const { page: seen, cutLinks } = throughSteps(outcome, steps, count, crawl.settings.db);
    return { kind: 'draft', page: seen, cutLinks, by, ...(newSignature !== undefined && { newSignature }) };
  } catch (error) {
    // What a parser of JavaScript returns need not be what its type says.
    return { kind: 'failed', code: `plugin_error_${by}`, message: messageOf(error) };
  }
}

/** The digest of a page, by the last plugin with a signature. */
export function sign(crawl: ParseContext, { url, content }: PageContent, text: string): string | PageFailure {
  const digest = signatureOf(crawl);
  try {
    return digest.signature({ url, content: content!, text });
  } catch (error) {
    return { kind: 'failed', code: `plugin_error_${digest.name}`, message: messageOf(error) };
  }
}

/**
 * A page as some steps of the URL chain leave it, of which parsing its URLs is always one.
 * @param limits what links are held to before the first step
 */
export function throughSteps(
  page: ParsedPage,
  steps: readonly Plugin[],
  count: Count,
  limits?: { readonly maxOutlinkLength: number; readonly maxAnchorLength: number },
): { readonly page: ParsedPage; readonly cutLinks: CutLinks } {
  const { canonical, refresh, ...rest } = page;
  const cutLinks: Record<string, number> = {};
  const verdictOf = linkVerdicts(steps);
  const toCanonical = canonical === undefined ? undefined : verdictOf(canonical);
  const toRefresh = refresh && applyUrlChain(steps, refresh.url, 'redirect');
  if (toRefresh?.accepted === false) count(`redirect_rejected_${toRefresh.rejectedBy}`);
  const outlinks: ParsedOutlink[] = [];
  for (const link of page.outlinks) {
    if (limits && link.url.length > limits.maxOutlinkLength) {
      count('links_too_long');
      continue;
    }
    const verdict = verdictOf(link.url, link);
    if (!verdict.accepted) {
      const { rejectedBy, rule } = verdict;
      count(`links_rejected_${rejectedBy}`);
      if (rejectedBy === RULES_PLUGIN) cutLinks[rule] = (cutLinks[rule] ?? 0) + 1;
    } else outlinks.push({ ...link, url: verdict.url, anchor: link.anchor.slice(0, limits?.maxAnchorLength) });
  }
  const seen = {
    ...rest,
    outlinks,
    ...(toCanonical?.accepted && { canonical: toCanonical.url }),
    ...(refresh && toRefresh?.accepted && { refresh: { ...refresh, url: toRefresh.url } }),
  };
  return { page: seen, cutLinks };
}
