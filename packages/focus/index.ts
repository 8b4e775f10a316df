export {
  FINDER_FIELDS,
  type Candidate,
  type CandidateFinder,
  type PageTexts,
  type ReadTexts,
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
export { reportRules, type ReportedRule, type RuleReport } from './report/report-rules.js';
export type { DomainWorth } from './report/domain-worth.js';
export type { BeforeAndSince, Yield } from './report/since-rules.js';
export type { Worth } from './report/worth.js';
