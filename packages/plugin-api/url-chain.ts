import { CrawlError } from '../errors/index.js';
import { parseUrl } from '../url/index.js';
import type { Plugin, UrlScope } from './plugin.js';

/** What the normalisers and filters made of a URL. */
export type UrlVerdict =
  | { readonly accepted: true; readonly url: string }
  | {
      readonly accepted: false;
      /** The URL as far as it was normalised. */
      readonly url: string;
      /** The plugin that rejected it, or `url` when it is none that the table can hold. */
      readonly rejectedBy: string;
      /** The rule, or why; may hold untrusted text. */
      readonly rule: string;
    };

/**
 * Runs every normaliser, then every filter, in list order. The URL is parsed by the WHATWG URL Standard before the
 * first and after the last normaliser. A plugin that throws rejects the URL.
 */
export function applyUrlChain(plugins: readonly Plugin[], url: string, scope: UrlScope): UrlVerdict {
  let current = url;
  let by = 'url';
  try {
    current = parseUrl(current).href;
    for (const plugin of plugins) {
      if (!plugin.normalizeUrl) continue;
      by = plugin.name;
      const next = plugin.normalizeUrl(current, scope);
      if (next !== current) current = parseUrl(next).href;
    }
    for (const plugin of plugins) {
      if (!plugin.filterUrl) continue;
      by = plugin.name;
      const verdict = plugin.filterUrl(current, scope);
      if (verdict !== true) return { accepted: false, url: current, rejectedBy: by, rule: verdict || 'rejected' };
    }
    return { accepted: true, url: current };
  } catch (error) {
    const rule = error instanceof CrawlError || error instanceof Error ? error.message : String(error);
    return { accepted: false, url: current, rejectedBy: by, rule };
  }
}
