import type { Plugin } from '../plugin-api/index.js';
import { BadRule, readRules } from './rule-file.js';
import { PATTERN_INPUT_LIMIT, compilePattern } from './rule-pattern.js';

/**
 * Rewrites URLs by patterns. A line is a pattern, a tab, and what replaces every place where it is found, perhaps
 * nothing. In a replacement `$1` is what the first group found (nothing where it took no part), `$0` all that was
 * found, and `\` takes the meaning from the next character. A pattern that starts with `#` is written `\#`. Rules are
 * applied once, in the order of the file. URLs of more than 8192 characters stay as they are.
 * @throws CrawlError BAD_SETTING that lists every wrong line
 */
export function regexUrlNormalizer(rulesText: string): Plugin {
  const rules = readRules('regex URL normaliser', rulesText, (line) => {
    const [source = '', replacement, ...more] = line.split('\t');
    if (replacement === undefined) throw new BadRule('a tab is expected between pattern and replacement');
    if (more.length > 0) throw new BadRule('only one tab is expected');
    const pattern = compilePattern(source, 'g');
    return { pattern, replacement: toNative(replacement.trimEnd(), groupCount(pattern)) };
  }).map(({ rule }) => rule);

  return {
    name: 'urlnormalizer-regex',
    normalizeUrl(url) {
      if (url.length > PATTERN_INPUT_LIMIT) return url;
      return rules.reduce((current, { pattern, replacement }) => current.replace(pattern, replacement), url);
    },
  };
}

function groupCount(pattern: RegExp): number {
  return new RegExp(`${pattern.source}|`).exec('')!.length - 1;
}

/**
 * The replacement in the language of String.replace, where `$01` is the first group. As in Java, `$12` is group 12 where
 * there is one, else group 1 and a 2.
 */
function toNative(text: string, groups: number): string {
  let native = '';
  for (let i = 0; i < text.length; i++) {
    let char = text[i]!;
    if (char === '$') {
      const digits = /^\d{0,2}/.exec(text.slice(i + 1))![0];
      const group = digits.length === 2 && Number(digits) > groups ? digits[0]! : digits;
      if (group === '' || Number(group) > groups) {
        throw new BadRule(`$ in the replacement names no group of the pattern (it has ${groups})`);
      }
      native += Number(group) === 0 ? '$&' : `$${group.padStart(2, '0')}`;
      i += group.length;
      continue;
    }
    if (char === '\\') {
      if (++i === text.length) throw new BadRule('a character is expected after \\ in the replacement');
      char = text[i]!;
    }
    native += char === '$' ? '$$' : char;
  }
  return native;
}
