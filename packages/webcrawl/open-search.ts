import { CrawlError } from '../errors/index.js';
import { createWords, openIndexReader, openOpenSearchReader, type IndexReader } from '../index/index.js';
import type { CrawlContext } from '../jobs/index.js';
import {
  boundedReader,
  createSearcher,
  type Searcher,
  type SearchOptions,
  type SearchResult,
} from '../search/index.js';

/** What a search needs of a crawl. */
export type SearchedCrawl = Pick<CrawlContext, 'tables' | 'settings' | 'indexFolder'>;

/**
 * Opens the search index of a table for many queries: the embedded one in a thread of its own, or that of OpenSearch. It follows the
 * index: what `index` adds is found by the next query. Close it before the crawl.
 * @throws CrawlError BAD_SETTING where neither the table nor `index.path` names a folder; MISSING_PACKAGE. Where
 *   `index.writer` names what nothing searches, each question rejects with BAD_SETTING
 */
export async function openSearch(crawl: SearchedCrawl): Promise<Searcher> {
  const { tables, settings } = crawl;
  const words = await createWords();
  return createSearcher({ pages: tables.pages, settings, reader: await openReader(crawl, words.name), words });
}

/**
 * Opens the index that the settings name, for reading.
 * @param words the name of the tokenizer that reads queries: an index of another is refused. Absent: any will do
 * @throws CrawlError as {@link openSearch}
 */
export async function openReader(
  { tables, settings, indexFolder }: SearchedCrawl,
  words?: string,
): Promise<IndexReader> {
  const { writer, url } = settings.index;
  const place = { table: await tables.id(), ...(words !== undefined && { words }) };
  if (writer === 'opensearch') return boundedReader(await openOpenSearchReader({ url, ...place }));
  if (writer === 'jsonl') return UNSEARCHABLE;
  if (indexFolder === undefined) {
    throw new CrawlError('BAD_SETTING', 'expected the folder of a search index, found a table without a folder', {
      hint: 'index.path names one',
    });
  }
  return openIndexReader({ folder: indexFolder, ...place });
}

/** What is written for other programs alone: each question says so, and all else of a server goes on. */
const UNSEARCHABLE: IndexReader = {
  info: refuse,
  search: refuse,
  documentCounts: refuse,
  similar: refuse,
  close: () => Promise.resolve(),
};

function refuse(): Promise<never> {
  const message = 'expected an index that can be searched, found JSON Lines, which are for other programs';
  return Promise.reject(
    new CrawlError('BAD_SETTING', message, {
      hint: 'nothing here searches what index.writer jsonl makes; sqlite makes an index that is searched, and so does opensearch',
    }),
  );
}

/**
 * Searches once. Who searches more often opens a {@link Searcher} by {@link openSearch}, and keeps it.
 * @throws CrawlError USAGE for a page or limit that is none, NO_INDEX, WRONG_INDEX, SEARCH_BUSY, BAD_SETTING
 */
export async function search(crawl: SearchedCrawl, query: string, options?: SearchOptions): Promise<SearchResult> {
  const searcher = await openSearch(crawl);
  try {
    return await searcher.search(query, options);
  } finally {
    await searcher.close();
  }
}
