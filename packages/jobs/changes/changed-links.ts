import type { ChangedLinks, EncodedFields } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';
import { plainLink } from './noise.js';

/** Maximum number of URLs of each list, and maximum number of their characters together. */
const MAX_URLS = 20;
const MAX_CHARS = 4_000;

/**
 * Compares the links that a parse has found with the links in the row, before the change of the parse replaces them. It reads the links
 * only if the digests differ. Returns undefined if the links of the logged page are the same, or if the row does not have them.
 * @param encoded the fields that the parse sets
 */
export async function changedLinks(
  { tables: { pages } }: Pick<CrawlContext, 'tables'>,
  key: string,
  encoded: EncodedFields,
): Promise<ChangedLinks | undefined> {
  const { digest: is } = encoded.decode(['digest']);
  if (!is || !encoded.get('outlinks')) return undefined;
  const { logged, marks, changedLinks: earlier } = (await pages.get(key, ['logged', 'marks', 'changedLinks'])) ?? {};
  // The row has the links of an earlier parse in this batch.
  if (marks?.parse !== undefined) return earlier;
  const was = logged?.digest;
  // With `suspect`, the row has the links of a page that is not logged.
  if (!was || was.basis !== is.basis || logged?.suspect) return undefined;
  if (was.links === is.links && was.externalLinks === is.externalLinks) return undefined;
  const before = urlsOf((await pages.get(key, ['outlinks']))?.outlinks);
  const now = urlsOf(encoded.decode(['outlinks']).outlinks);
  const [added, removed] = [without(now, before), without(before, now)];
  const [some, others] = [cut(added), cut(removed)];
  const isCut = some.length < added.length || others.length < removed.length;
  return { added: some, removed: others, ...(isCut && { isCut }) };
}

/** The URLs of links, by their form in a digest. */
function urlsOf(links: readonly { readonly url: string }[] = []): ReadonlyMap<string, string> {
  return new Map(links.map(({ url }) => [plainLink(url), url]));
}

function without(some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): string[] {
  return [...some].flatMap(([plain, url]) => (others.has(plain) ? [] : [url]));
}

function cut(urls: readonly string[]): readonly string[] {
  let chars = 0;
  return urls.slice(0, MAX_URLS).filter(({ length }) => (chars += length) <= MAX_CHARS);
}
