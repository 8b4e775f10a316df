export {
  createPairSorter,
  createRecordSorter,
  onDisk,
  removeLeftFolders,
  sortRecords,
  withWorkFolder,
  type PairSorter,
  type RecordSorter,
  type SortOptions,
} from './sort/index.js';
export { readLists, type Adjacency } from './adjacency.js';
export { openAdjacencyBlocks, type AdjacencyBlock, type AdjacencyBlocks } from './adjacency-blocks.js';
export { growingArray } from './growing-array.js';
export { buildGraphs, type BuildOptions, type BuiltGraphs, type LinkGraph } from './build-graphs.js';
export { LINK_FIELDS, linkRowOf, type LinkRow } from './link-rows.js';
export { LEVELS, type Level } from './levels.js';
export type { Nodes } from './nodes.js';
export { NONE } from './resolve.js';
export type { GraphInput } from './scan-rows.js';
export { pageRank, type PageRank, type PageRankOptions } from './ranking/page-rank.js';
export { rank, type RankOptions } from './rank.js';
