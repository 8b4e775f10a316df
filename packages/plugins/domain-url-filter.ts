import { BadRule, readRules, versionOf } from '../patterns/index.js';
import type { Plugin } from '../plugin-api/index.js';
import { domainOf, hostOf, publicSuffixOf } from '../url/index.js';

/**
 * Accepts a URL if one of the lines is its host, its registrable domain, its public suffix or its top-level domain. All other URLs are
 * rejected. If a line is a host below a domain (`www.example.com`), it accepts only that host. Letter case is ignored, and names may be in
 * any script.
 * @throws CrawlError BAD_SETTING that lists every line that is not a host name or IP address
 */
export function domainUrlFilter(text: string): Plugin {
  const names = new Set(readRules('domain URL filter', text, readName).map(({ rule }) => rule));

  return {
    name: 'urlfilter-domain',
    version: versionOf(text),
    filterUrl(url) {
      const host = hostOf(url).replace(/\.$/, '');
      if (names.has(host) || names.has(domainOf(host))) return true;
      const suffix = publicSuffixOf(host);
      if (suffix === null) return 'no suffix, domain or host matches';
      return (
        names.has(suffix) || names.has(host.slice(host.lastIndexOf('.') + 1)) || 'no suffix, domain or host matches'
      );
    },
  };
}

function readName(line: string): string {
  const name = line.trim();
  try {
    const url = new URL(`http://${name}/`);
    const nothingElse = url.username === '' && url.port === '' && url.pathname === '/' && url.search + url.hash === '';
    if (nothingElse && !/[\s:/\\?#@]/.test(name.replace(/^\[.*\]$/, ''))) return url.hostname.replace(/\.$/, '');
  } catch {
    // The line is not a host, so the error below is thrown.
  }
  throw new BadRule('a host name or IP address without scheme, port and path is expected');
}
