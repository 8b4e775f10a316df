import { createSeldom } from '../jobs/index.js';
import { servePages, type CachedText, type Served, type ServeAddress } from '../serve/index.js';
import type { Crawl } from './open-crawl.js';
import { openSearch } from './open-search.js';
import { indexUseOf, statusWith } from './status.js';

/**
 * Serves the search page, the API, the dashboard and the metrics of a table until it is closed, which is before the crawl is. It
 * only reads: other processes may crawl meanwhile, where the table was opened with `yields`. What `index` adds is found by the
 * next search.
 * @throws CrawlError CANNOT_LISTEN, BAD_SETTING where the table has no folder and `index.path` names none
 */
export async function serve(crawl: Crawl, where: ServeAddress = {}): Promise<Served> {
  const searcher = await openSearch(crawl);
  const { read: indexUse } = createSeldom(() => indexUseOf(searcher));
  try {
    const served = await servePages(
      {
        search: (query, request) => searcher.search(query, request),
        suggest: (prefix) => searcher.suggest(prefix),
        cached: (url) => cachedText(crawl, url),
        status: () => statusWith(crawl, indexUse),
      },
      where,
    );
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => (closing ??= served.close().finally(() => searcher.close()));
    return { ...served, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await searcher.close();
    throw error;
  }
}

/** The text of a page of the index; undefined where it is not in there, or the page asks that no copy be shown. */
async function cachedText(crawl: Pick<Crawl, 'page'>, url: string): Promise<CachedText | undefined> {
  const fields = ['title', 'text', 'language', 'fetchedAt', 'parseStatus', 'pageMetadata', 'headers', 'marks'] as const;
  const page = await crawl.page(url, fields);
  if (page?.text === undefined || page.marks?.index === undefined || page.parseStatus?.noindex) return undefined;
  const robots = [page.headers?.['x-robots-tag'], page.pageMetadata?.['robots']];
  if (robots.some((said) => /\b(noarchive|none)\b/i.test(said ?? ''))) return undefined;
  const { title, text, language, fetchedAt } = page;
  return {
    url,
    text,
    ...(title !== undefined && { title }),
    ...(language !== undefined && { language }),
    ...(fetchedAt !== undefined && { fetchedAt }),
  };
}
