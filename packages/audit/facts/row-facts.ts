import { htmlDocument, urlOf, type CrawlContext, type Page, type PageRow } from '../../core/index.js';
import { FACTS_FIELD, decodeFacts, type PageFacts } from './facts.js';
import { storedFactsOf } from './plugin.js';

const FIELDS = [
  'content',
  'contentType',
  'headers',
  'outlinks',
  'parseStatus',
  'protocolStatus',
] as const satisfies (keyof Page)[];

/**
 * Returns the facts of a row with a page: those that parse stored, else those of its body, which are the same. So pages that were crawled
 * without `parser.audit` are audited too, at the cost of parsing them. Undefined: there are no facts, and no body that was parsed.
 */
export async function factsOfRow(
  { tables, settings }: CrawlContext,
  { key, custom }: PageRow<'custom'>,
): Promise<PageFacts | undefined> {
  const stored = decodeFacts(custom?.[FACTS_FIELD]);
  if (stored) return stored;
  const row = await tables.pages.get(key, FIELDS);
  if (row?.content === undefined || row.parseStatus?.code !== 'success') return undefined;
  const { content, contentType = 'text/html', headers = {}, outlinks = [], parseStatus } = row;
  const { charset, noindex = false, nofollow = false, noarchive = false } = parseStatus;
  const document = htmlDocument({ content, contentType, charset }, settings);
  const facts = storedFactsOf({
    url: urlOf(key),
    contentType,
    headers,
    content,
    truncated: row.protocolStatus?.truncated === true,
    title: '',
    text: '',
    outlinks,
    metadata: {},
    robots: { noindex, nofollow, noarchive },
    document: () => document,
  });
  return decodeFacts(facts);
}
