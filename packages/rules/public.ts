export type { RuleSet } from './compile-rules.js';
export type { LiveRules } from './live-rules.js';
export type { Contradiction } from './rule-order.js';
export type { NewRule, NewRuleTraits } from './check-rule.js';
export type { AddedRules, RemovedRules } from './edit-rules.js';
export type { UrlMatcher } from './url-matcher.js';
