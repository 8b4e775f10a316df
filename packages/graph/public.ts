export type { Adjacency } from './adjacency.js';
export type { BuildOptions, BuiltGraphs, LinkGraph } from './build-graphs.js';
export type { LinkRow } from './link-rows.js';
export type { Level } from './levels.js';
export type { Nodes } from './nodes.js';
export type { GraphInput } from './scan-rows.js';
export type { PageRank, PageRankOptions } from './ranking/page-rank.js';
export type { RankOptions } from './rank.js';
