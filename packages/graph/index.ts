export type * from './public.js';
export { readLists } from './adjacency.js';
export { openAdjacencyBlocks, type AdjacencyBlocks } from './adjacency-blocks.js';
export { buildGraphs } from './build-graphs.js';
export { LINK_FIELDS, linkRowOf } from './link-rows.js';
export { LEVELS } from './levels.js';
export { pageRank } from './ranking/page-rank.js';
export { rank } from './rank.js';
