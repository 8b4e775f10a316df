/** The types of rules, their proposals and statistics, and the text form of rules. */
export { describeRule, describeRuleInFull } from '../names.js';
export type { ListedRule, RuleEditOptions, RuleList } from '../rules/rules.js';
export type * from '../../focus/public.js';
export type * from '../../rules/public.js';
