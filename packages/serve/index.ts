export { DEFAULT_PORT, servePages, type ServeAddress, type Served } from './serve-pages.js';
export type {
  CachedText,
  FoundHit,
  FoundHits,
  IndexUse,
  SearchRequest,
  ServedStatus,
  ServeSource,
  SnippetPart,
} from './source.js';
