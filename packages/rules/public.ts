export { describeRule, describeRuleInFull } from './describe-rule.js';
export type { ListedRule, RuleList } from './rule-list.js';
export type * from '../focus/public.js';
export type { RuleSet } from './compile-rules.js';
export type { LiveRules } from './live-rules.js';
export type { Contradiction } from './rule-order.js';
export type { NewRule, NewRuleTraits } from './check-rule.js';
export type { AddedRules, RemovedRules } from './edit-rules.js';
export type { UrlMatcher } from './url-matcher.js';
export type {
  AnyRule,
  PrefixFigures,
  PrefixPass,
  ProposedRule,
  Rule,
  RuleCounts,
  RulePattern,
  RulePoint,
  RuleScope,
  StoredProposal,
  StoredProposals,
  StoredRules,
  UrlRule,
  WwwRule,
} from '../../webtable/index.js';
