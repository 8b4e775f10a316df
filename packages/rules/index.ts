export { RULES_PLUGIN, compileRules, type FitFields, type FitScores, type RuleSet } from './compile-rules.js';
export { NO_LEADS, addLeads, agedLeads, isExplored, leadForm, type ShownLeads } from './leads.js';
export { createLiveRules, type LiveRules } from './live-rules.js';
export { compareRules, contradictionsOf, type Contradiction } from './rule-order.js';
export { checkRule, scopeOf, type CheckedRule, type NewRule, type NewRuleTraits } from './check-rule.js';
export {
  MAX_RULES,
  addChecked,
  addRules,
  removeRules,
  rulesOf,
  saying,
  setRuleState,
  type AddedRules,
  type RemovedRules,
  type RuleTables,
} from './edit-rules.js';
export { causeOfRule, ruleOfCause } from './rule-tally.js';
export { describeRule, describeRuleInFull } from './describe-rule.js';
export type { Rewritten } from './www.js';
export type { UrlMatcher } from './url-matcher.js';
