import { BadRule, readRules, versionOf } from '../patterns/index.js';
import { CrawlError } from '../errors/index.js';
import type { Plugin } from '../plugin-api/index.js';

/**
 * Accepts or rejects URLs by their endings. One line gives the mode. `+` accepts all URLs, except URLs that end with a listed suffix. `-`
 * rejects all URLs, except URLs that end with a listed suffix. After this sign, `P` means that only the path is checked, without the query,
 * and `I` means that letter case is ignored. Every other line is a suffix.
 * @throws CrawlError BAD_SETTING that lists every wrong line; also if there is not exactly one line with the mode
 */
export function suffixUrlFilter(text: string): Plugin {
  let mode: string | undefined;
  const lines = readRules('suffix URL filter', text, (line) => {
    const rule = line.trimEnd();
    if (/[^!-~]/.test(rule)) throw new BadRule('a suffix is printable ASCII without white space');
    if (!/^[+-]/.test(rule)) return rule;
    if (!/^[+-](?:PI?|IP?)?$/.test(rule))
      throw new BadRule('the mode is + or - with P, I or both; suffixes have no sign');
    if (mode !== undefined) throw new BadRule('the mode is expected only once');
    mode = rule;
    return null;
  });
  if (mode === undefined)
    throw new CrawlError('BAD_SETTING', 'suffix URL filter: a line with the mode, + or -, is expected');

  const acceptListed = mode.startsWith('-');
  const pathOnly = mode.includes('P');
  const fold = mode.includes('I') ? (value: string) => value.toLowerCase() : (value: string) => value;
  const suffixes = new Set(lines.flatMap(({ rule }) => (rule === null ? [] : [fold(rule)])));
  const lengths = [...new Set([...suffixes].map((suffix) => suffix.length))].sort((a, b) => a - b);

  return {
    name: 'urlfilter-suffix',
    version: versionOf(text),
    filterUrl(url) {
      const end = fold(pathOnly ? pathOf(url) : url);
      for (const length of lengths) {
        if (length > end.length) break;
        const suffix = end.slice(end.length - length);
        if (suffixes.has(suffix)) return acceptListed || `suffix ${suffix}`;
      }
      return acceptListed ? 'no suffix matches' : true;
    },
  };
}

function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3);
  const end = url.slice(start).search(/[?#]/);
  return end < 0 ? url.slice(start) : url.slice(start, start + end);
}
