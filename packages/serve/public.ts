export type { ServeAddress, RunningServer, ServeOptions } from './serve-pages.js';
export type { SiteOptions } from './site/site.js';
export type { WriteAccess } from './http/form-guard.js';
export type { CrawlStatus, IndexProblem, IndexUse } from './source.js';
