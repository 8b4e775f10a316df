export { BadRule, readRules } from './rule-file.js';
export { MAX_PATTERN_INPUT_CHARACTERS, compilePattern } from './rule-pattern.js';
export type { PatternUse, Replacement, SafePattern } from './safe-pattern.js';
export { urlPatterns } from './url-patterns.js';
export { versionOf } from './version-of.js';
