export type {
  Candidate,
  CandidateFinder,
  PageTexts,
  ReadTexts,
  CreateFinder,
  DomainFacts,
  FinderRow,
  ProposalReason,
} from './candidates/candidate.js';
export type { ProposedDomain, ProposeOptions, ProposeReport } from './proposals/propose.js';
export type { ApplyProposalsOptions } from './proposals/apply-proposals.js';
export type { PrefixStatisticsOptions } from './statistics/make-prefix-statistics.js';
export type { PrefixStatistics } from './statistics/read-prefix-statistics.js';
export type { PrefixNode, PrefixSelection } from './statistics/prefix-node.js';
export type { ReportedRule, RuleReport } from './report/report-rules.js';
export type { DomainWorth } from './report/domain-worth.js';
export type { BeforeAndSince, Yield } from './report/since-rules.js';
export type { Worth } from './report/worth.js';
export type { RuleDanger, RuleEffect, TestedContradiction } from './rules/test-rules.js';
