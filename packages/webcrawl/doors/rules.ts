export { describeRule, describeRuleInFull } from '../names.js';
export { depthOf } from '../../focus/statistics/prefix-depth.js';
export { prefixStatistics } from '../rules/prefix-statistics.js';
export { rules, type ListedRule, type RuleEditOptions, type RuleList, type RulesCrawl } from '../rules/rules.js';
export type * from '../../focus/public.js';
export type * from '../../rules/public.js';
