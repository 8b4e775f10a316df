import { messageOf } from '../../errors/index.js';
import { chooseParser, sniffContentType, sniffSitemap } from '../../parse/index.js';
import type { ParseOutcome } from '../../plugin-api/index.js';
import { deadline } from '../../util/index.js';
import type { CrawlContext } from '../context.js';
import type { PageContent } from './parse-page.js';

/**
 * Parses a page with the parser for its type. If there is no parser, or if the parser throws, the outcome is a failure. `by` is the name of
 * the plugin that parsed the page.
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
    const answer = plugin.parser.parse({ url, content, contentType, headers, truncated });
    const outcome: ParseOutcome | undefined =
      plugin.parser.ownTimeout || !isPromise(answer)
        ? await answer
        : await deadline(answer, crawl.settings.parser.timeout * 1000, () => ({ kind: 'failed', code: 'timeout' }));
    if (outcome) return { outcome, by: plugin.name };
    return failed(`plugin_error_${plugin.name}`, 'the parser returned nothing');
  } catch (error) {
    return failed(`plugin_error_${plugin.name}`, messageOf(error));
  }
}

/** Whether a parser has returned a promise. If not, no timer is needed. A parser in JavaScript may return any value. */
function isPromise(answer: ParseOutcome | PromiseLike<ParseOutcome>): answer is PromiseLike<ParseOutcome> {
  return typeof (answer as { readonly then?: unknown } | undefined)?.then === 'function';
}

/** Returns the media type that decides how a page is parsed. For a sitemap, the content is more reliable than the header of the server. */
export function contentTypeOf({ content = new Uint8Array(), contentType, headers, sitemap }: PageContent): string {
  return (sitemap ? sniffSitemap(content) : undefined) ?? sniffContentType(content, contentType, headers);
}
