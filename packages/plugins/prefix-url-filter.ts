import { BadRule, readRules, versionOf } from '../patterns/index.js';
import type { Plugin } from '../plugin-api/index.js';

/**
 * Accepts a URL if it starts with one of the lines. All other URLs are rejected. The time for one URL grows with the logarithm of the
 * number of lines. A prefix may end anywhere in a URL. So `http://a.com` also accepts `http://a.com.evil.net/`. A line that is a host must
 * therefore end with `/`.
 * @throws CrawlError BAD_SETTING that lists every line with which no normalised URL can start
 */
export function prefixUrlFilter(text: string): Plugin {
  const lines = readRules('prefix URL filter', text, (line) => {
    const prefix = line.trimEnd();
    const scheme = ['http://', 'https://'].find((each) => prefix.startsWith(each) || each.startsWith(prefix));
    if (scheme === undefined) throw new BadRule('a prefix starts with http:// or https://');
    if (/[^!-~]/.test(prefix)) throw new BadRule('a prefix is printable ASCII, as URLs are once they are normalised');
    if (/[A-Z]/.test(prefix.slice(scheme.length).split('/', 1)[0]!)) throw new BadRule('a host is lower case');
    return prefix;
  }).map(({ rule }) => rule);

  // A prefix that begins with a shorter prefix is left out. Then only one prefix can match a URL: the last of the prefixes that are sorted
  // before the URL or equal it.
  const prefixes: string[] = [];
  for (const prefix of lines.sort()) {
    const last = prefixes.at(-1);
    if (last === undefined || !prefix.startsWith(last)) prefixes.push(prefix);
  }

  return {
    name: 'urlfilter-prefix',
    version: versionOf(text),
    filterUrl(url) {
      let low = 0;
      let high = prefixes.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (prefixes[middle]! <= url) low = middle + 1;
        else high = middle;
      }
      return low > 0 && url.startsWith(prefixes[low - 1]!) ? true : 'no prefix matches';
    },
  };
}
