export { MAX_HITS } from './max-hits.js';
export type { IndexInfo, IndexOptions } from '../index/index.js';
export type { SearchOptions, SearchResult, Searcher } from './searcher.js';
export type { NoticeCode } from './query/parse-query.js';
export type { SearchNotice } from './query/notices.js';
export type { HitSite } from './results/hit-sites.js';
export type { SearchHit } from './read-hits.js';
export type { SnippetPart } from './results/snippet.js';
