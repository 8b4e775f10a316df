import { htmlDocument } from '../../parse/index.js';
import type { CrawledPage, HtmlDocument, Plugin } from '../../plugin-api/index.js';
import { deadline } from '../../util/index.js';
import type { CustomFields } from '../../../webtable/index.js';
import type { Count } from '../reporting/counters.js';
import type { PageContent, ParseContext, ParseResult } from './parse-page.js';
import { contentTypeOf } from './parse-content.js';

/** Maximum bytes of the JSON with the fields of all plugins. A row with more would be too large to read at once. */
export const CUSTOM_LIMIT = 65_536;

/**
 * Passes a parsed page to every plugin with `onPage`, in the order of the list. The page is passed as it will be stored. If a plugin fails,
 * the failure is counted, and the fields of the plugin are left out. If several plugins return a field with the same name, the value of the
 * last plugin is used, and this is counted.
 * @param seconds time limit for all plugins together
 * @returns the result with the fields of the plugins
 */
export async function withOnPage(
  crawl: ParseContext,
  content: PageContent,
  result: ParseResult,
  seconds: number,
  count: Count,
): Promise<ParseResult> {
  const plugins = crawl.plugins.filter(({ onPage }) => onPage);
  if (!result.parsed || plugins.length === 0) return result;
  const custom = await fieldsOf(plugins, crawledPage(crawl, content, result), seconds, count);
  if (Object.keys(custom).length === 0) return result;
  result.encoded.add({ custom });
  return { ...result, unset: result.unset.filter((field) => field !== 'custom') };
}

async function fieldsOf(
  plugins: readonly Plugin[],
  crawled: CrawledPage,
  seconds: number,
  count: Count,
): Promise<CustomFields> {
  const end = performance.now() + seconds * 1000;
  let custom: CustomFields = {};
  for (const plugin of plugins) {
    try {
      const answer = Promise.resolve(plugin.onPage?.(crawled));
      const found = await deadline<unknown>(answer, Math.max(0, end - performance.now()), () => {
        throw new Error('not done in time');
      });
      if (found === undefined || found === null) continue;
      const plain = plainFields(found);
      const all = { ...custom, ...plain };
      if (Buffer.byteLength(JSON.stringify(all)) > CUSTOM_LIMIT) {
        count(`custom_over_limit_${plugin.name}`);
        continue;
      }
      const before = custom;
      const replaced = Object.keys(plain).filter((name) => Object.hasOwn(before, name)).length;
      if (replaced > 0) count(`custom_replaced_${plugin.name}`, replaced);
      custom = all;
    } catch {
      count(`plugin_error_${plugin.name}`);
    }
  }
  return custom;
}

/** Returns the fields as JSON can store them. */
function plainFields(found: unknown): CustomFields {
  const plain: unknown = JSON.parse(JSON.stringify(found) ?? 'null');
  if (typeof plain === 'object' && plain !== null && !Array.isArray(plain)) return plain as CustomFields;
  throw new TypeError('expected an object with fields');
}

const CRAWLED_FIELDS = ['title', 'text', 'outlinks', 'pageMetadata', 'headings', 'language', 'parseStatus'] as const;

function crawledPage({ settings }: ParseContext, given: PageContent, { encoded, inPart }: ParseResult): CrawledPage {
  const { url, content = new Uint8Array(), headers, truncated } = given;
  const contentType = contentTypeOf(given);
  const {
    title = '',
    text = '',
    outlinks = [],
    pageMetadata: metadata = {},
    headings,
    language,
    parseStatus,
  } = encoded.decode(CRAWLED_FIELDS);
  const { noindex = false, nofollow = false, noarchive = false, maxSnippet, canonical, charset } = parseStatus!;
  let document: { readonly made: HtmlDocument | undefined } | undefined;
  return {
    url,
    contentType,
    headers,
    content,
    truncated: truncated || inPart === true,
    title,
    text,
    outlinks,
    metadata,
    robots: { noindex, nofollow, noarchive, ...(maxSnippet !== undefined && { maxSnippet }) },
    ...(headings !== undefined && { headings }),
    ...(canonical !== undefined && { canonical }),
    ...(language !== undefined && { language }),
    ...(charset !== undefined && { charset }),
    document: () => (document ??= { made: htmlDocument({ content, contentType, charset }, settings) }).made,
  };
}
