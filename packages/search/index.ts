export { boundedReader, type ReaderBounds } from './bounded-reader.js';
export { askIndex, type Answer, type AskOptions } from './ask-index.js';
export {
  HITS_A_PAGE,
  createSearcher,
  weightsOf,
  type SearchHit,
  type SearchInput,
  type SearchOptions,
  type SearchResult,
  type Searcher,
} from './searcher.js';
export {
  parseQuery,
  type NoticeCode,
  type ParsedQuery,
  type QueryNotice,
  type QueryPart,
} from './query/parse-query.js';
export type { SearchNotice } from './query/notices.js';
export { SHOWN_FIELDS, shownText, type ShownText } from './results/shown-text.js';
export { type SnippetPart } from './results/snippet.js';
export { MAX_HITS } from './max-hits.js';
