export { DEFAULT_PORT, servePages, type ServeAddress, type Served, type ServeOptions } from './serve-pages.js';
export type { CachedText, CrawlStatus, IndexProblem, IndexUse, ServeSource } from './source.js';
