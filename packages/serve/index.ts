export type * from './public.js';
export { servePages } from './serve-pages.js';
export type { CachedText, ChangesSource, RulesSource, ServeSource, ShownPrefixes, ShownRule } from './source.js';
