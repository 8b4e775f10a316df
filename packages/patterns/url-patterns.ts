import { CrawlError, safeText } from '../errors/index.js';
import { BadRule } from './rule-file.js';
import { MAX_PATTERN_INPUT_CHARACTERS, compilePattern } from './rule-pattern.js';

/**
 * Makes a function that returns the first pattern that matches a URL, or undefined. A pattern is a JavaScript regular expression that may
 * begin with `(?i)`. It may match anywhere in the URL, as in a line of the regex URL filter. The function throws if the URL is too long.
 * @throws CrawlError USAGE that names the first wrong pattern, and the reason
 */
export function urlPatterns(patterns: readonly string[]): (url: string) => string | undefined {
  if (patterns.length === 0) return () => undefined;
  const compiled = patterns.map((text) => ({ text, pattern: compile(text) }));
  return (url) => {
    if (url.length > MAX_PATTERN_INPUT_CHARACTERS)
      throw new Error(`longer than ${MAX_PATTERN_INPUT_CHARACTERS} characters`);
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
        'a pattern is a regular expression that may match anywhere in the URL, such as ^https://example\\.com/docs/',
    });
  }
}
