import { safeText } from '../../errors/index.js';
import { BadRule } from './rule-file.js';
import { safePattern, type PatternUse, type SafePattern } from './safe-pattern.js';

/** URLs longer than this are never shown to the patterns of a rule file. */
export const PATTERN_INPUT_LIMIT = 8192;

/** Java escapes that JavaScript does not have; there they would silently mean the bare letter. */
const UNKNOWN_ESCAPE = /\\(?![bBdDsSwWfnrtvxuk])[A-Za-z]|\\x\{/;

/**
 * Compiles the pattern of a rule: a JavaScript regular expression that may start with `(?i)`. Patterns written for Java
 * mean the same or are refused, and so is one that some URL could make run for long.
 * @throws BadRule that says what is wrong
 */
export function compilePattern(pattern: string, use: PatternUse = 'test'): SafePattern {
  if (pattern === '') throw new BadRule('a pattern is expected');
  const ignoreCase = pattern.startsWith('(?i)');
  const source = ignoreCase ? pattern.slice('(?i)'.length) : pattern;
  const bare = source.replaceAll('\\\\', '');
  if (/\(\?[a-z-]+[:)]/i.test(bare)) throw new BadRule('a flag is possible only as (?i) at the start');
  const unknown = UNKNOWN_ESCAPE.exec(bare);
  if (unknown) throw new BadRule(`the escape ${unknown[0]} is not known`);
  if (/\[[^\]]*&&\[/.test(bare)) throw new BadRule('character classes cannot be intersected by &&');
  try {
    return safePattern(source, ignoreCase, use);
  } catch (error) {
    if (error instanceof BadRule) throw error;
    const reason = error instanceof Error ? error.message.replace(/^.*\/[a-z]*: /s, '') : String(error);
    throw new BadRule(`the pattern is wrong (${safeText(reason)})`);
  }
}
