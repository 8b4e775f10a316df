export * from './public.js';
export { openAdjacencyBlocks, type AdjacencyBlocks } from './adjacency-blocks.js';
export { LINK_FIELDS, linkRowOf } from './link-rows.js';
export { rank } from './rank.js';
