import {
  BadRule,
  compilePattern,
  PATTERN_INPUT_LIMIT,
  readRules,
  type Replacement,
  versionOf,
} from '../patterns/index.js';
import type { Plugin } from '../plugin-api/index.js';

/**
 * Rewrites URLs by patterns. A line is a pattern, a tab, and what replaces every place where it is found, perhaps
 * nothing. In a replacement `$1` is what the first group found (nothing where it took no part), `$0` all that was
 * found, and `\` takes the meaning from the next character. A pattern that starts with `#` is written `\#`. Rules are
 * applied once, in the order of the file. URLs of more than 8192 characters stay as they are. A pattern that takes too
 * long on a URL throws, which rejects the URL.
 * @throws CrawlError BAD_SETTING that lists every wrong line
 */
export function regexUrlNormalizer(rulesText: string): Plugin {
  const rules = readRules('regex URL normaliser', rulesText, (line) => {
    const [source = '', replacement, ...more] = line.split('\t');
    if (replacement === undefined) throw new BadRule('a tab is expected between pattern and replacement');
    if (more.length > 0) throw new BadRule('only one tab is expected');
    const pattern = compilePattern(source, 'replace');
    return { pattern, replacement: readReplacement(replacement.trimEnd(), pattern.groups) };
  }).map(({ rule }) => rule);

  return {
    name: 'urlnormalizer-regex',
    version: versionOf(rulesText),
    normalizeUrl(url) {
      if (url.length > PATTERN_INPUT_LIMIT) return url;
      return rules.reduce((current, { pattern, replacement }) => pattern.replace(current, replacement), url);
    },
  };
}

/** `$12` is, as in Java, group 12 where there is one, else group 1 and a 2. */
function readReplacement(text: string, groups: number): Replacement {
  const parts: (string | number)[] = [];
  for (let i = 0; i < text.length; i++) {
    let char = text[i]!;
    if (char === '$') {
      const digits = /^\d{0,2}/.exec(text.slice(i + 1))![0];
      const group = digits.length === 2 && Number(digits) > groups ? digits[0]! : digits;
      if (group === '' || Number(group) > groups) {
        throw new BadRule(`$ in the replacement names no group of the pattern (it has ${groups})`);
      }
      parts.push(Number(group));
      i += group.length;
      continue;
    }
    if (char === '\\') {
      if (++i === text.length) throw new BadRule('a character is expected after \\ in the replacement');
      char = text[i]!;
    }
    parts.push(char);
  }
  return parts;
}
