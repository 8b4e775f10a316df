import type { FetchDocumentOptions, FetchedDocument, ParseCheck, UrlCheck } from '../answers/index.js';
import { checkUrl } from '../answers/check-url.js';
import { rulesNow, type CheckContext, type CrawlContext, type PageContent } from '../jobs/index.js';
import type { PageMarkdown } from '../export/index.js';
import { openCheckContext } from './open-check-context.js';
import type { OpenCrawlOptions } from './open-context.js';
import { checkParse, fetchDocument, pageMarkdown } from './satellites.js';

/** Tests URLs and pages against the settings, plugins and rules. Writes nothing. */
export interface ChecksOfTable {
  /** Tells what the normalisers, filters and rules do to a URL. */
  url(url: string): Promise<UrlCheck>;
  /** Parses a page: title, text, links and metadata, or the reason why it cannot be parsed. */
  parse(page: PageContent): Promise<ParseCheck>;
  /** Fetches one document for a person: with the delay and the back-off of its host, but without its robots.txt. */
  fetch(url: string, options?: FetchDocumentOptions): Promise<FetchedDocument>;
  /**
   * Fetches one page as a crawl does, by its robots.txt too, and returns its main content as Markdown, or the reason why there is none.
   * @throws CrawlError BAD_URL, MISSING_PACKAGE; the reason of the signal
   */
  markdown(url: string, options?: { readonly signal?: AbortSignal }): Promise<PageMarkdown>;
}

/** The same checks without a table, so the rules of a table are not included. Close it at the end, or declare it with `await using`. */
export interface Checks extends ChecksOfTable, AsyncDisposable {
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * Makes the checks with the settings, plugins and rules of a context.
 * @param requesting returns the context for requests of a URL that a person named
 */
export function checksOf(
  context: CheckContext & Pick<CrawlContext, 'rules'>,
  requesting: (named: string) => Promise<CrawlContext>,
): ChecksOfTable {
  return {
    url: async (url) => checkUrl(await rulesNow(context), url),
    parse: (page) => checkParse(context, page),
    fetch: async (url, options) => fetchDocument(await requesting(url), url, options),
    markdown: async (url, options) => pageMarkdown(await requesting(url), url, options),
  };
}

/**
 * Reads settings and plugins like `openCrawl`, but opens no table.
 * @throws CrawlError BAD_SETTING, BAD_INPUT, BAD_PLUGIN
 */
export async function openChecks(
  options: Pick<OpenCrawlOptions, 'config' | 'settings' | 'env' | 'plugins'> = {},
): Promise<Checks> {
  const context = await openCheckContext(options);
  const { close } = context;
  return { ...checksOf(context, context.requesting), close, [Symbol.asyncDispose]: close };
}
