import { messageOf } from '../../errors/index.js';
import type { ParsedPage, UrlStepPlugin } from '../../plugin-api/index.js';
import { encodeFields, type EncodedFields, type ParseStatus } from '../../../webtable/index.js';
import { outOfScope } from '../rows/leaves-site.js';
import type { Count } from '../reporting/counters.js';
import type { PageContent, ParseContext, ParseResult } from './parse-page.js';
import { callOnPage } from './call-on-page.js';
import { throughSteps, type PageDraft, type PageFailure } from './draft.js';
import { keptLinks } from './kept-links.js';

/** What is left to do of a page that was drafted. */
export interface FinishWork {
  /** The steps of the URL chain that the draft has not been through. */
  readonly steps: readonly UrlStepPlugin[];
  /** Seconds for `onPage` of all plugins together. */
  readonly seconds: number;
}

/** Makes the fields of a page that was drafted. A failure of the page or of a plugin is a value, not a throw. */
export async function finishPage(
  crawl: ParseContext,
  page: PageContent,
  draft: PageDraft & { readonly newSignature: string },
  { steps, seconds }: FinishWork,
  count: Count,
): Promise<ParseResult | PageFailure> {
  let seen: ParsedPage;
  let outlinks;
  let isCut: boolean;
  let redirect: string | undefined;
  let cells: EncodedFields;
  try {
    let cutLinks = draft.cutLinks;
    if (steps.length === 0) seen = draft.page;
    else {
      const further = throughSteps(draft.page, steps, count);
      seen = further.page;
      cutLinks = { ...cutLinks, ...further.cutLinks };
    }
    isCut = Object.keys(cutLinks).length > 0;
    redirect = refreshTarget(crawl, page.url, seen, count);
    outlinks = keptLinks(crawl, page.url, seen, redirect, count);
    cells = encodeFields({
      newSignature: draft.newSignature,
      parseStatus: statusOf(seen),
      title: seen.title,
      text: seen.text,
      outlinks,
      pageMetadata: seen.metadata,
      ...(seen.language !== undefined && { language: seen.language }),
      ...(seen.headings !== undefined && { headings: seen.headings }),
      ...(redirect !== undefined && { redirectTarget: redirect }),
      ...(isCut && { cutLinks }),
    });
  } catch (error) {
    // What a parser of JavaScript returns need not be what its type says.
    return { kind: 'failed', code: `plugin_error_${draft.by}`, message: messageOf(error) };
  }
  const custom = await callOnPage(crawl, page, { ...seen, outlinks }, seconds, count);
  count('parsed');
  if (seen.truncated) count('parsed_in_part');
  return {
    parsed: true,
    encoded: custom ? new Map([...cells, ...encodeFields({ custom })]) : cells,
    unset: [
      ...(seen.language === undefined ? (['language'] as const) : []),
      ...(seen.headings === undefined ? (['headings'] as const) : []),
      ...(redirect === undefined ? (['redirectTarget'] as const) : []),
      ...(custom === undefined ? (['custom'] as const) : []),
      ...(isCut ? [] : (['cutLinks'] as const)),
    ],
  };
}

function statusOf({ robots, canonical, charset }: ParsedPage): ParseStatus {
  return {
    code: 'success',
    ...(robots.noindex && { noindex: true }),
    ...(robots.nofollow && { nofollow: true }),
    ...(robots.noarchive && { noarchive: true }),
    ...(robots.maxSnippet !== undefined && { maxSnippet: robots.maxSnippet }),
    ...(canonical !== undefined && { canonical }),
    ...(charset !== undefined && { charset }),
  };
}

/** Where a meta refresh leads, when that is another page that the crawl may take. */
function refreshTarget(crawl: ParseContext, from: string, { refresh }: ParsedPage, count: Count): string | undefined {
  if (!refresh || refresh.url === from) return undefined;
  const out = outOfScope(crawl, from, refresh.url);
  if (out === undefined) return refresh.url;
  count(`redirect_${out}`);
  return undefined;
}
