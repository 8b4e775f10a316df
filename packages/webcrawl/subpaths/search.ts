/** The types of searches and of the search index. */
export { MAX_HITS } from '../names.js';
export type * from '../../search/public.js';
export type { IndexInfo, IndexOptions } from '../../index/index.js';
