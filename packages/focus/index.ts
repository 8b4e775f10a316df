export { makePrefixStatistics, type PrefixStatisticsOptions } from './statistics/make-prefix-statistics.js';
export {
  depthOf,
  latestPrefixStatistics,
  readPrefixStatistics,
  type PrefixStatistics,
} from './statistics/read-prefix-statistics.js';
export { DEFAULT_DEPTH, DEFAULT_MIN, type PrefixNode, type PrefixSelection } from './statistics/prefix-node.js';
