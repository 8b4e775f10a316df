export {
  FINDER_FIELDS,
  type Candidate,
  type CandidateFinder,
  type CreateFinder,
  type DomainFacts,
  type FinderRow,
  type ProposalReason,
} from './candidates/candidate.js';
export { propose, type ProposedDomain, type ProposeOptions, type ProposeReport } from './proposals/propose.js';
export { applyProposals, readProposals, type ApplyProposalsOptions } from './proposals/apply-proposals.js';
export { makePrefixStatistics, type PrefixStatisticsOptions } from './statistics/make-prefix-statistics.js';
export {
  depthOf,
  latestPrefixStatistics,
  readPrefixStatistics,
  type PrefixStatistics,
} from './statistics/read-prefix-statistics.js';
export { DEFAULT_DEPTH, DEFAULT_MIN, type PrefixNode, type PrefixSelection } from './statistics/prefix-node.js';
