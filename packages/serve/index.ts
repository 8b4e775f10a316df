export { DEFAULT_PORT } from './default-port.js';
export { servePages, type ServeAddress, type Served, type ServeOptions } from './serve-pages.js';
export type { WhoMayChange } from './http/form-guard.js';
export type {
  CachedText,
  CrawlStatus,
  IndexProblem,
  IndexUse,
  RulesSource,
  ServeSource,
  ShownRule,
  ShownRules,
} from './source.js';
