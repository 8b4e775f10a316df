import { RE2JS } from 're2js';
import { safeText } from '../../errors/index.js';
import { countedSearch, TooManySteps, type Match } from './counted-search.js';
import { neededCharacter } from './needed-character.js';
import { isLinear } from './pattern-cost.js';
import { groupsOf, needsBacktracking, parsePattern, repeatsPeculiarly, type Alternatives } from './pattern-tree.js';

/** What replaces a match: texts, and numbers of groups; 0 is all that was found. */
export type Replacement = readonly (string | number)[];

/** A pattern that no text makes run for long. */
export interface SafePattern {
  /** Its capturing groups. */
  readonly groups: number;
  /** What runs `test` and `replace`. */
  readonly engines: { readonly test: Engine; readonly replace: Engine };
  /** Whether the text contains a match. Throws an Error where that takes too many steps. */
  test(text: string): boolean;
  /** The text with every match replaced. Throws an Error where that takes too many steps. */
  replace(text: string, replacement: Replacement): string;
}

/**
 * The platform's regular expressions, for patterns that are sure to be linear; RE2, which always is, for those that it
 * knows; and for the others backtracking with a limit of steps.
 */
export type Engine = 'native' | 're2' | 'counted';

/** Instructions of a program of RE2, which may look at each for each character. */
const LARGEST_PROGRAM = 1_000;

/** RE2 may look at a text to its end for each match, so it replaces in texts where matches times characters are fewer. */
const REPLACE_LIMIT = 1_000_000;

/**
 * Makes a pattern safe to run on hostile text.
 * @throws SyntaxError where it is no regular expression of JavaScript
 */
export function safePattern(source: string, ignoreCase: boolean): SafePattern {
  const native = new RegExp(source, ignoreCase ? 'i' : '');
  const tree = parsePattern(source);
  const groups = groupsOf(tree).length;
  if (isLinear(tree)) return { groups, engines: { test: 'native', replace: 'native' }, ...onPlatform(native) };

  const re2 = needsBacktracking(tree) ? undefined : compileRe2(source, ignoreCase);
  const counted = onCounted(tree, source, ignoreCase);
  if (!re2) return { groups, engines: { test: 'counted', replace: 'counted' }, ...counted };

  const { test, replace } = onRe2(re2, source, neededCharacter(tree, ignoreCase));
  if (!repeatsPeculiarly(tree)) return { groups, engines: { test: 're2', replace: 're2' }, test, replace };
  return {
    groups,
    engines: { test: 're2', replace: 'counted' },
    test,
    replace: (text, replacement) => (test(text) ? counted.replace(text, replacement) : text),
  };
}

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

function compileRe2(source: string, ignoreCase: boolean): RE2JS | undefined {
  try {
    const flags = RE2JS.LOOKBEHINDS | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source), flags);
    return compiled.programSize() <= LARGEST_PROGRAM ? compiled : undefined;
  } catch {
    return undefined;
  }
}

function onRe2(pattern: RE2JS, source: string, needed = /(?:)/): Search {
  const test = (text: string): boolean => needed.test(text) && pattern.test(text);
  return {
    test,
    replace(text, replacement) {
      if (!test(text)) return text;
      const matcher = pattern.matcher(text);
      return replaceAll(text, replacement, (_from, matches) => {
        if (matches * text.length > REPLACE_LIMIT) throw tooMuch(source);
        if (!matcher.find()) return null;
        return Array.from({ length: pattern.groupCount() + 1 }, (_, i) => [matcher.start(i), matcher.end(i)]).flat();
      });
    },
  };
}

function onCounted(tree: Alternatives, source: string, ignoreCase: boolean): Search {
  const search = countedSearch(tree, ignoreCase);
  const guarded = (text: string, from: number, matches: number): Match | null => {
    try {
      return search(text, from, matches > 0);
    } catch (error) {
      // A pattern with very many turns fills the stack before it has spent its steps.
      throw error instanceof TooManySteps || error instanceof RangeError ? tooMuch(source) : error;
    }
  };
  return {
    test: (text) => guarded(text, 0, 0) !== null,
    replace: (text, replacement) => replaceAll(text, replacement, (from, matches) => guarded(text, from, matches)),
  };
}

function replaceAll(
  text: string,
  replacement: Replacement,
  nextMatch: (from: number, matches: number) => Match | null,
): string {
  let out = '';
  let at = 0;
  let from = 0;
  for (let matches = 0; from <= text.length; matches++) {
    const match = nextMatch(from, matches);
    if (!match) break;
    const span = (group: number): string =>
      match[2 * group]! < 0 ? '' : text.slice(match[2 * group], match[2 * group + 1]);
    out +=
      text.slice(at, match[0]) + replacement.map((part) => (typeof part === 'string' ? part : span(part))).join('');
    at = match[1]!;
    from = at === match[0] ? at + 1 : at;
  }
  return out + text.slice(at);
}

const tooMuch = (source: string): Error =>
  new Error(`the pattern "${safeText(source)}" takes too many steps on this URL`);
