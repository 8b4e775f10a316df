export { createWords } from './words/create-words.js';
export type { Word, Words } from './words/words.js';
export { openDatabase, type Database, type SqlRow, type SqlValue, type Statement } from './sqlite/database.js';
export { createSchema, INDEX_FILE, INDEX_FORMAT, TEXT_COLUMNS } from './sqlite/schema.js';
export type {
  Clause,
  IndexField,
  IndexHit,
  IndexHits,
  IndexInfo,
  IndexQuery,
  IndexReader,
  IndexWeights,
  SimilarTerm,
} from './reader.js';
export { openSqliteWriter } from './sqlite/writer.js';
export { openOpenSearchWriter } from './opensearch/writer.js';
export { openOpenSearchReader, type OpenSearchReaderOptions } from './opensearch/reader.js';
export type { OpenSearchPlace } from './opensearch/connection.js';
export { openJsonLinesWriter } from './json-lines/writer.js';
export { openIndexReader, type ReaderOptions } from './sqlite/reader/open-reader.js';
export {
  forgetIndex,
  index,
  indexFolderOf,
  openIndexer,
  repairIndex,
  type Indexer,
  type IndexOptions,
} from './index-pages.js';
export { pageLanguage } from './documents/page-language.js';
export { openWriterThread } from './writing/writer-thread.js';
