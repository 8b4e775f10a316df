import { safeText } from '../errors/index.js';
import { BadRule } from './rule-file.js';
import { safePattern, type PatternUse, type SafePattern } from './safe-pattern.js';

/** Maximum length of a URL to which patterns of a rule file are applied. */
export const MAX_PATTERN_INPUT_CHARACTERS = 8192;

/** Matches Java escapes that JavaScript does not have. JavaScript would read such an escape as the plain letter, without an error. */
const UNKNOWN_ESCAPE = /\\(?![bBdDsSwWfnrtvxuk])[A-Za-z]|\\x\{/;

/**
 * Compiles the pattern of a rule: a JavaScript regular expression that may start with `(?i)`. A pattern that was written for Java has the
 * same meaning here; otherwise it is refused. A pattern that could run for long on some URL is refused too.
 * @throws BadRule that says what is wrong
 */
export function compilePattern(pattern: string, use: PatternUse = 'test'): SafePattern {
  if (pattern === '') throw new BadRule('a pattern is expected');
  const ignoreCase = pattern.startsWith('(?i)');
  const start = ignoreCase ? '(?i)'.length : 0;
  const source = pattern.slice(start);
  // This text has the same length as the source, so that positions in both are equal.
  const bare = source.replaceAll('\\\\', '  ');
  const refuse = (found: RegExpExecArray | null, message: string): void => {
    if (found) throw new BadRule(message, undefined, start + found.index);
  };
  refuse(/\(\?[a-z-]+[:)]/i.exec(bare), 'a flag is possible only as (?i) at the start');
  const unknown = UNKNOWN_ESCAPE.exec(bare);
  refuse(unknown, `the escape ${unknown?.[0]} is not known`);
  refuse(/\[[^\]]*&&\[/.exec(bare), 'character classes cannot be intersected by &&');
  try {
    return safePattern(source, ignoreCase, use);
  } catch (error) {
    if (error instanceof BadRule) {
      throw error.at === undefined ? error : new BadRule(error.message, error.hint, start + error.at);
    }
    const reason = error instanceof Error ? error.message.replace(/^.*\/[a-z]*: /s, '') : String(error);
    throw new BadRule(`the pattern is wrong (${safeText(reason)})`, undefined, start + placeOfError(source));
  }
}

/** The tokens of a JavaScript pattern without the flags `u` and `v`: an escape, or any other character. */
const TOKEN = /\\[^]|[^]/gy;

/**
 * Returns the position, from 0 on, at which JavaScript finds an error in a regular expression. Whatever text follows this position, the
 * expression stays invalid. If only closing brackets are missing, it returns the position of the last open bracket.
 */
function placeOfError(source: string): number {
  const open: number[] = [];
  let inClass = -1;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < source.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(source)?.[0] ?? source[at]!;
    if (inClass >= 0) {
      if (token === ']') inClass = -1;
    } else if (token === '[') inClass = at;
    else if (token === '(') open.push(at);
    else if (token === ')') open.pop();
    const isHead = inClass < 0 && /\((?:\?(?:<[^>=!]*|<)?)?$/.test(source.slice(0, TOKEN.lastIndex));
    const end = `${inClass >= 0 ? ']' : ''}${')'.repeat(open.length)}`;
    // The head of a group has several characters. So the text may be invalid within the head, and become valid after it.
    if (!isHead && !isPattern(source.slice(0, TOKEN.lastIndex) + end)) return at;
  }
  return inClass >= 0 ? inClass : (open.at(-1) ?? Math.max(0, source.length - 1));
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
