import { CrawlError, safeText } from '../errors/index.js';
import { BadRule } from './rule-file.js';
import { PATTERN_INPUT_LIMIT, compilePattern } from './rule-pattern.js';

/**
 * Looks for patterns in URLs, as a line of the regex URL filter does: anywhere in the URL, by a JavaScript regular
 * expression that may begin with `(?i)`. The function answers the first pattern that is found, or undefined. It throws
 * where a pattern takes too long, or the URL is too long to be shown to one.
 * @throws CrawlError USAGE that names the first pattern that is wrong, and why
 */
export function urlPatterns(patterns: readonly string[]): (url: string) => string | undefined {
  if (patterns.length === 0) return () => undefined;
  const compiled = patterns.map((text) => ({ text, pattern: compile(text) }));
  return (url) => {
    if (url.length > PATTERN_INPUT_LIMIT) throw new Error(`longer than ${PATTERN_INPUT_LIMIT} characters`);
    return compiled.find(({ pattern }) => pattern.test(url))?.text;
  };
}

function compile(text: string): ReturnType<typeof compilePattern> {
  try {
    return compilePattern(text);
  } catch (error) {
    if (!(error instanceof BadRule)) throw error;
    throw new CrawlError('USAGE', `expected a pattern for URLs, found "${safeText(text)}": ${error.message}`, {
      hint:
        error.hint ??
        'a pattern is a regular expression that is looked for anywhere in the URL, such as ^https://example\\.com/docs/',
    });
  }
}
