import { late } from '../late.js';

export { MAX_HITS } from '../names.js';
export type { SearchedCrawl } from '../open-search.js';
export type * from '../../search/public.js';
export type { Indexer, IndexInfo, IndexOptions } from '../../index/index.js';

export const openSearch = late(async () => (await import('../open-search.js')).openSearch);
export const search = late(async () => (await import('../open-search.js')).search);
export const openIndexer = late(async () => (await import('../../index/index.js')).openIndexer);
