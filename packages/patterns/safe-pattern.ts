import { RE2JS } from 're2js';
import { safeText } from '../errors/index.js';
import { isLinear } from './pattern-cost.js';
import { groupsIn, needsBacktracking, parsePattern, repeatsPeculiarly } from './pattern-tree.js';
import { BadRule } from './rule-file.js';

/** The replacement of a match: a list of texts and of group numbers. Group 0 is the whole match. */
export type Replacement = readonly (string | number)[];

export type PatternUse = 'test' | 'replace';

/** A pattern that cannot run for long on any text. */
export interface SafePattern {
  readonly groups: number;
  test(text: string): boolean;
  /** Returns the text with every match replaced. It throws an Error if this takes too many steps. */
  replace(text: string, replacement: Replacement): string;
}

/** For each character, RE2 may examine each instruction. */
const MAX_PROGRAM_INSTRUCTIONS = 1_000;

/**
 * Maximum product of the number of matches and the number of characters of a text, because RE2 may read the text to its end for each
 * match. With a larger product, the replacement fails.
 */
const REPLACE_LIMIT = 1_000_000;

const TRAPS =
  'write it without look-ahead and back-references; URLs in which segments repeat are rejected by the plugin ' +
  'urlfilter-traps already (urlfilter.trapMaxRepeats), so a rule against them can be removed';

/**
 * Makes a pattern safe for hostile text. The pattern runs as a regular expression of JavaScript if this surely takes linear time.
 * Otherwise it runs on RE2, which always takes linear time.
 * @throws SyntaxError if the source is not a regular expression of JavaScript
 * @throws BadRule if the pattern is unsafe with both, or if RE2 would replace other text than JavaScript
 */
export function safePattern(source: string, ignoreCase: boolean, use: PatternUse): SafePattern {
  const native = new RegExp(source, ignoreCase ? 'i' : '');
  const tree = parsePattern(source);
  const groups = groupsIn(tree);
  if (isLinear(tree)) return { groups, ...onPlatform(native) };
  if (needsBacktracking(tree)) {
    const at = source.replaceAll('\\\\', '  ').search(/\(\?<?[=!]|\\k<|\\[1-9]/);
    throw new BadRule('a pattern with look-ahead or back-references may run for long', TRAPS, Math.max(0, at));
  }
  if (use === 'replace' && repeatsPeculiarly(tree)) {
    throw new BadRule(
      'a repeated group must not contain a capturing group, and must not match an empty text',
      USE_PLAIN_GROUPS,
    );
  }
  return { groups, ...onRe2(compileRe2(source, ignoreCase), source) };
}

const USE_PLAIN_GROUPS = 'write (?:…) for groups that the replacement does not name';

type Search = Pick<SafePattern, 'test' | 'replace'>;

function onPlatform(pattern: RegExp): Search {
  const all = new RegExp(pattern.source, `g${pattern.flags}`);
  return {
    test: (text) => pattern.test(text),
    replace: (text, replacement) => (pattern.test(text) ? text.replace(all, asText(replacement)) : text),
  };
}

/** Writes a replacement in the syntax of String.replace, in which `$01` is the first group. */
function asText(replacement: Replacement): string {
  return replacement
    .map((part) => {
      if (typeof part === 'string') return part.replaceAll('$', '$$$$');
      return part === 0 ? '$&' : `$${String(part).padStart(2, '0')}`;
    })
    .join('');
}

function compileRe2(source: string, ignoreCase: boolean): RE2JS {
  try {
    const flags = RE2JS.LOOKBEHINDS | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source), flags);
    if (compiled.programSize() <= MAX_PROGRAM_INSTRUCTIONS) return compiled;
  } catch {
    // RE2 describes an excess of repeats wrongly. Therefore its message is not used.
  }
  throw new BadRule('a pattern this large may run for long', 'write several lines, or fewer and smaller repeats');
}

function onRe2(pattern: RE2JS, source: string): Search {
  return {
    test: (text) => pattern.test(text),
    replace(text, replacement) {
      if (!pattern.test(text)) return text;
      const matcher = pattern.matcher(text);
      let out = '';
      let at = 0;
      for (let matches = 0; matches * text.length <= REPLACE_LIMIT; matches++) {
        if (!matcher.find()) return out + text.slice(at);
        out += text.slice(at, matcher.start());
        for (const part of replacement) out += typeof part === 'string' ? part : (matcher.group(part) ?? '');
        at = matcher.end();
      }
      throw new Error(`the pattern "${safeText(source)}" takes too many steps on this URL`);
    },
  };
}
