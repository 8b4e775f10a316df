import { rowKeyOf } from '../../webtable/index.js';
import { createSeldom } from '../jobs/index.js';
import { SHOWN_FIELDS, shownText } from '../search/index.js';
import { servePages, type CachedText, type Served, type ServeOptions } from '../serve/index.js';
import type { Crawl } from './open-crawl.js';
import { servedRules } from './rules/served-rules.js';
import { openSearch } from './open-search.js';
import { createIndexUse, createPrompt, statusWith } from './status.js';

/**
 * Serves the search page, the API, the dashboard and the metrics of a table until it is closed, which is before the crawl is. But for
 * rules that are changed on its pages it only reads: other processes may crawl meanwhile, where the table was opened with `yields`. What `index` adds is found by the
 * next search; where `index.writer` makes none that is searched, searches are answered with 503, and all else is served.
 * @throws CrawlError CANNOT_LISTEN, BAD_SETTING where the table has no folder and `index.path` names none
 */
export async function serve(crawl: Crawl, options: ServeOptions = {}): Promise<Served> {
  const searcher = await openSearch(crawl);
  const info = createSeldom(() => searcher.info()).read;
  const indexUse = createPrompt(createIndexUse({ info }, crawl), {});
  try {
    const served = await servePages(
      {
        search: (query, request) => searcher.search(query, request),
        suggest: (prefix, signal) => searcher.suggest(prefix, signal),
        cached: (url) => cachedText(crawl, url),
        status: () => statusWith(crawl, indexUse),
        rules: servedRules(crawl),
      },
      options,
    );
    let closing: Promise<void> | undefined;
    const closeBoth = async (): Promise<void> => {
      try {
        await served.close();
      } finally {
        await searcher.close();
      }
    };
    const close = (): Promise<void> => (closing ??= closeBoth());
    return { ...served, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await searcher.close();
    throw error;
  }
}

const CACHED_FIELDS = ['title', 'text', 'language', 'fetchedAt', 'marks', ...SHOWN_FIELDS] as const;

/**
 * The text of a page of the index; undefined where it is not in there, the page asks that no copy, or only a part of it, be
 * shown, or what it asks is not known, as after a fetch that failed. It goes by the row key: a page that the filters of today would leave out is shown as long as it is found.
 */
async function cachedText({ tables }: Pick<Crawl, 'tables'>, url: string): Promise<CachedText | undefined> {
  const page = await tables.pages.get(rowKeyOf(url), CACHED_FIELDS);
  if (page?.text === undefined || page.marks?.index === undefined) return undefined;
  if (!shownText(page).copy) return undefined;
  const { title, text, language, fetchedAt } = page;
  return {
    url,
    text,
    ...(title !== undefined && { title }),
    ...(language !== undefined && { language }),
    ...(fetchedAt !== undefined && { fetchedAt }),
  };
}
