export type { PrefixFigures, PrefixNode, PrefixSelection } from './statistics/prefix-node.js';
export { reportRules, type ReportedRule, type RuleReport } from './report/report-rules.js';
export type { DomainWorth } from './report/domain-worth.js';
export type { BeforeAndSince, Yield } from './report/since-rules.js';
export type { Worth } from './report/worth.js';
