import {
  contentTypeOf,
  htmlTree,
  rowKeyOf,
  urlOf,
  type CrawlContext,
  type Page,
  type PageRow,
  type StoredVersion,
} from '../../core/index.js';
import { createBoundedCache } from '../../util/index.js';
import { FACTS_FIELD, NO_FACTS, decodeFacts, type PageFacts } from './facts.js';
import type { FactsPage } from './page-facts.js';
import { storedFactsOf } from './plugin.js';

const FIELDS = [
  'content',
  'contentType',
  'headers',
  'outlinks',
  'parseStatus',
  'protocolStatus',
  'sitemap',
] as const satisfies (keyof Page)[];

export const FACT_FIELDS = ['custom', 'headings', 'pageMetadata', 'parseStatus'] as const satisfies (keyof Page)[];

/** The facts of a page have at most 48,000 bytes. */
const MAX_CACHED_PAGES = 50;

/** Makes a function that returns the facts of the page at a URL. Many redirects lead to the same page, so it keeps the latest facts. */
export function createFactsOf(crawl: CrawlContext): (url: string) => Promise<PageFacts | undefined> {
  const kept = createBoundedCache<PageFacts>(MAX_CACHED_PAGES);
  return async (url) => {
    const known = kept.get(url);
    if (known) return known;
    const row = await crawl.tables.pages.get(rowKeyOf(url), FACT_FIELDS);
    const facts = row && (await factsOfRow(crawl, row));
    if (facts) kept.set(url, facts);
    return facts;
  };
}

/**
 * Returns the facts of a row with a page: those that parse stored, else those of its body. These are the same, except that they do not
 * say whether parse reached the limit of text (`parser.textLimit`), or any limit of a type other than HTML. So pages that were crawled
 * without `parser.audit` are audited too, at the cost of parsing them. Undefined: there are no facts, and no body that was parsed.
 */
export async function factsOfRow(
  { tables, settings }: CrawlContext,
  { key, custom, headings, pageMetadata, parseStatus }: PageRow<(typeof FACT_FIELDS)[number]>,
): Promise<PageFacts | undefined> {
  const row = { canonical: parseStatus?.canonical, headings, metadata: pageMetadata };
  const stored = decodeFacts(custom?.[FACTS_FIELD], row);
  if (stored) return stored;
  if (parseStatus?.code !== 'success') return undefined;
  const read = await tables.pages.get(key, FIELDS);
  if (read?.content === undefined || read.parseStatus?.code !== 'success') return undefined;
  const { content, contentType = '', headers = {}, outlinks, protocolStatus, sitemap, parseStatus: parsed } = read;
  const truncated = protocolStatus?.truncated === true;
  const page = { url: urlOf(key), content, contentType, headers, truncated, sitemap };
  return factsOfBody({ settings }, page, parsed.charset, outlinks);
}

/**
 * Returns the facts of the body of a page, as parse stores them.
 * @param charset of the parsed page
 * @param outlinks of the parsed page; links to other URLs are stored as URLs
 */
export function factsOfBody(
  { settings }: Pick<CrawlContext, 'settings'>,
  page: StoredVersion,
  charset: string | undefined,
  outlinks: FactsPage['outlinks'] = [],
): PageFacts {
  const { content, truncated } = page;
  const contentType = contentTypeOf(page);
  const tree = htmlTree({ content, contentType, charset }, settings);
  const facts = storedFactsOf({
    ...page,
    contentType,
    truncated: truncated || tree?.truncated === true,
    outlinks,
    ...(charset !== undefined && { charset }),
    document: () => tree?.document,
  });
  return decodeFacts(facts) ?? NO_FACTS;
}
