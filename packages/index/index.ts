export { createWords } from './words/create-words.js';
export { foldText } from './words/fold-text.js';
export { nameTerms } from './documents/names.js';
export { HYPHEN, type Word, type Words } from './words/words.js';
export { openDatabase, type Database, type SqlRow } from './sqlite/database.js';
export { createSchema, INDEX_FILE } from './sqlite/schema.js';
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
export { openOpenSearchReader } from './opensearch/reader.js';
export { openIndexReader, type ReaderOptions } from './sqlite/reader/open-reader.js';
export {
  forgetIndex,
  index,
  loadIndexPackages,
  openIndexer,
  repairIndex,
  type Indexer,
  type IndexOptions,
} from './index-pages.js';
export { openWriterThread } from './writing/writer-thread.js';
