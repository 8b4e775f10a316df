import type { IndexWriter } from '../../core/index.js';
import { openOpenSearchWriter } from '../opensearch/writer.js';
import { openSqliteWriter } from '../sqlite/writer.js';
import { createWords } from '../words/create-words.js';

export type WriterLocation =
  | { readonly writer: 'sqlite'; readonly folder: string }
  | { readonly writer: 'opensearch'; readonly url: string };

/**
 * Opens an index for writing in this thread, and creates it if missing. The folder of the index must exist.
 * @param table the id of the table whose pages are written
 * @throws CrawlError as `openSqliteWriter` and `openOpenSearchWriter` do
 */
export async function openWriter(place: WriterLocation, table: string): Promise<IndexWriter> {
  const words = await createWords();
  if (place.writer === 'opensearch') return openOpenSearchWriter(place, table, words);
  return openSqliteWriter(place.folder, table, words);
}
