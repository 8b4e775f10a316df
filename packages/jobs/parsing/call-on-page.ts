import { htmlDocument } from '../../parse/index.js';
import type { CrawledPage, HtmlDocument, ParsedPage } from '../../plugin-api/index.js';
import { deadline } from '../../util/index.js';
import type { CustomFields, Outlink } from '../../../webtable/index.js';
import type { Count } from '../reporting/counters.js';
import type { PageContent, ParseContext } from './parse-page.js';
import { contentTypeOf } from './parse-content.js';

/** Bytes of JSON that the fields of all plugins may have together, so that a row stays one that is read at once. */
export const CUSTOM_LIMIT = 65_536;

/**
 * Shows a page to every plugin with `onPage`, in list order. What fails is counted and left out.
 * @param seconds for all of them together
 * @returns the fields that they add; undefined where there are none
 */
export async function callOnPage(
  crawl: ParseContext,
  content: PageContent,
  page: ParsedPage & { readonly outlinks: readonly Outlink[] },
  seconds: number,
  count: Count,
): Promise<CustomFields | undefined> {
  const plugins = crawl.plugins.filter(({ onPage }) => onPage);
  if (plugins.length === 0) return undefined;
  const crawled = crawledPage(crawl, content, page);
  const end = performance.now() + seconds * 1000;
  let custom: CustomFields = {};
  for (const plugin of plugins) {
    try {
      const answer = Promise.resolve(plugin.onPage?.(crawled));
      const found = await deadline<unknown>(answer, Math.max(0, end - performance.now()), () => {
        throw new Error('not done in time');
      });
      if (found === undefined || found === null) continue;
      const all = { ...custom, ...plainFields(found) };
      if (Buffer.byteLength(JSON.stringify(all)) <= CUSTOM_LIMIT) custom = all;
      else count(`custom_over_limit_${plugin.name}`);
    } catch {
      count(`plugin_error_${plugin.name}`);
    }
  }
  return Object.keys(custom).length > 0 ? custom : undefined;
}

/** What is stored of the fields: what JSON keeps of them. */
function plainFields(found: unknown): CustomFields {
  const plain: unknown = JSON.parse(JSON.stringify(found) ?? 'null');
  if (typeof plain === 'object' && plain !== null && !Array.isArray(plain)) return plain as CustomFields;
  throw new TypeError('expected an object with fields');
}

function crawledPage(
  { settings }: ParseContext,
  given: PageContent,
  page: ParsedPage & { readonly outlinks: readonly Outlink[] },
): CrawledPage {
  const { url, content = new Uint8Array(), headers, truncated } = given;
  const contentType = contentTypeOf(given);
  const { title, text, outlinks, metadata, robots, canonical, language, charset } = page;
  let document: { readonly made: HtmlDocument | undefined } | undefined;
  return {
    url,
    contentType,
    headers,
    content,
    truncated: truncated || (page.truncated ?? false),
    title,
    text,
    outlinks,
    metadata,
    robots,
    ...(canonical !== undefined && { canonical }),
    ...(language !== undefined && { language }),
    ...(charset !== undefined && { charset }),
    document: () => (document ??= { made: htmlDocument({ content, contentType, charset }, settings) }).made,
  };
}
