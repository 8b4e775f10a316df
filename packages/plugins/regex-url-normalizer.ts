import type { Plugin } from '../plugin-api/index.js';
import { BadRule, readRules } from './rule-file.js';
import { PATTERN_INPUT_LIMIT, compilePattern } from './rule-pattern.js';

/** Literal text, or the number of a group. */
type Piece = string | number;

/**
 * Rewrites URLs by patterns. A line is a pattern, a tab, and what replaces every place where it is found, perhaps
 * nothing. In a replacement `$1` is what the first group found (nothing where it took no part), `$0` all that was
 * found, and `\` takes the meaning from the next character. Rules are applied once, in the order of the file. URLs of
 * more than 8192 characters stay as they are.
 * @throws CrawlError BAD_SETTING that lists every wrong line
 */
export function regexUrlNormalizer(rulesText: string): Plugin {
  const rules = readRules('regex URL normaliser', rulesText, (line) => {
    const [source = '', replacement, ...more] = line.split('\t');
    if (replacement === undefined) throw new BadRule('a tab is expected between pattern and replacement');
    if (more.length > 0) throw new BadRule('only one tab is expected');
    const pattern = compilePattern(source, 'g');
    return { pattern, pieces: parseReplacement(replacement.trimEnd(), groupCount(pattern)) };
  }).map(({ rule }) => rule);

  return {
    name: 'urlnormalizer-regex',
    normalizeUrl(url) {
      if (url.length > PATTERN_INPUT_LIMIT) return url;
      return rules.reduce((current, { pattern, pieces }) => {
        return current.replace(pattern, (...found: (string | undefined)[]) => {
          return pieces.map((piece) => (typeof piece === 'string' ? piece : (found[piece] ?? ''))).join('');
        });
      }, url);
    },
  };
}

function groupCount(pattern: RegExp): number {
  return new RegExp(`${pattern.source}|`).exec('')!.length - 1;
}

/** As in Java, `$12` is group 12 where there is one, else group 1 and a 2. */
function parseReplacement(text: string, groups: number): Piece[] {
  const pieces: Piece[] = [];
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '\\') {
      if (++i === text.length) throw new BadRule('a character is expected after \\ in the replacement');
      pieces.push(text[i]!);
    } else if (char === '$') {
      const digits = /^\d+/.exec(text.slice(i + 1))?.[0] ?? '';
      let length = digits.length;
      while (length > 1 && Number(digits.slice(0, length)) > groups) length--;
      const group = length === 0 ? NaN : Number(digits.slice(0, length));
      if (!(group <= groups)) throw new BadRule(`$ in the replacement names no group of the pattern (it has ${groups})`);
      pieces.push(group);
      i += length;
    } else {
      pieces.push(char);
    }
  }
  return pieces;
}
