/** Link graphs and PageRank, from rows of any source. */
export { buildGraphs } from './build-graphs.js';
export { pageRank } from './ranking/page-rank.js';
export { readLists } from './adjacency.js';
export { withWorkFolder } from '../scan/index.js';
export { LEVELS } from './levels.js';
export type { Count } from '../core/index.js';
export type { Adjacency } from './adjacency.js';
export type { BuildOptions, BuiltGraphs, LinkGraph } from './build-graphs.js';
export type { LinkRow } from './link-rows.js';
export type { Level } from './levels.js';
export type { Nodes } from './nodes.js';
export type { GraphInput } from './scan-rows.js';
export type { PageRank, PageRankOptions } from './ranking/page-rank.js';
export type { RankOptions } from './rank.js';
