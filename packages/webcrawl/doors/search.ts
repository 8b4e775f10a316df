import { late } from '../late.js';

export { MAX_HITS } from '../names.js';
export type { SearchedCrawl } from '../open-search.js';
export type * from '../../search/public.js';
export type { Indexer, IndexInfo, IndexOptions } from '../../index/index.js';

/** Opens the search index of a table for many queries. See `openSearch` of packages/webcrawl/open-search.ts. */
export const openSearch = late(async () => (await import('../open-search.js')).openSearch);
/** Searches once. See `search` of packages/webcrawl/open-search.ts. */
export const search = late(async () => (await import('../open-search.js')).search);
export const openIndexer = late(async () => (await import('../../index/index.js')).openIndexer);
