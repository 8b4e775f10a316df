export type * from './public.js';
export {
  createPairSorter,
  createRecordSorter,
  onDisk,
  readFully,
  removeLeft,
  sortRecords,
  withWorkFolder,
  type SortOptions,
} from './sort/index.js';
export { readLists } from './adjacency.js';
export { openAdjacencyBlocks, type AdjacencyBlocks } from './adjacency-blocks.js';
export { growingArray } from './growing-array.js';
export { buildGraphs } from './build-graphs.js';
export { LINK_FIELDS, linkRowOf } from './link-rows.js';
export { LEVELS } from './levels.js';
export { NONE } from './resolve.js';
export { createKeyJoin, type KeyJoin } from './key-join.js';
export { pageRank } from './ranking/page-rank.js';
export { rank } from './rank.js';
