import type { IndexWriter } from '../../plugin-api/index.js';
import { openJsonLinesWriter } from '../json-lines/writer.js';
import { openOpenSearchWriter } from '../opensearch/writer.js';
import { openSqliteWriter } from '../sqlite/writer.js';
import { createWords } from '../words/create-words.js';

/** Where an index is written to, as `index.writer`, `index.path` and `index.url` say it. */
export type WriterPlace =
  | { readonly writer: 'sqlite'; readonly folder: string }
  | { readonly writer: 'jsonl'; readonly folder: string }
  | { readonly writer: 'opensearch'; readonly url: string };

/**
 * Opens an index for writing in this thread; makes it where it is missing. A folder must be there.
 * @param table names the table whose pages are written
 * @throws CrawlError as the writers do
 */
export async function openWriter(place: WriterPlace, table: string): Promise<IndexWriter> {
  if (place.writer === 'jsonl') return openJsonLinesWriter(place.folder, table);
  const words = await createWords();
  if (place.writer === 'opensearch') return openOpenSearchWriter(place, table, words);
  return openSqliteWriter(place.folder, table, words);
}
