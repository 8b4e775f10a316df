import { BadRule, compilePattern, MAX_PATTERN_INPUT_CHARACTERS, readRules, versionOf } from '../patterns/index.js';
import type { Plugin } from '../plugin-api/index.js';

/**
 * Accepts and rejects URLs by patterns. A line is `+` (accept) or `-` (reject), followed by a pattern. The pattern may match anywhere in
 * the URL. The first line that matches decides. If no line matches, the URL is rejected. If a pattern takes too long on a URL, the filter
 * throws, and this rejects the URL.
 * @throws CrawlError BAD_SETTING that lists every wrong line
 */
export function regexUrlFilter(rulesText: string): Plugin {
  const rules = readRules('regex URL filter', rulesText, (line) => {
    const accept = line.startsWith('+');
    if (!accept && !line.startsWith('-')) throw new BadRule('a line starts with +, - or #');
    const pattern = line.slice(1).trimEnd();
    return { accept, pattern: compilePattern(pattern), text: `${line[0]}${pattern}` };
  }).map(({ line, rule }) => ({ pattern: rule.pattern, verdict: rule.accept || `line ${line}: ${rule.text}` }));

  return {
    name: 'urlfilter-regex',
    version: versionOf(rulesText),
    filterUrl(url) {
      if (url.length > MAX_PATTERN_INPUT_CHARACTERS) return `longer than ${MAX_PATTERN_INPUT_CHARACTERS} characters`;
      for (const { pattern, verdict } of rules) if (pattern.test(url)) return verdict;
      return 'no line matches';
    },
  };
}
