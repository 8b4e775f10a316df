import { RE2JS } from 're2js';
import { safeText } from '../errors/index.js';
import { isLinear } from './pattern-cost.js';
import { groupsIn, needsBacktracking, parsePattern, repeatsPeculiarly } from './pattern-tree.js';
import { BadRule } from './rule-file.js';

/** What replaces a match: texts, and numbers of groups; 0 is all that was found. */
export type Replacement = readonly (string | number)[];

/** What a pattern is for. */
export type PatternUse = 'test' | 'replace';

/** A pattern that no text makes run for long. */
export interface SafePattern {
  /** Its capturing groups. */
  readonly groups: number;
  /** Whether the text contains a match. */
  test(text: string): boolean;
  /** The text with every match replaced. Throws an Error where that takes too many steps. */
  replace(text: string, replacement: Replacement): string;
}

/** Instructions of a program of RE2, which may look at each for each character. */
const LARGEST_PROGRAM = 1_000;

/** RE2 may look at a text to its end for each match, so it replaces in texts where matches times characters are fewer. */
const REPLACE_LIMIT = 1_000_000;

const TRAPS =
  'write it without look-ahead and back-references; URLs in which segments repeat are rejected by the plugin ' +
  'urlfilter-traps already (urlfilter.trapMaxRepeats), so a rule against them can be removed';

/**
 * Makes a pattern safe to run on hostile text: on the platform's regular expressions where it is sure to be linear there,
 * else on RE2, which always is.
 * @throws SyntaxError where it is no regular expression of JavaScript
 * @throws BadRule where neither can run it safely, or RE2 would replace something else than JavaScript does
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
      'a group that repeats may hold no other that captures, and may not match nothing',
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

/** In the language of String.replace, where `$01` is the first group. */
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
    if (compiled.programSize() <= LARGEST_PROGRAM) return compiled;
  } catch {
    // As too many repeats: RE2 names them wrong.
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
