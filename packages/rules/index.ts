export * from './public.js';
export { compileRules, compileRulesInSlices } from './compile-rules.js';
export { createLiveRules } from './live-rules.js';
export { checkRule, scopeOf, type CheckedRule } from './check-rule.js';
export { addChecked, addRules, removeRules, rulesOf, saying, setRuleState } from './edit-rules.js';
export { listRules } from './rule-list.js';
