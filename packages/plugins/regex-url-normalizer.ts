import {
  BadRule,
  compilePattern,
  MAX_PATTERN_INPUT_CHARACTERS,
  readRules,
  type Replacement,
  versionOf,
} from '../patterns/index.js';
import type { Plugin } from '../plugin-api/index.js';

/**
 * Rewrites URLs by patterns. A line is a pattern, a tab, and the replacement for every match. The replacement may be empty. In a
 * replacement, `$1` is the match of the first group, `$0` is the whole match, and `\` escapes the next character. A group without a match
 * is empty. A pattern that starts with `#` must be written with `\#`. Each rule is applied once, in the order of the file. URLs of more
 * than 8192 characters stay unchanged. If a pattern takes too long on a URL, the normaliser throws, and this rejects the URL.
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
      if (url.length > MAX_PATTERN_INPUT_CHARACTERS) return url;
      return rules.reduce((current, { pattern, replacement }) => pattern.replace(current, replacement), url);
    },
  };
}

/** Reads a replacement. As in Java, `$12` is group 12 if the pattern has such a group. Otherwise it is group 1 followed by a 2. */
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
